import ArgumentParser
import Strongroom
import TestData

/// A loop over rows in memory, with nothing measured: `Benchmarks/instructions` runs it under a counter of
/// instructions, twice, with different numbers of rounds, so that all that is not in the loop cancels out.
struct HotLoop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hot-loop", abstract: "Runs one loop over rows in memory.", shouldDisplay: false)

    /// What is done with each row.
    enum Work: String, CaseIterable, ExpressibleByArgument {
        case insert
        case insertMany = "insert-many"
        case update
        case upsert
        case fetch
        case cursor
        case point
        case query
        case rows
        /// Each row in a read of its own, from an encrypted file.
        case read
    }

    /// Ends a round that writes, so that the next one finds the same rows.
    private struct RolledBack: Error {}

    @Argument(help: "The loop.")
    var work: Work

    @Option(help: "The rows of a round.")
    var rows = 5_000

    @Option(help: "The rounds.")
    var rounds = 1

    func run() async throws {
        let samples = TestData.rows(count: rows)
        guard work != .read else { return try await readEach(samples) }
        let store = try await Store.inMemory(Entry.self, Account.self)
        let (new, accounts) = (samples.map(Entry.init), samples.map(Account.init))
        try await store.write { db in
            _ = try Entry.insert(contentsOf: new, in: db)
            // Half of them, which the upsert finds.
            _ = try Account.insert(contentsOf: Array(accounts.prefix(rows / 2)), in: db)
        }
        let entries = try await store.read { db in try Entry.order { $0.id.ascending }.fetch(in: db) }
        for _ in 0..<rounds {
            switch work {
            case .insert:
                try await undone(in: store) { db in for entry in new { try Entry.insert(entry, in: db) } }
            case .insertMany:
                try await undone(in: store) { db in _ = try Entry.insert(contentsOf: new, in: db) }
            case .update:
                try await undone(in: store) { db in for entry in entries { try Entry.update(entry, in: db) } }
            case .upsert:
                try await undone(in: store) { db in
                    for account in accounts { try Account.upsert(account, .by(\.email), in: db) }
                }
            case .fetch, .cursor, .point, .query, .rows, .read:
                let found = try await store.read { db in try read(db) }
                try Summary(rows: Int64(found)).check(Summary(rows: Int64(rows)))
            }
        }
        try await store.close()
    }

    /// Reads each row in a transaction of its own.
    private func readEach(_ samples: [Sample]) async throws {
        let workplace = try Workplace(grdb: nil)
        let store = try await workplace.makeFile(of: Entry.self, samples).open()
        let keys = Array(1...Int64(rows))
        for _ in 0..<rounds {
            let found = try await Group.onThread { try Group.readEachBlocking(keys, store) }
            try Summary(rows: found.rows).check(Summary(rows: Int64(rows)))
        }
        try await workplace.remove()
    }

    private func undone(
        in store: Store, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) async throws {
        do {
            try await store.write { db in
                try body(db)
                throw RolledBack()
            }
        } catch is RolledBack {}
    }

    /// - Returns: The number of rows.
    private func read(_ db: borrowing ReadTransaction) throws -> Int {
        let keys = 1...Int64(rows)
        var found = 0
        switch work {
        case .cursor: try Entry.order { $0.id.ascending }.forEach(in: db) { _ in found += 1 }
        case .point: for key in keys where try Entry.find(key, in: db) != nil { found += 1 }
        case .query: for key in keys { found += try Entry.where { $0.id == key }.fetch(in: db).count }
        case .rows:
            try db.forEachRow("SELECT id, name FROM entry ORDER BY id") { row in
                let (_, _): (Int64, String) = (try row[0], try row[1])
                found += 1
            }
        default: found = try Entry.order { $0.id.ascending }.fetch(in: db).count
        }
        return found
    }
}
