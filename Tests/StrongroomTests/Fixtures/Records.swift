import Strongroom
import StrongroomTesting
import Testing

/// A table and its record, written by hand: the one that most tests store.
struct Contact: Table, Record, Equatable {
    var id: Int64?
    var name: String
    var email: String
    var phone: String?
    var score: Double
    var photo: [UInt8]

    init(
        id: Int64? = nil,
        name: String = "Ada",
        email: String = "ada@example.org",
        phone: String? = nil,
        score: Double = 1.5,
        photo: [UInt8] = [0, 255]
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.phone = phone
        self.score = score
        self.photo = photo
    }

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let name = Column<String>("name")
        let email = Column<String>("email", unique: true)
        let phone = Column<String?>("phone")
        let score = Column<Double>("score", default: 0)
        let photo = Column<[UInt8]>("photo")
    }

    static let columns = Columns()

    static let schema = TableSchema(
        "contact",
        columns.id, columns.name, columns.email, columns.phone, columns.score, columns.photo,
        indexes: [TableIndex(on: columns.name)]
    )

    static func key(of contact: Contact) -> Int64? { contact.id }
    static func setKey(_ key: Int64, of contact: inout Contact) { contact.id = key }

    init(row: borrowing Row) throws {
        id = try row[0]
        name = try row[1]
        email = try row[2]
        phone = try row[3]
        score = try row[4]
        photo = try row[5]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(name, at: 1)
        try bindings.set(email, at: 2)
        try bindings.set(phone, at: 3)
        try bindings.set(score, at: 4)
        try bindings.set(photo, at: 5)
    }

    /// Contacts that differ in every column, without keys.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - first: The number in the first one's name and address.
    static func samples(_ count: Int, first: Int = 1) -> [Contact] {
        (first..<first + count).map { number in
            Contact(
                name: "Contact \(number)",
                email: "contact\(number)@example.org",
                phone: number.isMultiple(of: 2) ? "+49 30 \(number)" : nil,
                score: Double(number) / 4,
                photo: [UInt8(truncatingIfNeeded: number), 0, 255]
            )
        }
    }
}

/// A table of one column of any type, for tests of values.
struct Cell<Content: ColumnValue>: Table, Record {
    var id: Int64?
    var content: Content

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let content = Column<Content>("content")
    }

    static var columns: Columns { Columns() }
    static var schema: TableSchema { TableSchema("cell", columns.id, columns.content) }

    static func key(of cell: Cell) -> Int64? { cell.id }
    static func setKey(_ key: Int64, of cell: inout Cell) { cell.id = key }

    init(id: Int64? = nil, _ content: Content) {
        self.id = id
        self.content = content
    }

    init(row: borrowing Row) throws {
        id = try row[0]
        content = try row[1]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(content, at: 1)
    }
}

/// What values become on every way in and out of a store: as a record's column, as a parameter of the user's own SQL.
struct RoundTrip<Content: ColumnValue> {
    let asRecord: [Content]
    let asParameter: [Content]
    let asUpdate: [Content]

    init(_ contents: [Content]) async throws {
        let store = try await TemporaryStore(tables: [Cell<Content>.schema]).store
        let keys = try await store.write { db in
            try contents.map { try Cell<Content>.insert(Cell($0), in: db) }
        }
        asRecord = try await store.read { db in
            try keys.map { try #require(try Cell<Content>.find($0, in: db)).content }
        }
        asParameter = try await store.read { db in
            try contents.map { try #require(try db.value("SELECT \($0)", as: Content.self)) }
        }
        asUpdate = try await store.write { db in
            try zip(keys, contents.reversed()).map { key, content in
                try db.execute("UPDATE cell SET content = \(content) WHERE id = \(key)")
                return try #require(try db.value("SELECT content FROM cell WHERE id = \(key)", as: Content.self))
            }
        }
    }
}

/// Checks that values come back as they went in.
func expectRoundTrip<Content: ColumnValue & Equatable>(
    _ contents: [Content],
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await expectRoundTrip(contents, by: \.self, sourceLocation: sourceLocation)
}

/// Checks that values come back bit for bit, where `==` would let a difference pass.
func expectRoundTrip<Content: ColumnValue, Identity: Equatable>(
    _ contents: [Content],
    by identity: (Content) -> Identity,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let result = try await RoundTrip(contents)
    #expect(result.asRecord.map(identity) == contents.map(identity), sourceLocation: sourceLocation)
    #expect(result.asParameter.map(identity) == contents.map(identity), sourceLocation: sourceLocation)
    #expect(result.asUpdate.map(identity) == contents.reversed().map(identity), sourceLocation: sourceLocation)
}

/// A table whose keys are texts that the program gives.
@Table("named")
struct Named: Equatable {
    @Column(primaryKey: true) var name: String?
    var size: Int

    init(_ name: String?, _ size: Int = 0) {
        self.name = name
        self.size = size
    }
}

/// A table with columns that have defaults and may be NULL, and with two unique columns.
@Table("note")
struct Note: Equatable {
    var id: Int64?
    @Column(unique: true) var title: String?
    var slug: String?
    @Column(default: "calm") var mood: String?
    @Column(default: 3) var level: Int?
    @Column(default: [0, 255]) var code: [UInt8]?

    static var indexes: [TableIndex] {
        [TableIndex(on: columns.slug, unique: true), TableIndex(on: columns.mood, columns.level, unique: true)]
    }

    init(
        id: Int64? = nil, _ title: String?, slug: String? = nil, mood: String? = nil, level: Int? = nil,
        code: [UInt8]? = nil
    ) {
        (self.id, self.title, self.slug) = (id, title, slug)
        (self.mood, self.level, self.code) = (mood, level, code)
    }
}

/// What a contact bought: a second table for joins.
@Table("purchase")
struct Purchase: Equatable {
    var id: Int64?
    @Column(indexed: true, references: Reference("contact", onDelete: .cascade)) var buyer: Int64
    var article: String
    var total: Int
}

/// The price of an article in a shop: a key of two columns, and two columns that are unique together.
@Table("price")
struct Price: Equatable {
    @Column(primaryKey: true) var shop: String
    @Column(primaryKey: true) var article: Int64
    var label: String?
    var edition: Int
    var cents: Int?

    static var indexes: [TableIndex] { [TableIndex(on: columns.label, columns.edition, unique: true)] }
}

/// A table with nothing but a key, which the engine never gives twice.
@Table("counter")
struct Counter: Equatable {
    @Column(autoincrement: true) var id: Int64?
}

/// A record with columns of every class, most of which may be NULL, for conditions.
@Table("sample")
struct Sample: Equatable {
    var id: Int64?
    var word: String?
    var note: String
    var number: Double?
    var size: Int64
    var flag: Bool?
    var data: [UInt8]?

    /// A random sample whose values come up again in others, so that comparisons find something.
    init(id: Int64, _ generator: inout SeededGenerator) {
        self.id = id
        word = generator.sometimesNil { $0.text(upTo: 3) }
        note = generator.text(upTo: 3)
        number = generator.sometimesNil { $0.smallNumber() }
        size = Int64.random(in: -3...3, using: &generator)
        flag = generator.sometimesNil { $0.next().isMultiple(of: 2) }
        data = generator.sometimesNil { $0.bytes(upTo: 1) }
    }
}
