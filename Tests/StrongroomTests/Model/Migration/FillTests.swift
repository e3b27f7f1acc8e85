import Strongroom
import StrongroomTesting
import Testing

@Suite("Values for a new column")
struct FillTests {
    private let vault = Vault(keys: .numbered(1))

    private static let count = 2_500

    /// Tables whose rows are found in different ways.
    static let tables: [SQL] = [
        "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        "CREATE TABLE item (id INTEGER, text TEXT NOT NULL)",
        "CREATE TABLE item (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE item (id, text, RowID, _rowid_)",
        "CREATE TABLE item (id, text, RowID, _rowid_, OID)",
    ]

    private func first(_ table: SQL) -> Migration {
        Migration("1") { db in
            try db.execute(table)
            for id in 1...Self.count {
                // With gaps, and on both sides of zero.
                let id = (id - 1_000) * 7
                try db.execute("INSERT INTO item (id, text) VALUES (\(id), \("item \(id)"))")
            }
        }
    }

    private func filling(_ value: SQL = "length(text) + 1") -> Migration {
        Migration("2") { db in
            try db.execute("ALTER TABLE item ADD COLUMN size INTEGER NOT NULL DEFAULT 0")
            try db.fill("size", of: "item", with: value)
            try db.execute("CREATE INDEX item_size ON item (size)")
        }
    }

    @Test(arguments: tables) func everyRowGetsItsValue(table: SQL) async throws {
        let first = first(table)
        try await vault.with(\.migrator, Migrator { first }).keep()
        let told = Locked<[WorkProgress]>([])
        let migrator = Migrator {
            first
            filling()
        }.reporting { progress in told.withLock { $0.append(progress) } }
        try await vault.with(\.migrator, migrator).using { store in
            let right = try await store.read { db in
                try db.value("SELECT count(*) FROM item WHERE size = length(text) + 1", as: Int.self)
            }
            #expect(right == Self.count)
        }
        let dones = told.withLock { $0 }.map(\.done)
        #expect(dones == dones.sorted())
        let last = told.withLock { $0.last }
        #expect(last?.done == last?.total)
        // How many slices there were is no difference.
        #expect(try await vault.with(\.migrator, migrator).keep().migration?.changed == [])
        let other = Migrator {
            first
            filling("length(text) + 2")
        }
        #expect(try await vault.with(\.migrator, other).keep().migration?.changed == ["2"])
    }

    @Test func rowIDsMayBeAsFarApartAsNumbersCan() async throws {
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, size)")
                try db.execute("INSERT INTO item (id) VALUES (\(Int64.min)), (0), (\(Int64.max))")
                try db.fill("size", of: "ITEM", with: "id / 2")
            }
        }
        try await vault.with(\.migrator, migrator).using { store in
            let sizes = try await store.read { db in
                var sizes: [Int64] = []
                try db.forEachRow("SELECT size FROM item ORDER BY id") { row in sizes.append(try row[0]) }
                return sizes
            }
            #expect(sizes == [Int64.min / 2, 0, Int64.max / 2])
        }
    }

    @Test func rowsThatATriggerAddsAreNotFilledForEver() async throws {
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, size)")
                try db.execute("INSERT INTO item (id) VALUES (1), (2)")
                try db.execute(
                    "CREATE TRIGGER more AFTER UPDATE ON item BEGIN INSERT INTO item (size) VALUES ('new'); END")
                try db.fill("size", of: "item", with: "1")
            }
        }
        try await vault.with(\.migrator, migrator).using { store in
            let count = try await store.read { db in try db.value("SELECT count(*) FROM item", as: Int.self) }
            #expect(count == 4)
        }
    }

    @Test(arguments: [("none", "size"), ("item", "none")]) func whatIsNotThereIsAnError(table: String, column: String)
        async throws
    {
        let migrator = Migrator {
            Migration("1") { db in
                try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, size)")
                try db.fill(column, of: table, with: "1")
            }
        }
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
    }

    @Test func aValueThatBreaksAConstraintUndoesTheStep() async throws {
        let first = first(Self.tables[0])
        try await vault.with(\.migrator, Migrator { first }).keep()
        let migrator = Migrator {
            first
            filling("CASE WHEN id > 10000 THEN NULL ELSE 1 END")
        }
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, migrator).open() }
        let report = try await vault.with(\.migrator, Migrator { first }).keep()
        #expect(report.migration?.to == "1")
    }
}
