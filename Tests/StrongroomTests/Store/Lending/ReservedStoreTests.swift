import Dispatch
import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

/// An actor on a queue that a test blocks.
private actor Bound {
    let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func borrow(_ name: String, from stores: Stores) async throws -> Store {
        try await stores.withStore(name) { store in store }
    }
}

private final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "strongroom.tests.bound")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

@Suite("Work on the file of a lent store")
struct ReservedStoreTests {
    @Test func `an idle store's database is removed, and one in use is not`() async throws {
        let vault = Vault(keys: .numbered(1))
        let stores = try Stores(vault)
        let lease = try await stores.lease("vault.sqlite")
        try await lease.store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await expectFailure(.alreadyOpen) { try await stores.remove("vault.sqlite") }
        lease.end()
        #expect(try await stores.remove("vault.sqlite"))
        #expect(try DirectorySnapshot(vault.directory).names == [])
        #expect(try await !stores.remove("vault.sqlite"))
        try await stores.withStore("vault.sqlite") { store in
            #expect(store.openReport.outcome == .created)
        }
        try await stores.closeAll()
    }

    @Test func `a blocking opening does not wait for the work, whose task may be blocked by it`() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Vault(directory.path("files"), keys: .numbered(1)))
        try await stores.whileClosed(DatabaseName("vault.sqlite"), label: "a test") {
            _ = try await expectFailure(.alreadyOpen, saying: "is being restored, adopted or removed") {
                _ = try await ending { try await onThread { try stores.open("vault.sqlite") } }
            }
        }
        _ = try await onThread { try stores.open("vault.sqlite") }
        try await stores.closeAll()
    }

    @Test func `an opening does not need the actor of a request, which may be blocked by another one`() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Vault(directory.path("files"), keys: .numbered(1)))
        stores.lendingLimits.openStores = 1
        let lease = try await stores.lease("vault_0.sqlite")
        let bound = Bound()
        let waiting = Task { try await bound.borrow("vault_1.sqlite", from: stores) }
        try await eventually { stores.statistics.waiting == 1 }
        let opened = try await ending {
            try await withCheckedThrowingContinuation { continuation in
                bound.executor.queue.async {
                    lease.end()
                    while stores.statistics.waiting > 0 { usleep(1_000) }
                    continuation.resume(with: Result { try stores.open("vault_1.sqlite") })
                }
            }
        }
        #expect(try await waiting.value === opened)
        try await stores.closeAll()
    }

    /// Its keys come from another store of the registry, which is at its limit, or from itself, which is an error.
    @Test(arguments: ["vault_keys.sqlite", "vault_a.sqlite"])
    func `the work's own requests do not wait for the limit`(source: String) async throws {
        let directory = try TemporaryDirectory()
        let keeper = Keeper(directory: directory, source: Locked(nil))
        let stores = try Stores(keeper)
        keeper.source.withLock { $0 = (stores, "vault_keys.sqlite") }
        stores.lendingLimits.openStores = 1
        try await stores.withStore("vault_a.sqlite") { store in
            _ = try await store.backup(to: directory.path("backup.sqlite"))
        }
        keeper.source.withLock { $0 = (stores, source) }
        let lease = try await stores.lease("vault_other.sqlite")
        let restored: @Sendable () async throws -> BackupReport = { [path = directory.path("backup.sqlite")] in
            try await ending { try await stores.restore("vault_a.sqlite", from: path) }
        }
        if source == "vault_keys.sqlite" {
            #expect(try await restored().rows == 0)
        } else {
            try await expectFailure(.nestedAccess) { _ = try await restored() }
        }
        lease.end()
        keeper.source.withLock { $0 = nil }
        try await stores.closeAll()
    }

    /// Takes the keys of its vaults from a store.
    private struct Keeper: Configuration {
        static let target = "vault"

        let directory: TemporaryDirectory
        let source: Locked<(Stores, String)?>

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) async throws -> KeyChain {
            if database.fileName == "vault_a.sqlite", let (stores, name) = source.withLock({ $0 }) {
                try await stores.withStore(name) { _ in }
            }
            return try KeyChain(.numbered(1))
        }
    }

    @Test func `a lent database is restored while others are used, and then lent again`() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("files"), keys: .numbered(1))
        let (stores, backup) = (try Stores(vault), directory.path("backup.sqlite"))
        func lines() async throws -> [String] {
            try await stores.withStore("vault.sqlite") { store in try await store.lines() }
        }
        func add(_ text: String) async throws {
            try await stores.withStore("vault.sqlite") { store in
                try await store.write { db in try db.execute("INSERT INTO line VALUES (\(text))") }
            }
        }
        try await add("a")
        _ = try await stores.withStore("vault.sqlite") { store in try await store.backup(to: backup) }
        try await add("b")
        let (isCopying, mayGoOn) = (Moment(), Moment())
        let restoring = Task {
            try await stores.restore("vault.sqlite", from: backup) { _ in
                isCopying.come()
                try? mayGoOn.block()
            }
        }
        try await isCopying.wait()
        let waiting = Task { try await lines() }
        let opening = Task { try await stores.open("vault.sqlite") }
        try await expectFailure(.timedOut) {
            try await stores.withStore("vault.sqlite", timeout: .milliseconds(1)) { _ in }
        }
        try await eventually { stores.statistics.waiting == 2 }
        mayGoOn.come()
        _ = try await restoring.value
        #expect(try await waiting.value == ["a"])
        #expect(try await !opening.value.pool.isClosing)
        try await stores.closeAll()
    }
}
