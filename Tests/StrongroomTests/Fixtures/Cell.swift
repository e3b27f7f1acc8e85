import Strongroom
import StrongroomTesting
import Testing

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
    let result = try await RoundTrip(contents)
    #expect(result.asRecord == contents, sourceLocation: sourceLocation)
    #expect(result.asParameter == contents, sourceLocation: sourceLocation)
    #expect(result.asUpdate == contents.reversed(), sourceLocation: sourceLocation)
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
