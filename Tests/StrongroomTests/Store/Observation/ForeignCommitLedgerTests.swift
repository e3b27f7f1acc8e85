import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

/// Each process counts its commits in a row of its own and observes all rows. What an observer is told of a process
/// never goes back, and the last value that it is told is what was committed.
@Suite("Commits of several processes against what their observers are told", .timeLimit(.minutes(60)))
struct ForeignCommitLedgerTests {
    /// The commits of each process; `STRONGROOM_LONG` asks for the long proof, of 100,000.
    private static var commits: Int {
        ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == nil ? 100 : 25_000
    }

    private static let ledger = Migrator {
        Migration("1") { db in
            try db.execute("CREATE TABLE ledger (process INTEGER PRIMARY KEY, number INTEGER NOT NULL)")
            for process in 0..<5 { try db.execute("INSERT INTO ledger VALUES (\(process), 0)") }
        }
    }

    private static func vault(_ root: String, _ keys: Key...) -> Vault {
        // Bounded, but no process is to give up because the machine is slow.
        let settings = StoreSettings(
            readers: 2, busyTimeout: .seconds(120), openTimeout: .seconds(120), rotation: .manual)
        return Vault(root) { _ in try KeyChain(keys) }.with(\.settings, settings).with(\.migrator, ledger)
    }

    private static func numbers(_ db: borrowing ReadTransaction) throws -> [Int] {
        try db.values("SELECT number FROM ledger ORDER BY process", as: Int.self)
    }

    private static func count(_ process: Int, in store: Store) async throws {
        try await store.write { db in
            try db.execute("UPDATE ledger SET number = number + 1 WHERE process = \(process)")
        }
    }

    /// Observes until a process, or each of them, has committed all that it will.
    private static func observe(
        _ store: Store, _ process: Int? = nil, half: @Sendable () async throws -> Void = {}
    ) async throws {
        var last = [0, 0, 0, 0, 0]
        var isHalfDone = false
        for try await numbers in store.values(numbers) {
            #expect(zip(numbers, last).allSatisfy { $0 >= $1 })
            last = numbers
            if !isHalfDone, numbers[0] > commits / 2 {
                isHalfDone = true
                try await half()
            }
            if process.map({ numbers[$0] == commits }) ?? (numbers == [commits, commits, commits, commits, 3]) {
                return
            }
        }
        Issue.record("ended at \(last)")
    }

    private static func work(_ process: Int, in root: String) async throws {
        let store = try await vault(root, .numbered(1), .numbered(2)).open()
        async let observer: Void = observe(store, process)
        for _ in 0..<commits { try await count(process, in: store) }
        try await observer
        try await store.close()
    }

    @Test func theLastValuesAreNeverStaleAndTheOrderIsKept() async throws {
        let directory = try TemporaryDirectory()
        let root = directory.path("files")
        try await Self.vault(root, .numbered(1)).keep()
        let store = try await Self.vault(root, .numbered(1), .numbered(2)).open()
        // On the store's own threads: waiting for processes blocks Swift's.
        let observer = Task(executorPreference: store.executor) {
            // Rotates the file in the middle of it, while the others have it open.
            try await Self.observe(store) { try await store.rotate() }
        }
        let writer = Task(executorPreference: store.executor) {
            for _ in 0..<Self.commits { try await Self.count(0, in: store) }
        }
        await withTaskGroup(of: Void.self) { group in
            for process in 1..<4 {
                group.addTask {
                    _ = await #expect(processExitsWith: .success) { [root = root as String, process = process as Int] in
                        try await Self.work(process, in: root)
                    }
                }
            }
            // Commits three times, and is killed in the middle of the fourth.
            group.addTask {
                _ = await #expect(processExitsWith: .signal(SIGKILL)) { [root = root as String] in
                    let store = try await Self.vault(root, .numbered(1), .numbered(2)).open()
                    for _ in 0..<3 { try await Self.count(4, in: store) }
                    try await store.write { db in
                        try db.execute("UPDATE ledger SET number = 1000000 WHERE process = 4")
                        kill(getpid(), SIGKILL)
                    }
                }
            }
        }
        try await writer.value
        try await ending { try await observer.value }
        #expect(store.statistics.foreignChanges > 0)
        try await store.close()
    }
}
