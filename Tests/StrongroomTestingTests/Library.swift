import Strongroom
import Testing

// Internal: a proof without interruptions.
@testable import StrongroomTesting

/// A configuration whose migrator a test chooses: books, and from version 3 on their loans.
struct Library: Configuration {
    static let target = "library"

    var migrations = Library.sound
    var tables: [TableSchema]? = [Book.schema, Loan.schema]
    var settings = StoreSettings(readers: 1)
    var protection = KeyProtection.direct

    func keyChain(for database: DatabaseName) throws -> KeyChain {
        throw StrongroomError(.noConfiguration, "The proof asks for no key; it has its own.")
    }
    func migrator(for database: DatabaseName) -> Migrator? { Migrator(tables: tables) { migrations } }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }

    static let first = Migration("1") { db in
        try db.execute("CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    }

    static let second = Migration("2") { db in
        try db.execute("ALTER TABLE book ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")
        try db.execute("UPDATE book SET shelf = 'old'")
        try db.execute("CREATE INDEX book_title ON book (title)")
    } down: { db in
        try db.dropIndex("book_title")
        try db.dropColumn("shelf", from: "book")
    }

    static let third = Migration("3") { db in
        try db.execute(
            """
            CREATE TABLE loan (
                id INTEGER PRIMARY KEY, book INTEGER NOT NULL REFERENCES book (id) ON DELETE CASCADE,
                reader TEXT NOT NULL COLLATE NOCASE CHECK (length(reader) > 0), UNIQUE (book))
            """)
    } down: { db in
        try db.dropTable("loan")
    }

    /// Migrations in which nothing is wrong.
    static let sound = [first, second, third]

    /// A library with a migration in the place of one of the sound ones.
    static func with(
        _ version: String, _ up: @escaping Migration.Step, down: Migration.Step? = nil
    ) -> Library {
        var library = Library()
        let broken = Migration(version, up, down: down)
        library.migrations = sound.map { $0.version == version ? broken : $0 }
        return library
    }

    /// A proof with a book that lies in files of version 1 and 2.
    func proof(fixtures: String? = nil) -> MigrationProof {
        MigrationProof(self, fixtures: fixtures)
            .planting(at: "1") { db in
                try db.execute("INSERT INTO book (title) VALUES ('Emma')")
            } expecting: { db, version in
                let shelf = version == "1" ? "old" : try db.value("SELECT shelf FROM book", as: String.self)
                return try db.value("SELECT title FROM book", as: String.self) == "Emma" && shelf == "old"
            }
            .planting(at: "2") { db in
                try db.execute("INSERT INTO book (title, shelf) VALUES ('Persuasion', 'new')")
            } expecting: { db, _ in
                try db.value("SELECT shelf FROM book WHERE title = 'Persuasion'", as: String.self) == "new"
            }
            .records(of: Book.self)
            .records(of: Loan.self)
    }

    func quickProof() -> MigrationProof { proof().withoutInterruptions() }

    /// The faults that the proof finds, as lines.
    func faults(interrupts: Bool = false) async throws -> [String] {
        try await (interrupts ? proof() : quickProof()).report().faults.map(\.description)
    }
}

extension MigrationProof {
    /// The proof of all that is no interruption.
    func withoutInterruptions() -> MigrationProof {
        var proof = self
        proof.interrupts = false
        return proof
    }
}

@Table("book")
struct Book: Equatable {
    var id: Int64?
    @Column(indexed: true) var title: String
    var shelf: String = "none"
}

@Table("loan")
struct Loan: Equatable {
    var id: Int64?
    @Column(unique: true, references: Reference("book", column: "id", onDelete: .cascade)) var book: Int64
    @Column(check: "length(reader) > 0", collation: .noCase) var reader: String
}

/// Checks that a fault is told by a line that has all the words, and gives the line.
@discardableResult
func expectFault(
    _ words: String..., in faults: [String], sourceLocation: SourceLocation = #_sourceLocation
) throws -> String {
    let line = faults.first { line in words.allSatisfy { line.contains($0) } }
    return try #require(line, "no fault tells of \(words): \(faults)", sourceLocation: sourceLocation)
}

@Table("guest")
struct Guest: Equatable {
    var id: Int64?
    @Column(previously: "label") var name: String
    @Column(indexed: true) var visits: Int = 0
    var note: String?
}

/// A configuration with an automatic migrator, whose tables a test chooses.
struct GuestBook: Configuration {
    static let target = "guestbook"

    var tables = [Guest.schema]
    var removingColumns = true
    var settings = StoreSettings(readers: 1)
    var protection = KeyProtection.direct

    func keyChain(for database: DatabaseName) throws -> KeyChain {
        throw StrongroomError(.noConfiguration, "The proof asks for no key; it has its own.")
    }
    func migrator(for database: DatabaseName) -> Migrator? {
        .automatic(tables: tables, removingColumns: removingColumns)
    }
    func settings(for database: DatabaseName) -> StoreSettings { settings }
    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }

    /// The tables of the releases.
    enum Tables {
        static let id = Column<Int64?>("id", primaryKey: true)
        static let second = TableSchema(
            "guest", id, Column<String>("label"), Column<String>("visits", default: "0"), Column<String?>("fax"))
        static let third = TableSchema(
            "guest", id, Column<String>("name", previously: "label"), Column<Int>("visits", default: 0))
    }

    /// A proof of three releases, each with a guest.
    func proof(fixtures: String? = nil) -> MigrationProof {
        MigrationProof(self, fixtures: fixtures)
            .release("1") { db in
                try db.execute("CREATE TABLE guest (id INTEGER PRIMARY KEY, label TEXT NOT NULL, fax TEXT)")
            }
            .release("2", tables: [Tables.second])
            .release("3", tables: [Tables.third])
            .removingColumn("fax", from: "guest")
            .planting(at: "1") { db in
                try db.execute("INSERT INTO guest (label, fax) VALUES ('Ada', '+44 1')")
            } expecting: { db, version in
                try Self.name(db, version) == "Ada"
            }
            .planting(at: "2") { db in
                try db.execute("INSERT INTO guest (label, visits) VALUES ('Bob', '7')")
            } expecting: { db, version in
                let visits: SQLValue? = try db.value("SELECT visits FROM guest")
                return try Self.name(db, version) == "Bob" && visits == (version == "2" ? .text("7") : .integer(7))
            }
            .planting(at: "automatic") { db in
                try Guest.insert(Guest(name: "Cleo", note: "first"), in: db)
            } expecting: { db, _ in
                try Guest.all(in: db).map(\.note) == ["first"]
            }
            .records(of: Guest.self)
    }

    private static func name(_ db: borrowing ReadTransaction, _ version: String) throws -> String? {
        let isOld = version == "1" || version == "2"
        return try db.value(isOld ? "SELECT label FROM guest" : "SELECT name FROM guest")
    }

    func quickProof() -> MigrationProof { proof().withoutInterruptions() }
}
