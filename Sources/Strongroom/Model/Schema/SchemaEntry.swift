/// A row of the engine's table of tables, indexes, triggers and views.
struct SchemaEntry: Sendable {
    enum Kind: String {
        case table, index, trigger, view
    }

    let kind: Kind
    let name: String
    /// The table that it belongs to; its own name for a table or a view.
    let table: String
    let sql: String
    /// Whether it is the connection's alone.
    var isTemporary = false

    var tokens: [SQLToken] { [SQLToken](sql: sql) }

    /// The statement that makes it again.
    var creation: String {
        guard isTemporary, sql.asciiFolded.hasPrefix("create trigger") else { return sql }
        return "CREATE TEMP TRIGGER" + sql.dropFirst("create trigger".count)
    }

    /// For messages.
    var title: String { "\(kind.rawValue) \"\(name)\"" }
}

extension Connection {
    /// Everything in the schema that has SQL of its own.
    func schemaEntries(temporary: Bool = false) throws -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        let source = temporary ? "sqlite_temp_master" : "sqlite_master"
        let query = "SELECT type, name, tbl_name, sql FROM \(source) WHERE sql IS NOT NULL ORDER BY rowid"
        try withOwnStatement(query) { statement in
            let row = Row(statement)
            while try statement.step() {
                guard let kind = SchemaEntry.Kind(rawValue: try row.text(at: 0)) else { continue }
                entries.append(
                    SchemaEntry(
                        kind: kind, name: try row.text(at: 1), table: try row.text(at: 2), sql: try row.text(at: 3),
                        isTemporary: temporary))
            }
        }
        return entries
    }

    /// A table of the user's by its name.
    ///
    /// - Throws: ``StrongroomError`` with `sql` when there is none.
    func tableEntry(_ name: String, in entries: [SchemaEntry]) throws -> SchemaEntry {
        guard let entry = entries.first(where: { $0.kind == .table && Identifier.areSame($0.name, name) }) else {
            throw StrongroomError(.sql, "no such table: \(name).", database: database)
        }
        return entry
    }

    /// Writes texts of the schema itself and has the engine read it again.
    ///
    /// For changes that leave the rows as they are; see "ALTER TABLE", section 7 (sqlite.org/lang_altertable.html).
    func rewriteSchema(_ changed: [SchemaEntry]) throws {
        guard !changed.isEmpty else { return }
        try run("PRAGMA writable_schema = ON")
        let result = Result {
            for entry in changed {
                try run(
                    "UPDATE sqlite_master SET sql = ? WHERE type = ? AND name = ?", .text(entry.sql),
                    .text(entry.kind.rawValue), .text(entry.name))
            }
            guard case .integer(let version)? = try ownValue("PRAGMA schema_version") else { return }
            try run("PRAGMA schema_version = \(version + 1)")
        }
        try run("PRAGMA writable_schema = OFF")
        try result.get()
        // Going back to a savepoint makes the engine forget the schema that it holds.
        try run("SAVEPOINT strongroom")
        try run("ROLLBACK TO strongroom")
        try run("RELEASE strongroom")
        do {
            _ = try ownValue("SELECT count(*) FROM sqlite_master")
        } catch let error as StrongroomError where error.code == .damaged {
            throw StrongroomError(
                .schemaChange,
                "The engine does not understand the schema with the new name (\(error.message)); nothing was changed.",
                database: database)
        }
    }

    /// The foreign keys of a table: the table that each points to, the own column, and the column there.
    func foreignKeys(of table: String) throws -> [(parent: String, from: String, to: String?)] {
        var keys: [(String, String, String?)] = []
        try withOwnStatement("PRAGMA foreign_key_list(\(Identifier.quote(table)))") { statement in
            let row = Row(statement)
            while try statement.step() {
                keys.append((try row.text(at: 2), try row.text(at: 3), try row.isNull(at: 4) ? nil : row.text(at: 4)))
            }
        }
        return keys
    }
}
