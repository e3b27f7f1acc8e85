import StrongroomTesting
import Testing

// Internal: the lock between processes, which another process would ask for.
@testable import Strongroom

/// A rotation that waits for a slow reader keeps nobody else waiting.
@Suite("Rotation with concurrent readers", .ending)
struct RotationBesideReadersTests {
    private let directory: TemporaryDirectory
    private let numbers = Locked<[UInt8]>([1])
    private let vault: Vault

    init() async throws {
        directory = try TemporaryDirectory()
        var vault = Vault(directory.path("")) { [numbers] _ in
            try KeyChain(numbers.withLock { $0.map(Key.numbered) })
        }
        vault.settings.openTimeout = .seconds(Patience.seconds)
        self.vault = vault
        try await vault.keep("first")
    }

    /// A store whose chain gets a key when it is open.
    private func open() async throws -> Store {
        let store = try await vault.open()
        numbers.withLock { $0.append(2) }
        return store
    }

    /// Reads until it is told to end.
    private func slowReader(_ store: Store, until end: Moment) async throws -> Task<Void, any Error> {
        let hasBegun = Moment()
        let reader = Task {
            try await store.read { _ in
                hasBegun.come()
                try end.block()
            }
        }
        try await hasBegun.wait()
        return reader
    }

    private func count(_ store: Store) async throws -> Int? {
        try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
    }

    @Test func behindASlowReaderOthersReadAndWriteAndOtherProcessesOpenTheFile() async throws {
        let store = try await open()
        let end = Moment()
        let reader = try await slowReader(store, until: end)
        let before = store.statistics.waits
        let rotation = Task { try await store.rotate() }
        try await eventually { store.statistics.waits > before }
        for _ in 0..<200 { _ = try await count(store) }
        #expect(store.statistics.waits == before + 1, "the rotation alone waits")
        for _ in 0..<10 { try await store.write { db in try db.execute("INSERT INTO line VALUES ('more')") } }
        let isFree = if try FileLock.tryAcquire(vault.beside("lock")) != nil { true } else { false }
        #expect(isFree, "another process could open the file")
        end.come()
        try await reader.value
        #expect(try await rotation.value.isRotated)
        #expect(try await count(store) == 11)
        try await store.close()
    }

    @Test func readersWhoFollowEachOtherForEverDoNotKeepItFromItsTurn() async throws {
        let store = try await open()
        let isDone = Locked(false)
        let rotation = Task {
            defer { isDone.withLock { $0 = true } }
            return try await store.rotate()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while !isDone.withLock({ $0 }) { _ = try await count(store) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await rotation.value.isRotated)
        try await store.close()
    }

    @Test func whileAnotherProcessHasTheFilesLockOthersRead() async throws {
        let store = try await open()
        guard let lock = try FileLock.tryAcquire(vault.beside("lock")) else {
            Issue.record("nobody else should have it")
            return
        }
        let rotation = Task { try await store.rotate() }
        for _ in 0..<100 { _ = try await count(store) }
        lock.release()
        #expect(try await rotation.value.isRotated)
        try await store.close()
    }

    @Test func aRotationThatIsCancelledWhileItWaitsBlocksNoOperation() async throws {
        let store = try await open()
        let end = Moment()
        let reader = try await slowReader(store, until: end)
        let before = store.statistics.waits
        let rotation = Task { try await store.rotate() }
        try await eventually { store.statistics.waits > before }
        rotation.cancel()
        await #expect(throws: CancellationError.self) { try await rotation.value }
        #expect(try await count(store) == 1)
        end.come()
        try await reader.value
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('after')") }
        #expect(try await store.rotate().isRotated)
        #expect(try await count(store) == 2)
        try await store.close()
    }
}
