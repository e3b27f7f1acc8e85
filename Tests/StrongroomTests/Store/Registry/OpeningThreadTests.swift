import Foundation
import StrongroomTesting
import Testing

// The threads of openings are not public.
@testable import Strongroom

@Suite("The threads of openings")
struct OpeningThreadTests {
    private struct Witness: Configuration {
        static let target = "witness"
        let directory: TemporaryDirectory
        let key: Key
        let threadName: Locked<String?>

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            threadName.withLock { $0 = Thread.current.name }
            return try KeyChain(key)
        }
    }

    /// A blocking `open` that waits for it may block every thread of Swift's.
    @Test func anOpeningNeedsNoneOfSwiftsThreads() async throws {
        let threadName = Locked<String?>(nil)
        let stores = try Stores(
            Witness(directory: TemporaryDirectory(), key: .random(), threadName: threadName))
        _ = try await stores.open("witness.sqlite")
        #expect(threadName.withLock { $0 } == OpeningExecutor.threadName)
        try await stores.closeAll()
    }
}
