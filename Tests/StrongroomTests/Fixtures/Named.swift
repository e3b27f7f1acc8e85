import Strongroom

/// A table whose keys are texts that the program gives.
struct Named: Table, Record, Equatable {
    var name: String?
    var size: Int

    struct Columns: Sendable {
        let name = Column<String?>("name", primaryKey: true)
        let size = Column<Int>("size")
    }

    static let columns = Columns()
    static let schema = TableSchema("named", columns.name, columns.size)
    static func key(of record: Named) -> String? { record.name }
    static func setKey(_ key: String, of record: inout Named) { record.name = key }

    init(_ name: String?, _ size: Int = 0) {
        self.name = name
        self.size = size
    }

    init(row: borrowing Row) throws {
        name = try row[0]
        size = try row[1]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(name, at: 0)
        try bindings.set(size, at: 1)
    }
}

/// A table with columns that have defaults and may be NULL, and with two unique columns.
struct Note: Table, Record, Equatable {
    var id: Int64?
    var title: String?
    var slug: String?
    var mood: String?
    var level: Int?
    var code: [UInt8]?

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let title = Column<String?>("title", unique: true)
        let slug = Column<String?>("slug")
        let mood = Column<String?>("mood", default: "calm")
        let level = Column<Int?>("level", default: 3)
        let code = Column<[UInt8]?>("code", default: [0, 255])
    }

    static let columns = Columns()
    static let schema = TableSchema(
        "note", columns.id, columns.title, columns.slug, columns.mood, columns.level, columns.code,
        indexes: [
            TableIndex(on: columns.slug, unique: true), TableIndex(on: columns.mood, columns.level, unique: true),
        ]
    )
    static func key(of note: Note) -> Int64? { note.id }
    static func setKey(_ key: Int64, of note: inout Note) { note.id = key }

    init(
        id: Int64? = nil,
        _ title: String?,
        slug: String? = nil,
        mood: String? = nil,
        level: Int? = nil,
        code: [UInt8]? = nil
    ) {
        self.id = id
        self.title = title
        self.slug = slug
        self.mood = mood
        self.level = level
        self.code = code
    }

    init(row: borrowing Row) throws {
        id = try row[0]
        title = try row[1]
        slug = try row[2]
        mood = try row[3]
        level = try row[4]
        code = try row[5]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(title, at: 1)
        try bindings.set(slug, at: 2)
        try bindings.set(mood, at: 3)
        try bindings.set(level, at: 4)
        try bindings.set(code, at: 5)
    }
}
