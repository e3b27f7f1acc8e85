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
                AND (type NOT IN ('trigger', 'view') OR name NOT LIKE 'strongroom~_%' ESCAPE '~')
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
        var statements = SQLStatements()
        let complete = statements.add(String(text.trimmingPrefix("\u{FEFF}")))
        return complete + (statements.isBlank ? [] : [statements.rest])
    }

    /// The schema that statements create in an empty database.
    static func schema(
        of statements: [String], from file: String, in db: borrowing WriteTransaction
    ) throws -> SchemaDescription {
        for sql in statements {
            do {
                try db.execute(SQL(stringLiteral: sql))
            } catch let error as StrongroomError where error.code != .missingFunction {
                throw CommandFailure("badSchema", "\"\(file)\" is no schema: \(error.message)", .dataError)
            }
        }
        return try SchemaDescription(in: db, withUpkeep: false)
    }

    /// See SQLite's documentation, "The Virtual Table Mechanism of SQLite", section 2.16 (sqlite.org/vtab.html).
    private static func isShadow(_ entry: Entry, _ entries: [Entry]) -> Bool {
        guard entry.kind == "table", let separator = entry.name.lastIndex(of: "_") else { return false }
        let (owner, suffix) = (entry.name[..<separator], entry.name[separator...].dropFirst().lowercased())
        return entries.contains { $0.name.isSameName(as: String(owner)) && $0.shadowSuffixes.contains(suffix) }
    }

    /// The statements, each terminated by a semicolon.
    package static func sql(_ entries: [Entry]) -> String {
        // SQLite keeps a comment at the end of a view, in which a semicolon would end nothing.
        entries.map { $0.sql + ($0.sql.endsInComment ? "\n;\n" : ";\n") }.joined()
    }
}

extension SchemaText.Entry {
    /// The endings of the tables in which a virtual table keeps its content; empty for any other object.
    fileprivate var shadowSuffixes: Set<String> {
        let words = [SQLToken](sql: sql).filter { $0.kind != .space }
        guard words.count > 5, words[1].isWord("VIRTUAL"), let using = words.firstIndex(where: { $0.isWord("USING") }),
            using + 1 < words.count
        else { return [] }
        let content: Set<String> = words.contains { $0.isWord("content") } ? [] : ["content"]
        return switch words[using + 1].text.lowercased() {
        case "fts3", "fts4": content.union(["segdir", "segments", "docsize", "stat"])
        case "fts5": content.union(["config", "data", "docsize", "idx"])
        case let module where module.hasPrefix("rtree"): ["node", "parent", "rowid"]
        default: []
        }
    }
}

extension String {
    fileprivate var endsInComment: Bool { [SQLToken](sql: self).last?.text.hasPrefix("--") ?? false }
}
