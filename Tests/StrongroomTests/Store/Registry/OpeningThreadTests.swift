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
        let isOnOpener: Locked<Bool?>

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            isOnOpener.withLock { $0 = Stores.opener.isCurrent }
            return try KeyChain(key)
        }
    }

    /// A blocking `open` that waits for it may block every thread of Swift's.
    @Test func anOpeningNeedsNoneOfSwiftsThreads() async throws {
        let isOnOpener = Locked<Bool?>(nil)
        let stores = try Stores(
            Witness(directory: TemporaryDirectory(), key: .random(), isOnOpener: isOnOpener))
        _ = try await stores.open("witness.sqlite")
        #expect(isOnOpener.withLock { $0 } == true)
        try await stores.closeAll()
    }
}
