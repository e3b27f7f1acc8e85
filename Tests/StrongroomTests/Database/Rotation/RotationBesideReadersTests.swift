import StrongroomTesting
import Testing

// Internal: the lock between processes, which another process would ask for.
@testable import Strongroom

/// A rotation that waits for a slow reader keeps nobody else waiting.
@Suite("Rotation with concurrent readers", .ending)
struct RotationBesideReadersTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let numbers = Locked<[UInt8]>([1])
    private var vault: Vault {
        Vault(directory.path(""), numbers: numbers).with(\.settings.openTimeout, .seconds(Patience.seconds))
    }

    init() async throws { try await vault.keep("first") }

    /// A store whose chain gets a key when it is open.
    private func open() async throws -> Store {
        let store = try await vault.open()
        numbers.withLock { $0.append(2) }
        return store
    }

    @Test func behindASlowReaderOthersReadAndWriteAndOtherProcessesOpenTheFile() async throws {
        let store = try await open()
        let end = Moment()
        let reader = try await store.holdReader(until: end)
        let before = store.statistics.waits
        let rotation = Task { try await store.rotate() }
        try await eventually { store.statistics.waits > before }
        for _ in 0..<200 { _ = try await store.lineCount() }
        #expect(store.statistics.waits == before + 1, "the rotation alone waits")
        for _ in 0..<10 { try await store.write { db in try db.execute("INSERT INTO line VALUES ('more')") } }
        let isFree = if try FileLock.tryAcquire(vault.beside("lock")) != nil { true } else { false }
        #expect(isFree, "another process could open the file")
        end.come()
        try await reader.value
        #expect(try await rotation.value.isRotated)
        #expect(try await store.lineCount() == 11)
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
                    while !isDone.withLock({ $0 }) { _ = try await store.lineCount() }
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
        for _ in 0..<100 { _ = try await store.lineCount() }
        lock.release()
        #expect(try await rotation.value.isRotated)
        try await store.close()
    }

    @Test func aRotationThatIsCancelledWhileItWaitsBlocksNoOperation() async throws {
        let store = try await open()
        let end = Moment()
        let reader = try await store.holdReader(until: end)
        let before = store.statistics.waits
        let rotation = Task { try await store.rotate() }
        try await eventually { store.statistics.waits > before }
        rotation.cancel()
        await #expect(throws: CancellationError.self) { try await rotation.value }
        #expect(try await store.lineCount() == 1)
        end.come()
        try await reader.value
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('after')") }
        #expect(try await store.rotate().isRotated)
        #expect(try await store.lineCount() == 2)
        try await store.close()
    }
}
