import Logging
import StrongroomTesting
import Testing

// The rows that point nowhere are made with foreign keys left aside, which no public call does.
@testable import Strongroom

/// Files whose foreign keys point to no row since before a migration.
@Suite("Foreign keys that point nowhere from before")
struct DanglingRowTests {
    private let vault = Vault(keys: .numbered(1))

    private static let first = Migration("1") { db throws in
        try db.execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT)")
        try db.execute("CREATE TABLE purchase (buyer INTEGER REFERENCES customer, note TEXT)")
        try db.execute("CREATE TABLE tag (name TEXT PRIMARY KEY, owner REFERENCES customer) WITHOUT ROWID")
        try db.execute("INSERT INTO customer VALUES (1, 'Ada'), (2, 'Bo')")
        try db.execute("INSERT INTO purchase (buyer) VALUES (1), (2)")
        try db.execute("INSERT INTO tag VALUES ('a', 1), ('b', 2)")
    }

    /// Makes a file in which purchases 3 and 4 and the tag c point nowhere.
    private func prepare(_ more: SQL...) async throws {
        try await vault.with(\.migrator, Migrator { Self.first }).write { db throws in
            try db._handle.connection.withoutForeignKeys {
                try db.execute("INSERT INTO purchase (buyer) VALUES (77), (78)")
                try db.execute("INSERT INTO tag VALUES ('c', 77)")
                for sql in more { try db.execute(sql) }
            }
        }
    }

    private func migrate(_ step: @escaping Migration.Step) async throws -> MigrationReport {
        let vault = vault.with(
            \.migrator,
            Migrator {
                Self.first; Migration("2", step)
            })
        return try #require(try await vault.using { store in store.openReport.migration })
    }

    @Test func theyDoNotKeepAFileFromBeingMigratedAndAreReported() async throws {
        try await prepare()
        let report = try await migrate { db in try db.execute("INSERT INTO customer VALUES (3, 'Cy')") }
        #expect(report.applied == ["2"] && report.danglingRowCount == 3)
        #expect(report.danglingRows.map(\.rowID) == [3, 4, nil])
        #expect(report.danglingRows.map(\.table) == ["purchase", "purchase", "tag"])
        #expect(report.danglingRows.allSatisfy { $0.parentTable == "customer" })
    }

    @Test func onlyWhatAStepBreaksIsItsFault() async throws {
        try await prepare()
        let error = try await expectFailure(.migrationFailed) {
            try await migrate { db throws in
                // One is mended, one is broken; as many as before.
                try db.execute("UPDATE purchase SET buyer = 1 WHERE rowid = 3")
                try db.execute("UPDATE purchase SET buyer = 77 WHERE rowid = 1")
            }
        }
        let found = "Row 1 of table \"purchase\" references a row of \"customer\""
        #expect(error.message.contains(found), "\(error.message)")
        #expect(!error.message.contains("row 4") && !error.message.contains("tag"))
        // A row that pointed nowhere and points to another nowhere was written by the step.
        try await expectFailure(.migrationFailed) {
            try await migrate { db in try db.execute("UPDATE purchase SET buyer = 99 WHERE rowid = 3") }
        }
        try await expectFailure(.migrationFailed, saying: "Row of table \"tag\" references a row of \"customer\"") {
            try await migrate { db throws in
                try db.execute("DELETE FROM tag WHERE name = 'c'")
                try db.execute("INSERT INTO tag VALUES ('d', 77)")
            }
        }
    }

    @Test func `of two rows with one value in a rebuilt table, the new one is named`() async throws {
        try await prepare()
        let error = try await expectFailure(.migrationFailed, saying: "Row 1 of table \"purchase\"") {
            try await migrate { db throws in
                try db.execute("CREATE TABLE new (buyer INTEGER REFERENCES customer, note TEXT)")
                try db.execute(
                    """
                    INSERT INTO new (rowid, buyer, note) \
                    SELECT rowid, CASE rowid WHEN 1 THEN 78 ELSE buyer END, note FROM purchase
                    """)
                try db.execute("DROP TABLE purchase")
                try db.execute("ALTER TABLE new RENAME TO purchase")
            }
        }
        #expect(!error.message.contains("ow 4"))
    }

    /// Each changes names or row ids, and breaks nothing.
    static let rebuilds: [[SQL]] = [
        ["ALTER TABLE purchase RENAME TO orders"],
        ["ALTER TABLE tag RENAME TO label"],
        [
            "CREATE TABLE new (id INTEGER PRIMARY KEY, buyer TEXT REFERENCES customer)",
            "INSERT INTO new SELECT rowid + 100, buyer FROM purchase", "DROP TABLE purchase",
            "ALTER TABLE new RENAME TO purchase",
        ],
        [
            "CREATE TABLE new (label TEXT PRIMARY KEY, owner REFERENCES customer) WITHOUT ROWID",
            "INSERT INTO new SELECT * FROM tag", "DROP TABLE tag", "ALTER TABLE new RENAME TO tag",
        ],
    ]

    @Test(arguments: rebuilds.indices)
    func tablesThatAreRenamedOrMadeAnewKeepTheirOldOnes(number: Int) async throws {
        try await prepare()
        let report = try await migrate { db in for sql in Self.rebuilds[number] { try db.execute(sql) } }
        #expect(report.danglingRowCount == 3)
        // One more that the rebuild breaks is noticed.
        let again = try await DanglingRowTests().breaking(number)
        #expect(again.message.contains("references a row of") && !again.message.contains("more"), "\(again.message)")
    }

    private func breaking(_ number: Int) async throws -> StrongroomError {
        try await prepare()
        return try await expectFailure(.migrationFailed) {
            try await migrate { db throws in
                let table = number == 3 ? "tag" : "purchase"
                let column = number == 3 ? "owner" : "buyer"
                for sql in Self.rebuilds[number] { try db.execute(sql) }
                let name = number == 0 ? "orders" : table
                try db.execute("UPDATE \(name: name) SET \(name: column) = 78 WHERE \(name: column) = 1")
            }
        }
    }

    @Test func typedChangesOfTheSchemaDoNotChangeThem() async throws {
        try await prepare()
        let report = try await migrate { db throws in
            try db.changeColumn(Column<String>("note", default: ""), in: "purchase")
            try db.dropColumn("note", from: "purchase")
            try db.renameColumn("name", to: "label", in: "customer")
            try db.renameColumn("buyer", to: "customer", in: "purchase")
        }
        #expect(report.danglingRowCount == 3)
    }

    @Test func aKeyToColumnsThatAreNotUniqueFromBeforeIsNoFaultEither() async throws {
        try await prepare("CREATE TABLE odd (a REFERENCES customer (name))", "INSERT INTO odd VALUES ('x')")
        let report = try await migrate { db in try db.execute("INSERT INTO customer VALUES (3, 'Cy')") }
        #expect(report.danglingRowCount == 3)
        // In a step it is.
        try await vault.with(\.migrator, nil).write { db in try db.dropTable("odd") }
        let next = Migrator {
            Self.first
            Migration("2") { _ in }
            Migration("3") { db throws in
                try db.execute("CREATE TABLE odd (a REFERENCES customer (name))")
                try db.execute("INSERT INTO odd VALUES ('x')")
            }
        }
        try await expectFailure(.migrationFailed) { try await vault.with(\.migrator, next).open() }
    }

    @Test func anAutomaticMigratorAndAFirstSaveGoOn() async throws {
        let id = Column<Int64?>("id", primaryKey: true)
        let old = TableSchema("part", id, Column<Int?>("whole", references: Reference("assembly")))
        let new = TableSchema(
            "part", id, Column<Int?>("whole", references: Reference("assembly")), Column<Int>("count", default: 1))
        let assembly = TableSchema("assembly", id)
        try await vault.with(\.migrator, .automatic(tables: [assembly, old])).write { db throws in
            try db._handle.connection.withoutForeignKeys { try db.execute("INSERT INTO part VALUES (5, 9)") }
        }
        let report = try await vault.with(\.migrator, .automatic(tables: [assembly, new])).using { store in
            store.openReport.migration
        }
        #expect(report?.schemaChanges == ["table \"part\": column \"count\" added"] && report?.danglingRowCount == 1)
        try await vault.with(\.migrator, nil).using { store in
            let contacts = store.table(Contact.self)
            var contact = Contact()
            try await contacts.prepare()
            try await store.write(&contact) { db, contact in try Contact.save(&contact, in: db) }
            #expect(try await contacts.count() == 1)
        }
    }

    @Test func aThousandStepsLaterStillOnlyTheNewOnesCount() async throws {
        try await prepare()
        let steps = (2...20).map { number in
            Migration("\(number)") { db in try db.execute("INSERT INTO customer (name) VALUES ('x')") }
        }
        let last = Migration("21") { db in try db.execute("DELETE FROM customer WHERE id = 2") }
        try await expectFailure(.migrationFailed, saying: "Row 2 of table \"purchase\"") {
            try await vault.with(
                \.migrator,
                Migrator {
                    Self.first; steps; last
                }
            ).open()
        }
        let report = try await vault.with(
            \.migrator,
            Migrator {
                Self.first; steps
            }
        ).using { store in
            store.openReport.migration
        }
        #expect(report?.to == "20")
    }

    @Test func theLoggerIsWarned() async throws {
        try await prepare()
        let log = CollectedLog()
        let now = vault.with(
            \.migrator,
            Migrator {
                Self.first; Migration("2") { _ in }
            })
        try await now.with(\.logger, log.logger(.warning)).open().close()
        let entry = try #require(log.entries.first)
        #expect(entry.message.contains("PRAGMA foreign_key_check") && entry.metadata["count"] == "3")
        #expect(entry.metadata["rows"]?.contains("purchase 3 to customer") == true)
    }
}
