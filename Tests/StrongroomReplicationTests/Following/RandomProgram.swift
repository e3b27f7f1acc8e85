import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// A program of random steps on a database with a replica in an object store that fails, beside a model of what the
/// database has after each commit.
///
/// Each commit writes a number of its own, so that a restored state tells which commit it is of.
struct RandomProgram {
    /// What the database has after a commit.
    struct Content: Equatable {
        var commit: Int64
        /// The lengths of the lines, by their numbers.
        var lines: [Int64: Int] = [:]
        /// The columns of the table of lines.
        var columns = 2
    }

    private let seed: UInt64
    private let chance: Locked<SeededGenerator>
    private let objects = MemoryObjectStore()
    private let replica: Replica
    private var clinic: Clinic
    private var store: Store
    /// The content after each commit.
    private var ledger: [Int64: Content] = [:]
    private var current = Content(commit: 0)
    private var lastCommit: Int64 = 0
    private var lastLine: Int64 = 0
    /// The commits that the present state has come from, in order; the replica has those up to `confirmed`.
    private var branch: [Int64] = [0]
    private var confirmed: Int64 = 0
    /// Commits of one of which the replica has the state until that of an older one, which was restored, is shipped.
    private var former: [Int64] = []
    /// Commits of which it is known after which change they came, and when they were made.
    private var points: [(change: UInt64, commit: Int64, date: Date)] = []
    /// The latest moment of which older states were removed.
    private var keptSince = Date.distantPast

    init(seed: UInt64) async throws {
        self.seed = seed
        chance = Locked(SeededGenerator(seed))
        var replica = Replica(in: objects, interval: .milliseconds(1), closingTimeout: .milliseconds(300))
        replica.leastChanges = 30_000
        self.replica = replica
        clinic = try Clinic(replica)
        clinic.settings.rotation = .manual
        if seed.isMultiple(of: 3) { clinic.protection = .envelope }
        store = try await clinic.open()
        try await store.write { db in
            try db.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, filling BLOB)")
            try db.execute("CREATE TABLE mark (number INTEGER)")
            try db.execute("INSERT INTO mark VALUES (0)")
        }
        ledger[0] = current
        try await confirm()
    }

    private func random(_ range: Range<Int>) -> Int { chance.withLock { Int.random(in: range, using: &$0) } }

    // MARK: Steps

    mutating func run(steps: Int) async throws {
        for _ in 0..<steps {
            switch random(0..<24) {
            case 0: try await reopen()
            case 1, 2: fail()
            case 3: objects.onCreate { _ in .none }
            case 4: try await store.vacuum()
            case 5: try await store.checkpoint()
            case 6: try await rotate()
            case 7: try await migrate()
            case 8: try await writeWithoutReplica()
            case 9: try await prune()
            case 10: try await takeOver()
            case 11: try await restore()
            case 12, 13: try await confirm()
            default: for _ in 0..<random(1..<12) { try await write() }
            }
        }
        try await confirm()
        try await store.close()
        try await check()
    }

    private func fail() {
        objects.onCreate { [chance] _ in
            switch chance.withLock({ Int.random(in: 0..<4, using: &$0) }) {
            case 0: .refused
            case 1: .lostAnswer
            default: .none
            }
        }
    }

    /// Commits what a function makes of the present content.
    private mutating func commit(
        _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void, _ content: Content
    ) async throws {
        lastCommit += 1
        var content = content
        content.commit = lastCommit
        try await store.write { [lastCommit] db in
            try body(db)
            try db.execute("UPDATE mark SET number = \(lastCommit)")
        }
        current = content
        ledger[lastCommit] = content
        branch.append(lastCommit)
    }

    /// Adds a line, and rewrites or removes another one.
    private mutating func write() async throws {
        var content = current
        lastLine += 1
        let (line, size) = (lastLine, random(0..<6_000))
        content.lines[line] = size
        let other = content.lines.keys.sorted()[random(0..<content.lines.count)]
        let otherSize = random(0..<4) == 0 ? nil : random(0..<6_000)
        content.lines[other] = otherSize
        try await commit(
            { db in
                try db.execute("INSERT INTO line (id, filling) VALUES (\(line), zeroblob(\(size)))")
                if let otherSize {
                    try db.execute("UPDATE line SET filling = zeroblob(\(otherSize)) WHERE id = \(other)")
                } else {
                    try db.execute("DELETE FROM line WHERE id = \(other)")
                }
            }, content)
    }

    private mutating func migrate() async throws {
        var content = current
        content.columns += 1
        let name = "added\(content.columns)"
        try await commit({ db in try db.execute("ALTER TABLE line ADD COLUMN \(name: name) TEXT") }, content)
    }

    private mutating func reopen() async throws {
        try await store.close()
        store = try await Stores(clinic).open(Clinic.file)
    }

    private mutating func rotate() async throws {
        clinic.keys.append(.raw(Clinic.key(UInt8(clinic.keys.count + 1))))
        try await reopen()
        try await store.rotate()
    }

    private mutating func writeWithoutReplica() async throws {
        try await store.close()
        clinic.replica = nil
        store = try await Stores(clinic).open(Clinic.file)
        try await write()
        try await store.close()
        clinic.replica = replica
        store = try await Stores(clinic).open(Clinic.file)
    }

    /// Commits, waits for the replica, and records which change has the commit.
    private mutating func confirm() async throws {
        objects.onCreate { _ in .none }
        let date = Date() - 0.002
        try await write()
        try await store.replication?.waitUntilShipped()
        let change = try #require(store.replication?.status.change)
        points.append((change, current.commit, date))
        (confirmed, former) = (current.commit, [])
    }

    private mutating func prune() async throws {
        let moment = random(0..<3) > 0 ? Date() : points[random(0..<points.count)].date
        try await replica.prune(DatabaseName(Clinic.file), keepingSince: moment)
        keptSince = max(keptSince, moment)
    }

    /// Another host takes over; what this one has shipped is there, and what it ships no more is lost.
    private mutating func takeOver() async throws {
        var other = try Clinic(replica)
        (other.keys, other.protection, other.settings) = (clinic.keys, clinic.protection, clinic.settings)
        let successor: Store
        do {
            successor = try await Stores(other).takeOver(Clinic.file)
        } catch {
            // The object store fails; the next attempt has the restored file.
            objects.onCreate { _ in .none }
            successor = try await Stores(other).takeOver(Clinic.file)
        }
        objects.onCreate { _ in .none }
        if random(0..<2) == 0 { _ = try? await store.add(1...1, "Lost") }
        await #expect(throws: StrongroomError.self, "seed \(seed): the former host goes on") {
            try await store.write { db in try db.execute("INSERT OR REPLACE INTO patient VALUES (2, 'Lost')") }
            try await store.replication?.waitUntilShipped()
        }
        try? await store.close()
        (clinic, store) = (other, successor)
        try await goOn(fromNewest: Self.content(of: store), "taken over")
    }

    /// Restores the newest state, or that of any change.
    private mutating func restore() async throws {
        let (first, newest) = (Int(points.first?.change ?? 1), Int(points.last?.change ?? 1))
        let change = UInt64(random(first..<newest + 1))
        let isNewest = random(0..<2) == 0
        try await store.close()
        do {
            try await Stores(clinic).restore(Clinic.file, to: isNewest ? .newest : .change(change))
        } catch let error as StrongroomError where error.code == .replicaMissing || error.code == .replicaIncomplete {
            // It was removed, or there was no base yet.
            #expect(!isNewest, "seed \(seed)")
            store = try await Stores(clinic).open(Clinic.file)
            return
        }
        store = try await Stores(clinic).open(Clinic.file)
        let content = try await Self.content(of: store)
        guard !isNewest else { return try await goOn(fromNewest: content, "restored") }
        let found = try #require(content, "seed \(seed)")
        #expect(ledger[found.commit] == found, "seed \(seed): restored change \(change)")
        former += branch.drop { $0 != confirmed }
        (branch, confirmed, current) = ([found.commit], found.commit, found)
    }

    /// The database has the newest state of the replica now: one of the model, with everything that was confirmed.
    private mutating func goOn(fromNewest content: Content?, _ what: String) async throws {
        let found = try #require(content, "seed \(seed)")
        #expect(ledger[found.commit] == found, "seed \(seed): \(what)")
        let possible = former + branch.drop { $0 != confirmed }
        #expect(possible.contains(found.commit), "seed \(seed): \(what), \(found.commit) is none of \(possible)")
        (branch, confirmed, former, current) = ([found.commit], found.commit, [], found)
    }

    // MARK: Checks

    /// Each state that is restored is one of the model; those of which the change is known, and that were kept, are
    /// there.
    private func check() async throws {
        let newest = try #require(points.last?.change)
        #expect(try await restored(to: .newest) == current, "seed \(seed): the newest state")
        for point in points.suffix(8) {
            do {
                let content = try await restored(to: .change(point.change))
                #expect(content == ledger[point.commit], "seed \(seed): change \(point.change)")
            } catch let error as StrongroomError where error.code == .replicaMissing {
                #expect(point.date < keptSince, "seed \(seed): change \(point.change) was removed")
            }
        }
        for _ in 0..<6 {
            let change = UInt64(random(1..<Int(newest) + 1))
            do {
                guard let content = try await restored(to: .change(change)) else { continue }
                #expect(content == ledger[content.commit], "seed \(seed): change \(change)")
            } catch let error as StrongroomError where error.code == .replicaMissing {
                #expect(change < newest)
            }
        }
        #expect(
            try await replica.inspect(DatabaseName(Clinic.file), verifying: true).findings.isEmpty, "seed \(seed)")
    }

    private func restored(to point: RestorePoint) async throws -> Content? {
        var other = try Clinic()
        (other.keys, other.protection, other.settings) = (clinic.keys, clinic.protection, clinic.settings)
        let stores = try Stores(other)
        try await stores.restore(Clinic.file, from: replica, to: point)
        let store = try await stores.open(Clinic.file)
        let content = try await Self.content(of: store)
        try await store.close()
        return content
    }

    /// Nil before the first commit of the program.
    private static func content(of store: Store) async throws -> Content? {
        try await store.read { db in
            guard try db.dictionary("SELECT 1 AS one FROM sqlite_master WHERE name = 'mark'") != nil,
                let commit = try db.value("SELECT number FROM mark", as: Int64.self)
            else { return nil }
            var content = Content(commit: commit)
            for row in try db.dictionaries("SELECT id, length(filling) AS size FROM line") {
                guard case .integer(let id)? = row["id"], case .integer(let size)? = row["size"] else { continue }
                content.lines[id] = Int(size)
            }
            content.columns = try db.dictionaries("PRAGMA table_info(line)").count
            return content
        }
    }
}
