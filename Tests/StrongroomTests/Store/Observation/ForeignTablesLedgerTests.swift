import Foundation
import StrongroomTesting
import Testing

// Internal: an observer's news; a connection without records, as other programs have; where a commit is killed.
@testable import Strongroom

/// Processes commit at random to tables that count their commits. Each of them compares, in each of its writes, what
/// others have committed with what its observers were told: nothing may be missing, whatever happened in between.
@Suite("The tables that processes write at random, against a ledger", .timeLimit(.minutes(60)))
struct ForeignTablesLedgerTests {
    /// The commits of each process; `STRONGROOM_LONG` asks for the long proof.
    private static var commits: Int {
        ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == nil ? 150 : 20_000
    }

    private static let tables = ["a", "b", "c", "d"]

    private static let ledger = Migrator {
        Migration("1") { db in
            for table in tables {
                try db.execute(SQL(verbatim: "CREATE TABLE \(table) (number INTEGER NOT NULL)"))
                try db.execute(SQL(verbatim: "INSERT INTO \(table) VALUES (0)"))
            }
            try db.execute("CREATE TABLE filler (content BLOB)")
        }
    }

    private static func vault(_ root: String) -> Vault {
        let settings = StoreSettings(readers: 2, busyTimeout: .seconds(120), openTimeout: .seconds(120))
        return Vault(root, keys: .numbered(1)).with(\.settings, settings).with(\.migrator, ledger)
    }

    private static func numbers(_ db: borrowing WriteTransaction) throws -> [Int] {
        var numbers: [Int] = []
        for table in tables {
            numbers.append(try db.value(SQL(verbatim: "SELECT number FROM \(table)"), as: Int.self) ?? -1)
        }
        return numbers
    }

    /// Which observers have been told of a change since the last call.
    private static func take(_ observers: [ChangeObserver]) -> [Bool] {
        let told = observers.map { $0.unfinishedRead != nil }
        for (table, observer) in zip(tables, observers) {
            observer.begin()
            observer.watch([table])
        }
        return told
    }

    /// One of the processes.
    private final class Worker {
        let store: Store
        let root: String
        var random: SeededGenerator
        /// The writes that found tables changed by others.
        private(set) var comparisons = 0
        private let observers: [ChangeObserver]
        private var last: [Int]?

        init(_ root: String, seed: UInt64) async throws {
            let store = try await vault(root).open()
            self.store = store
            self.root = root
            random = SeededGenerator(seed)
            observers = tables.map { table in ChangeObserver(store.pool.broadcaster, tables: [table]) { _ in } }
        }

        func step() async throws {
            let dice = Int.random(in: 0..<100, using: &random)
            switch dice {
            case 0..<4: try onOtherConnection("UPDATE \(table()) SET number = number + 1")
            case 4: try onOtherConnection("PRAGMA wal_checkpoint(TRUNCATE)")
            case 5: _ = try await store.checkpoint()
            case 6..<8: try await write(changing: [], filling: true)
            case 8: try await write(changing: [0], changesSchema: true)
            default: try await write(changing: Set((0..<Int.random(in: 0...2, using: &random)).map { _ in number() }))
            }
        }

        func close() async throws {
            try await store.close()
        }

        private func number() -> Int { Int.random(in: 0..<tables.count, using: &random) }
        private func table() -> String { tables[number()] }

        /// Looks at the beginning of the transaction, when nobody else can commit or look, and compares.
        private func write(changing numbers: Set<Int>, filling: Bool = false, changesSchema: Bool = false) async throws
        {
            var statements = numbers.map { "UPDATE \(tables[$0]) SET number = number + 1" }
            if filling { statements += ["INSERT INTO filler VALUES (zeroblob(500000))", "DELETE FROM filler"] }
            if changesSchema { statements += ["CREATE TABLE later (x)", "DROP TABLE later"] }
            let observers = observers
            let (told, present) = try await store.write(as: number() == 0 ? .immediate : .shared) { [statements] db in
                let told = take(observers)
                let present = try ForeignTablesLedgerTests.numbers(db)
                for statement in statements { try db.execute(SQL(verbatim: statement)) }
                return (told, present)
            }
            if let last { compare(present, last, told) }
            last = present.indices.map { present[$0] + (numbers.contains($0) ? 1 : 0) }
        }

        private func compare(_ present: [Int], _ last: [Int], _ told: [Bool]) {
            let changed = present.indices.filter { present[$0] != last[$0] }
            #expect(changed.allSatisfy { told[$0] }, "\(changed) have changed, told was \(told)")
            if !changed.isEmpty { comparisons += 1 }
        }

        /// On a connection that records nothing, as one of another program.
        private func onOtherConnection(_ statement: String) throws {
            let connection = try Connection(path: vault(root).path, mode: .existing, database: "a")
            defer { connection.close() }
            connection.setBusyTimeout(milliseconds: 120_000)
            let digits = String(repeating: "01", count: 32)
            try Array("x'\(digits)'".utf8).withUnsafeBytes { try connection.setKey($0) }
            _ = try connection.ownValue(statement)
        }
    }

    /// Kills the process when it publishes one of its commits, before or after the commit is recorded.
    private final class Killer: CommitRecorder {
        private let records: CommitRecords
        private let isRecording: Bool
        private var rest: Int

        init(_ records: CommitRecords, isRecording: Bool, after rest: Int) {
            (self.records, self.isRecording, self.rest) = (records, isRecording, rest)
        }

        func prepare(_ tables: Set<String>) { records.prepare(tables) }

        func record(_ tables: Set<String>, after position: LogPosition, to newPosition: LogPosition) {
            rest -= 1
            if rest > 0 || isRecording { records.record(tables, after: position, to: newPosition) }
            if rest == 0 { kill(getpid(), SIGKILL) }
        }
    }

    @Test func noChangeIsMissed() async throws {
        let directory = try TemporaryDirectory()
        let root = directory.path("files")
        try await Self.vault(root).keep()
        let seed = UInt64.random(in: 0...UInt64.max)
        let here = try await Worker(root, seed: seed)
        let haveEnded = Moment()
        let processes = Task {
            defer { haveEnded.come() }
            await withTaskGroup(of: Void.self) { group in
                for process in 1...2 {
                    group.addTask {
                        _ = await #expect(processExitsWith: .success, "\(seed)") {
                            [root = root as String, seed = (seed &+ UInt64(process)) as UInt64] in
                            let worker = try await Worker(root, seed: seed)
                            for _ in 0..<Self.commits { try await worker.step() }
                            try await worker.close()
                        }
                    }
                }
                group.addTask {
                    for round in 0..<6 {
                        await #expect(processExitsWith: .signal(SIGKILL), "\(seed)") {
                            [root = root as String, seed = (seed &+ 100) as UInt64, round = round as Int] in
                            let worker = try await Worker(root, seed: seed &+ UInt64(round))
                            try await worker.store.pool.perform(.ungroupedWrite) { [round] connection in
                                let records = try #require(connection.attachments[CommitRecords.self])
                                connection.watchCommits(
                                    Killer(records, isRecording: round % 2 == 0, after: 10 * (round + 1)))
                            }
                            while true { try await worker.step() }
                        }
                    }
                }
            }
        }
        while !haveEnded.isPast { try await here.step() }
        await processes.value
        // What was committed after the last step.
        for _ in 0..<20 { try await here.step() }
        #expect(here.comparisons > 0)
        try await here.close()
    }
}
