import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The threads of openings")
struct OpeningThreadTests {
    /// A blocking `open` that waits for it may block every thread of Swift's.
    @Test func anOpeningNeedsNoneOfSwiftsThreads() async throws {
        let directory = try TemporaryDirectory()
        let threadName = Locked<String?>(nil)
        let vault = Vault(directory.path("")) { _ in
            threadName.withLock { $0 = Thread.current.name }
            return try KeyChain(.numbered(1))
        }
        try await vault.open().close()
        #expect(threadName.withLock { $0 } == "strongroom.open")
    }
}
