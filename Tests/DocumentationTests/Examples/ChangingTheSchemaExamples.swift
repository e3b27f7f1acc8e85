import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Changing the schema\"")
struct ChangingTheSchemaExamples {
    @Table("contact")
    struct Contact {
        var id: Int64?
        var name: String
        @Column(unique: true) var email: String
        @Column(default: 0) var age = 0
    }

    private enum Book {
        struct Columns: Sendable {
            let shelf = Column<Int64>("shelf", primaryKey: true)  // two keys: PRIMARY KEY (shelf, place)
            let place = Column<Int64>("place", primaryKey: true)
            let title = Column<String>("title", indexed: true, check: "length(title) > 0", collation: .noCase)
            let author = Column<Int64?>("author", references: Reference("person", onDelete: .setNull))
            let words = Column<Int?>("words", generated: .stored("pages * 300"))
        }

        static let columns = Columns()
        static let pages = Column<Int?>("pages")
        static let plain = TableSchema(
            "book", columns.shelf, columns.place, columns.title, columns.author, pages)
        static let schema = TableSchema(
            "book", columns.shelf, columns.place, columns.title, columns.author, pages, columns.words)
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    @Test func columnsAreAddedRenamedChangedAndDropped() async throws {
        let first = Migration("1") { db in
            try db.execute("CREATE TABLE contact (id INTEGER PRIMARY KEY, phone TEXT, note TEXT, fax TEXT)")
            try db.execute("INSERT INTO contact (phone, fax) VALUES ('030', '031')")
        }
        var place = try Place(migrator: Migrator { first })
        try await Stores(place).open("addressbook.sqlite").close()
        place.migrator = Migrator {
            first
            Migration("2") { db in
                try db.addColumn(Column<String?>("code", unique: true), to: "contact")
                try db.renameColumn("phone", to: "telephone", in: "contact")
                try db.changeColumn(Column<String>("note", default: ""), in: "contact")
                try db.dropColumn("fax", from: "contact")
            }
        }

        let store = try await Stores(place).open("addressbook.sqlite")
        #expect(store.opening.migration?.applied == ["2"])
        try await store.read { db throws in
            #expect(try db.columns(of: "contact").map(\.name) == ["id", "telephone", "note", "code"])
            #expect(try db.value("SELECT telephone || note FROM contact") == "030")
        }
        try await store.close()
    }

    @Test func whatAColumnCanSay() async throws {
        try await TemporaryStore().store.write { db in
            try db.execute("CREATE TABLE person (id INTEGER PRIMARY KEY)")
            let hasGenerated = try EngineFeatures.current().hasGeneratedColumns
            if !hasGenerated {
                let error = #expect(throws: StrongroomError.self) { try db.createTable(Book.schema) }
                #expect(error?.code == .notSupported)
            }
            try db.createTable(hasGenerated ? Book.schema : Book.plain)
            try db.execute("INSERT INTO person VALUES (1)")
            try db.execute("INSERT INTO book (shelf, place, title, author, pages) VALUES (1, 1, 'Emma', 1, 2)")
            #expect(try db.value("SELECT author FROM book WHERE title = 'EMMA'") == 1)
            if hasGenerated { #expect(try db.value("SELECT words FROM book") == 600) }
            try db.execute("DELETE FROM person")
            #expect(try db.value("SELECT count(*) FROM book WHERE author IS NULL") == 1)
            for values: SQL in ["(1, 1, 'Persuasion')", "(1, 2, '')"] {
                let error = #expect(throws: StrongroomError.self) {
                    try db.execute("INSERT INTO book (shelf, place, title) VALUES \(values)")
                }
                #expect(error?.code == .constraint)
            }
        }
    }

    @Test func viewsAndTriggers() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            try db.execute("CREATE TABLE log (text TEXT)")

            try db.execute("CREATE VIEW adult AS SELECT * FROM contact WHERE age >= 18")
            try db.execute(
                """
                CREATE TRIGGER name_changed AFTER UPDATE OF name ON contact WHEN old.name <> new.name
                BEGIN INSERT INTO log (text) VALUES (old.name); END
                """)

            let key = try Contact.insert(Contact(name: "Ada", email: "a", age: 36), in: db)
            try Contact.insert(Contact(name: "Kim", email: "b", age: 7), in: db)
            #expect(try db.value("SELECT count(*) FROM adult") == 1)
            try Contact.update(key, in: db) { [$0.name.set("Ada")] }
            try Contact.update(key, in: db) { [$0.name.set("Countess")] }
            #expect(try db.value("SELECT group_concat(text) FROM log") == "Ada")
        }
    }

    @Test func whatAConstraintsFailureTells() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            let contact = Contact(name: "Ada", email: "ada@example.org")
            try Contact.insert(contact, in: db)

            do {
                try Contact.insert(contact, in: db)
            } catch let error as StrongroomError where error.constraint?.kind == .unique {
                print(error.constraint?.columns ?? [])  // ["email"]
            }
        }
        #expect(printed.lines == [#"["email"]"#])
    }
}
