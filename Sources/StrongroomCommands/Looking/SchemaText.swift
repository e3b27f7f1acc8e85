package import Strongroom
import StrongroomTesting

/// The statements that create the objects of a database.
package enum SchemaText {
    /// A table, an index, a trigger or a view.
    package struct Entry: Sendable, Equatable, Encodable {
        package var kind: String
        package var name: String
        package var table: String
        package var sql: String
    }

    /// All objects with a statement of their own: each table with its indexes, then the views, then the triggers, which
    /// may belong to either. Internal objects of the engine and the library are omitted, and so are the tables in which
    /// a full-text or R-tree table keeps its content: creating that one creates them.
    ///
    /// - Parameter table: A single table; nil for all.
    package static func entries(of table: String? = nil, in db: borrowing some Reading & ~Copyable) throws -> [Entry] {
        var entries: [Entry] = []
        try db.forEachRow(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE sql IS NOT NULL
                AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
                AND name NOT LIKE 'strongroom~_%' ESCAPE '~'
                AND tbl_name NOT LIKE 'strongroom~_%' ESCAPE '~'
                AND (\(table) IS NULL OR tbl_name = \(table) COLLATE NOCASE)
            ORDER BY type = 'trigger', type = 'view', tbl_name, type <> 'table', type, name
            """
        ) { row in
            entries.append(Entry(kind: try row[0], name: try row[1], table: try row[2], sql: try row[3]))
        }
        entries = entries.filter { [entries] entry in !isShadow(entry, entries) }
        if let table, entries.isEmpty {
            throw CommandFailure.noSuchTable(table)
        }
        return entries
    }

    /// The statements of a file that has a schema as ``sql(_:)`` prints it.
    ///
    /// - Parameter file: The path; `-` for standard input.
    static func statements(of file: String) throws -> [String] {
        let source = try ByteSource.file(file)
        var bytes: [UInt8] = []
        while case let portion = try source.next(), !portion.isEmpty { bytes += portion }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("badSchema", "\"\(file)\" is no text in UTF-8.", .dataError)
        }
        let (complete, rest) = SQLStatements.split(text)
        return complete + (rest.allSatisfy(\.isWhitespace) ? [] : [rest])
    }

    /// The schema that statements create in an empty database.
    static func schema(
        of statements: [String], from file: String, in db: borrowing WriteTransaction
    ) throws -> SchemaDescription {
        for sql in statements {
            do {
                try db.execute(SQL(stringLiteral: sql))
            } catch let error as StrongroomError {
                throw CommandFailure("badSchema", "\"\(file)\" is no schema: \(error.message)", .dataError)
            }
        }
        return try SchemaDescription(in: db, withUpkeep: false)
    }

    /// See SQLite's documentation, "The Virtual Table Mechanism of SQLite", section 2.16 (sqlite.org/vtab.html).
    private static func isShadow(_ entry: Entry, _ entries: [Entry]) -> Bool {
        guard entry.kind == "table", let separator = entry.name.lastIndex(of: "_") else { return false }
        let owner = entry.name[..<separator]
        return shadowSuffixes.contains(entry.name[separator...].dropFirst().lowercased())
            && entries.contains { $0.name.isSameName(as: String(owner)) && $0.sql.isCreationOfVirtualTable }
    }

    /// Of FTS3, FTS4, FTS5 and R-tree tables.
    private static let shadowSuffixes: Set<String> = [
        "config", "content", "data", "docsize", "idx", "node", "parent", "rowid", "segdir", "segments", "stat",
    ]

    /// The statements, each terminated by a semicolon.
    package static func sql(_ entries: [Entry]) -> String {
        entries.map { $0.sql + ";\n" }.joined()
    }
}

extension String {
    fileprivate var isCreationOfVirtualTable: Bool {
        let words = [SQLToken](sql: self).filter { $0.kind != .space }.prefix(2)
        return words.count == 2 && words[0].isWord("CREATE") && words[1].isWord("VIRTUAL")
    }
}
