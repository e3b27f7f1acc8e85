import Foundation
import StrongroomTesting
import Testing

// Internal: waiting for a connection can be seen in the statistics only.
@testable import Strongroom

@Suite("What an observer is told of operations", .ending)
struct OperationObserverTests {
    private final class Observer: OperationObserver {
        let began = Locked<[StartedOperation]>([])
        let ended = Locked<[FinishedOperation]>([])

        func operationBegan(_ operation: StartedOperation) -> (any Sendable)? {
            began.withLock { began in
                began.append(operation)
                return began.count
            }
        }

        func operationEnded(_ operation: FinishedOperation) { ended.withLock { $0.append(operation) } }

        var all: [FinishedOperation] { ended.withLock { $0 } }
    }

    private let directory = TemporaryDirectory.ofSuite()
    private let stores: Stores
    private let observer = Observer()

    init() throws {
        stores = try Stores(Vault(directory.path(""), keys: .numbered(1)))
        stores.operationObservers = [observer]
    }

    @Test func `each operation is reported with its outcome, its label and its times`() async throws {
        let store = try await stores.open("vault_a.sqlite")
        try await store.write(label: "adding") { db in try db.execute("INSERT INTO line VALUES ('a')") }
        _ = try await store.read(label: "counting") { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
        try await store.write(as: .immediate) { db in try db.execute("INSERT INTO line VALUES ('b')") }
        await #expect(throws: StrongroomError.self) {
            try await store.write { db in try db.execute("INSERT INTO line VALUES (NULL)") }
        }
        await #expect(throws: Refusal.self) { try await store.read { _ in throw Refusal(number: 1) } }
        try await store.close()
        await #expect(throws: StrongroomError.self) { try await store.read { _ in } }
        let all = observer.all
        #expect(all.map(\.kind) == [.open, .write, .read, .ungroupedWrite, .write, .read, .read])
        #expect(all.map(\.outcome) == ["ok", "ok", "ok", "ok", "constraint", "failed", "closed"])
        #expect(all.map(\.label) == [nil, "adding", "counting", nil, nil, nil, nil])
        #expect(all.allSatisfy { $0.name.fileName == "vault_a.sqlite" && $0.wait <= $0.duration })
        #expect(all.last?.error != nil && all.first?.error == nil)
    }

    @Test func `streams, queued writes and requested rollbacks are reported`() async throws {
        let store = try await stores.open("vault_a.sqlite")
        try await store.write { db in
            try db.execute("INSERT INTO line VALUES ('a')")
            try db.rollBack()
        }
        try await onThread {
            try store.write { db in
                try db.execute("INSERT INTO line VALUES ('a')")
                try db.rollBack()
            }
        }
        _ = try await store.pool.holdReader(OperationLimits(label: "held"))
        let isDone = Moment()
        store.queueWrite(
            "queued", { db in try db.execute("INSERT INTO line VALUES ('b')") }, undone: {},
            finish: { _ in isDone.come() })
        try await isDone.wait()
        try await eventually { observer.all.contains { $0.label == "queued" } }
        let all = observer.all
        #expect(all.first { $0.label == "held" }?.kind == .read)
        #expect(all.allSatisfy { $0.outcome == "ok" })
        #expect(all.count { $0.kind == .write } == 3)
        try await store.close()
    }

    @Test func `the wait for a connection is counted, also for one that was never granted`() async throws {
        let store = try await stores.open("vault_a.sqlite")
        let canEnd = Moment()
        let holder = try await store.holdWriter(as: .immediate, until: canEnd)
        let late = await #expect(throws: StrongroomError.self) {
            try await store.write(label: "late", timeout: .milliseconds(20)) { _ in }
        }
        #expect(late?.code == .timedOut)
        let waiting = Task { try await store.write(label: "waiting") { _ in } }
        try await eventually { store.statistics.waits == 2 }
        await linger()
        canEnd.come()
        try await holder.value
        try await waiting.value
        let all = observer.all
        let timedOut = try #require(all.first { $0.label == "late" })
        #expect(timedOut.outcome == "timedOut" && timedOut.wait == timedOut.duration)
        let waited = try #require(all.first { $0.label == "waiting" })
        #expect(waited.wait > .zero && waited.outcome == "ok")
        try await store.close()
    }

    @Test func `an opening that fails is reported, and blocking calls are, too`() async throws {
        try Data("no database".utf8).write(to: URL(filePath: directory.path("vault_b.sqlite")))
        await #expect(throws: StrongroomError.self) { try await stores.open("vault_b.sqlite") }
        #expect(observer.all.map(\.kind) == [.open] && observer.all[0].outcome != "ok")
        let store = try await stores.open("vault_a.sqlite")
        try await onThread {
            try store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
            try store.read { _ in }
        }
        #expect(observer.all.map(\.kind) == [.open, .open, .write, .read])
        try await store.close()
    }

    private static let twoVersions = Migrator {
        Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
        Migration("2") { db in
            try db.execute("ALTER TABLE line ADD COLUMN note TEXT")
        } down: { db in
            try db.execute("ALTER TABLE line RENAME TO former")
            try db.execute("CREATE TABLE line (text TEXT NOT NULL)")
            try db.execute("DROP TABLE former")
        }
    }

    @Test func `what an opening rotates and migrates is reported as parts of it`() async throws {
        let vault = Vault(directory.path(""), keys: .numbered(1))
        try await vault.keep("a")
        let stores = try Stores(
            Vault(directory.path(""), keys: .numbered(1), .numbered(2)).with(\.migrator, Self.twoVersions))
        stores.operationObservers = [observer]
        let store = try await stores.open("vault.sqlite")
        #expect(observer.all.map(\.kind) == [.rotate, .migrate, .open])
        #expect(observer.all.map(\.outcome) == ["ok", "ok", "ok"])
        let began = observer.began.withLock { $0 }
        #expect(began.map(\.kind) == [.open, .rotate, .migrate])
        #expect(began.map { $0.outerContext as? Int } == [nil, 1, 1])
        #expect(observer.all.map { $0.context as? Int } == [2, 3, 1])
        #expect(zip(began, [2, 0, 1]).allSatisfy { $0.start == observer.all[$1].start })
        let opening = try #require(observer.all.last)
        #expect(observer.all.allSatisfy { $0.start >= opening.start && $0.duration <= opening.duration })
        try await store.close()
    }

    @Test(arguments: [KeyProtection.direct, .envelope])
    func `rotations and migrations on demand are each one operation, also those that fail`(
        protection: KeyProtection
    ) async throws {
        let keys = Locked([Key.numbered(1)])
        var vault = Vault(directory.path("")) { _ in try KeyChain(keys.withLock { $0 }) }
        vault.migrator = Self.twoVersions
        vault.protection = protection
        let stores = try Stores(vault)
        stores.operationObservers = [observer]
        let store = try await stores.open("vault.sqlite")
        keys.withLock { $0.append(.numbered(2)) }
        try await store.rotate()
        keys.withLock { $0 = [.plaintext] }
        await #expect(throws: StrongroomError.self) { try await store.rotate() }
        try await store.migrate(to: "1")
        await #expect(throws: StrongroomError.self) { try await store.migrate(to: "3") }
        #expect(observer.all.map(\.kind) == [.open, .rotate, .rotate, .migrate, .migrate])
        #expect(observer.all.map { $0.outcome == "ok" } == [true, true, false, true, false])
        #expect(observer.all.allSatisfy { $0.wait <= $0.duration })
        #expect(observer.all[1].wait < observer.all[1].duration && observer.all[3].wait < observer.all[3].duration)
        keys.withLock { $0 = [.numbered(2)] }
        try await store.close()
    }

    @Test func `several observers each get their own contexts`() async throws {
        let other = Observer()
        _ = other.operationBegan(
            StartedOperation(
                name: try DatabaseName("vault.sqlite"), kind: .read, label: nil, start: .now, outerContext: nil))
        stores.operationObservers = [observer, other]
        let store = try await stores.open("vault_a.sqlite")
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        #expect(observer.all.map { $0.context as? Int } == [1, 2])
        #expect(other.all.map { $0.context as? Int } == [2, 3])
        #expect(other.all.map(\.kind) == [.open, .write])
        try await store.close()
    }
}
