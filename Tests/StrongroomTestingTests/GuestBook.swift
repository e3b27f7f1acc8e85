import Strongroom
import StrongroomTesting

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
                let visits: Value? = try db.value("SELECT visits FROM guest")
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

    /// The faults that the proof finds, as lines.
    func faults() async throws -> [String] {
        try await proof().report().faults.map(\.description)
    }
}
