package import Strongroom

/// The statements that made what is in a database.
package enum SchemaText {
    /// A table, an index, a trigger or a view.
    package struct Entry: Sendable, Equatable, Encodable {
        package var kind: String
        package var name: String
        package var table: String
        package var sql: String
    }

    /// Everything that has a statement of its own: each table with its indexes, then the views, then the triggers,
    /// which may be of either. What the engine and the library keep for themselves is left out.
    ///
    /// - Parameter table: The one table that is wanted; nil for all.
    package static func entries(of table: String? = nil, in db: borrowing some Reading & ~Copyable) throws -> [Entry] {
        var entries: [Entry] = []
        try db.forEachRow(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE sql IS NOT NULL
                AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
                AND tbl_name NOT LIKE 'strongroom~_%' ESCAPE '~'
                AND (\(table) IS NULL OR tbl_name = \(table) COLLATE NOCASE)
            ORDER BY type = 'trigger', type = 'view', tbl_name, type <> 'table', type, name
            """
        ) { row in
            entries.append(Entry(kind: try row[0], name: try row[1], table: try row[2], sql: try row[3]))
        }
        if let table, entries.isEmpty {
            throw CommandFailure.noSuchTable(table)
        }
        return entries
    }

    /// The statements, each with a semicolon; ready to be run.
    package static func sql(_ entries: [Entry]) -> String {
        entries.map { $0.sql + ";\n" }.joined()
    }
}
