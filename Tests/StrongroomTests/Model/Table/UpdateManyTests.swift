import Strongroom
import StrongroomTesting
import Testing

/// A list does to the rows what its records do one after the other, and leaves nothing of one that fails.
struct UpdateManyTests {
    /// Longer than a list that is written as one record is.
    private static let count: Int64 = 40

    @Test(arguments: Kind.allCases, Change.allCases)
    func aListDoesWhatItsRecordsDo(_ kind: Kind, _ change: Change) async throws {
        let store = try await TemporaryStore().store
        for door in Door.allCases {
            let alone = try await Self.outcome(kind, change, in: store) { records, db in
                try db.savepoint { db in
                    for record in records { try door.write(record, in: db) }
                }
            }
            let together = try await Self.outcome(kind, change, in: store) { records, db in
                try door.write(records, in: db)
            }
            #expect(together == alone, "\(door)")
            #expect(!together.rows.isEmpty)
        }
    }

    @Test(arguments: Change.allCases)
    func recordsThatCouldNotBeSavedStayAsTheyWere(_ change: Change) async throws {
        let store = try await TemporaryStore().store
        try await Self.makeTables(.plain, in: store)
        try await store.write { db throws in
            var records = [Item(id: nil, owner: 1, name: "new", note: nil)] + change.records
            let before = records
            do {
                try Item.save(contentsOf: &records, in: db)
                #expect(records.first?.id == 2 * Self.count + 1)
                #expect(change.isSound)
            } catch let error as StrongroomError where error.code == .constraint {
                #expect(records == before)
                #expect(!change.isSound)
                #expect(try Item.count(in: db) == 2 * Int(Self.count))
            }
        }
    }

    // MARK: What is compared

    private struct Outcome: Equatable {
        var rows: [[SQLValue]]
        var log: [[SQLValue]]
        var error: String?
        var constraint: ConstraintFailure?
    }

    private static func outcome(
        _ kind: Kind, _ change: Change, in store: Store,
        _ write: @escaping @Sendable ([Item], borrowing WriteTransaction) throws -> Void
    ) async throws -> Outcome {
        try await makeTables(kind, in: store)
        var failure: StrongroomError?
        do {
            failure = try await store.write { db throws in
                do {
                    try write(change.records, db)
                    return nil
                } catch let error as StrongroomError where error.code == .constraint {
                    // What the transaction does besides is kept.
                    try db.execute("INSERT INTO log VALUES ('failed')")
                    return error
                }
            }
        } catch let error as StrongroomError {
            failure = error
        }
        return try await store.read { [failure] db throws in
            Outcome(
                rows: try rows("SELECT id, owner, name, note FROM item ORDER BY id", in: db),
                log: try rows("SELECT * FROM log", in: db), error: failure?.code.description,
                constraint: failure?.constraint)
        }
    }

    private static func rows(_ sql: SQL, in db: borrowing some Reading & ~Copyable) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try db.forEachRow(sql) { row in rows.append(try (0..<row.count).map { try row.value(at: $0) }) }
        return rows
    }

    private static func makeTables(_ kind: Kind, in store: Store) async throws {
        try await store.write { db throws in
            for table in ["tag", "item", "owner", "log"] { try db.execute("DROP TABLE IF EXISTS \(name: table)") }
            try db.execute("CREATE TABLE owner (id INTEGER PRIMARY KEY)")
            try db.execute("CREATE TABLE log (text TEXT)")
            for statement in kind.statements { try db.execute(SQL(stringLiteral: statement)) }
            for id in 1...3 { try db.execute("INSERT INTO owner VALUES (\(id))") }
            for id in 1...2 * count {
                try db.execute("INSERT INTO item VALUES (\(id), \(1 + id % 2), \("name \(id)"), \("note \(id)"))")
            }
            if kind == .cascading { try db.execute("INSERT INTO tag SELECT name FROM item") }
        }
    }
}

extension UpdateManyTests {
    @Table("item")
    struct Item: Equatable {
        @Column(primaryKey: true) var id: Int64?
        @Column(references: Reference("owner")) var owner: Int64?
        @Column(unique: true) var name: String?
        var note: String?
    }

    /// How the table is made.
    enum Kind: String, CaseIterable {
        case plain, replacing, ignoring, failing, rollingBack, filling, deferred, logging, refusing, cascading

        var statements: [String] {
            let reference = "owner INTEGER REFERENCES owner (id)"
            return switch self {
            case .plain: [table(reference, "name TEXT UNIQUE NOT NULL")]
            case .replacing: [table(reference, "name TEXT UNIQUE ON CONFLICT REPLACE NOT NULL")]
            case .ignoring: [table(reference, "name TEXT UNIQUE ON CONFLICT IGNORE NOT NULL ON CONFLICT IGNORE")]
            case .failing: [table(reference, "name TEXT UNIQUE ON CONFLICT FAIL NOT NULL")]
            case .rollingBack: [table(reference, "name TEXT UNIQUE ON CONFLICT ROLLBACK NOT NULL")]
            case .filling: [table(reference, "name TEXT UNIQUE NOT NULL ON CONFLICT REPLACE DEFAULT 'unnamed'")]
            case .deferred:
                [table("\(reference) DEFERRABLE INITIALLY DEFERRED", "name TEXT UNIQUE COLLATE NOCASE NOT NULL")]
            case .logging:
                [
                    table(reference, "name TEXT UNIQUE NOT NULL"),
                    """
                    CREATE TRIGGER moved AFTER UPDATE OF owner ON item
                    BEGIN INSERT INTO log VALUES (old.id || ' to ' || coalesce(new.owner, 'nobody')); END
                    """,
                ]
            case .refusing:
                [
                    table(reference, "name TEXT UNIQUE NOT NULL"),
                    """
                    CREATE TEMP TRIGGER refused BEFORE UPDATE ON item WHEN new.note = 'refused'
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """,
                ]
            case .cascading:
                [
                    table("owner INTEGER REFERENCES owner (id) ON UPDATE CASCADE", "name TEXT UNIQUE NOT NULL"),
                    "CREATE TABLE tag (item TEXT REFERENCES item (name) ON UPDATE CASCADE)",
                    """
                    CREATE TRIGGER tagged AFTER UPDATE ON tag
                    BEGIN INSERT INTO log VALUES (old.item || ' to ' || new.item); END
                    """,
                ]
            }
        }

        private func table(_ owner: String, _ name: String) -> String {
            "CREATE TABLE item (id INTEGER PRIMARY KEY, \(owner), \(name), note TEXT CHECK (note <> 'bad'))"
        }
    }

    /// What the list is to change.
    enum Change: String, CaseIterable {
        case notes, owners, noOwners, sparse, sameName, noName, badNote, missingOwner, refusedNote, takenNames, newNames

        var isSound: Bool {
            switch self {
            case .notes, .owners, .noOwners, .sparse, .refusedNote, .newNames: true
            case .sameName, .noName, .badNote, .missingOwner, .takenNames: false
            }
        }

        var records: [Item] {
            var records = (1...count).map { id in
                Item(id: id, owner: 1 + id % 2, name: "name \(id)", note: "changed \(id)")
            }
            for index in records.indices where index % 3 == 2 {
                switch self {
                case .notes: break
                case .owners: records[index].owner = 3
                case .noOwners: records[index].owner = nil
                case .sparse: (records[index].owner, records[index].note) = (nil, nil)
                case .sameName: if index > 30 { records[index].name = "name 60" }
                case .noName: if index > 30 { records[index].name = nil }
                case .badNote: if index > 30 { records[index].note = "bad" }
                case .missingOwner: if index > 30 { records[index].owner = 99 }
                case .refusedNote: if index > 30 { records[index].note = "refused" }
                case .takenNames: if index > 30 { records[index].name = "name \(index)" }
                case .newNames: records[index].name = "new \(index)"
                }
            }
            return records
        }
    }

    /// The ways to update rows.
    enum Door: CaseIterable {
        case update, upsert, upsertKeeping, upsertByName, upsertSome, save

        func write(_ record: Item, in db: borrowing some Writing & ~Copyable) throws {
            var record = record
            switch self {
            case .update: try Item.update(record, in: db)
            case .upsert: try Item.upsert(record, in: db)
            case .upsertKeeping: try Item.upsert(record, .key(nils: .keep), in: db)
            case .upsertByName: try Item.upsert(record, .by(\.name), in: db)
            case .upsertSome: try Item.upsert(record, .by(\.id, only: { [$0.owner, $0.note] }), in: db)
            case .save: try Item.save(&record, in: db)
            }
        }

        func write(_ records: [Item], in db: borrowing some Writing & ~Copyable) throws {
            var records = records
            switch self {
            case .update: try Item.update(contentsOf: records, in: db)
            case .upsert: try Item.upsert(contentsOf: records, in: db)
            case .upsertKeeping: try Item.upsert(contentsOf: records, .key(nils: .keep), in: db)
            case .upsertByName: try Item.upsert(contentsOf: records, .by(\.name), in: db)
            case .upsertSome: try Item.upsert(contentsOf: records, .by(\.id, only: { [$0.owner, $0.note] }), in: db)
            case .save: try Item.save(contentsOf: &records, in: db)
            }
        }
    }
}
