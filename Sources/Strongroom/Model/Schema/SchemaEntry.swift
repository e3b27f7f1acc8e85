/// A row of the engine's schema table.
struct SchemaEntry: Sendable {
    enum Kind: String {
        case table, index, trigger, view
    }

    let kind: Kind
    let name: String
    /// The table that it belongs to; its own name for a table or a view.
    let table: String
    let sql: String
    /// Whether it is in the connection's `temp` schema.
    var isTemporary = false

    var tokens: [SQLToken] { [SQLToken](sql: sql) }

    /// The statement that creates it.
    var creation: String {
        guard isTemporary, sql.asciiFolded.hasPrefix("create trigger") else { return sql }
        return "CREATE TEMP TRIGGER" + sql.dropFirst("create trigger".count)
    }

    /// A description for messages.
    var title: String { "\(kind.rawValue) \"\(name)\"" }
}

extension Connection {
    /// All entries of the schema that have SQL text.
    func schemaEntries(temporary: Bool = false) throws -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        let source = temporary ? "sqlite_temp_master" : "sqlite_master"
        let query = """
            SELECT type, name, tbl_name, sql FROM \(source) WHERE sql IS NOT NULL AND name <> '\(RecordedName.view)' \
            ORDER BY rowid
            """
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

    /// The entry of a user's table.
    ///
    /// - Throws: ``StrongroomError`` with `sql` if there is none.
    func tableEntry(_ name: String, in entries: [SchemaEntry]) throws -> SchemaEntry {
        guard let entry = entries.first(where: { $0.kind == .table && Identifier.areSame($0.name, name) }) else {
            throw StrongroomError(.sql, "no such table: \(name).", database: database)
        }
        return entry
    }

    /// Rewrites texts in the schema table and makes the engine read the schema again.
    ///
    /// For changes that do not affect the rows; see "ALTER TABLE", section 7 (sqlite.org/lang_altertable.html).
    func rewriteSchema(_ changed: [SchemaEntry]) throws {
        guard !changed.isEmpty else { return }
        try writingSchema {
            for entry in changed {
                try run(
                    "UPDATE sqlite_master SET sql = ? WHERE type = ? AND name = ?", .text(entry.sql),
                    .text(entry.kind.rawValue), .text(entry.name))
            }
            guard case .integer(let version)? = try ownValue("PRAGMA schema_version") else { return }
            try run("PRAGMA schema_version = \(version + 1)")
        }
        // A rollback to a savepoint discards the engine's cached schema.
        try run("SAVEPOINT strongroom")
        try run("ROLLBACK TO strongroom")
        try run("RELEASE strongroom")
        do {
            try readSchema()
        } catch let error as StrongroomError where [.damaged, .newerSchema].contains(error.code) {
            throw StrongroomError(
                .schemaChange,
                "The engine cannot read the schema with the new name (\(error.message)); nothing was changed.",
                database: database)
        }
    }

    /// The foreign keys of a table: the referenced table, the referencing column and the referenced column.
    func foreignKeys(of table: String) throws -> [(parent: String, from: String, to: String?)] {
        var keys: [(String, String, String?)] = []
        try withOwnStatement("PRAGMA foreign_key_list(\(Identifier.quote(table)))") { statement in
            let row = Row(statement)
            while try statement.step() {
                keys.append((try row.text(at: 2), try row.text(at: 3), try row.textIfPresent(at: 4)))
            }
        }
        return keys
    }
}

/// The views and triggers that the engine cannot use, determined by preparing statements that read or fire them.
struct BrokenStatements {
    /// The broken views and triggers, each with the engine's message, in the order of the schema.
    let all: [(entry: SchemaEntry, words: String)]

    /// Checks the views and triggers of a schema.
    init(_ connection: Connection, _ entries: [SchemaEntry]) {
        all =
            entries.filter { $0.kind == .view }.compactMap { view in
                connection.objection(to: "EXPLAIN SELECT * FROM \(Identifier.quote(view.name))").map { (view, $0) }
            }
            + entries.filter { $0.kind == .trigger }.compactMap { trigger in
                connection.objection(to: connection.firing(trigger)).map { (trigger, $0) }
            }
    }

    /// Those that were not broken before. They are identified by name, because their text contains columns, which may
    /// have been renamed.
    func since(_ before: BrokenStatements) -> [(entry: SchemaEntry, words: String)] {
        let known = Set(before.all.map { SQLName($0.entry.title) })
        return all.filter { !known.contains(SQLName($0.entry.title)) }
    }
}

extension Connection {
    /// The broken views and triggers of the current schema.
    func brokenStatements() throws -> BrokenStatements { BrokenStatements(self, try schemaEntries()) }

    /// A statement that fires a trigger; a trigger on a view can only be checked this way.
    fileprivate func firing(_ trigger: SchemaEntry) -> String {
        let table = Identifier.quote(trigger.table)
        let event = [SQLToken](sql: trigger.sql).first { $0.isWord("DELETE", "INSERT", "UPDATE") }?.text.uppercased()
        switch event {
        case "DELETE": return "EXPLAIN DELETE FROM \(table)"
        case "INSERT": return "EXPLAIN INSERT INTO \(table) DEFAULT VALUES"
        default:
            let columns = (try? columnInfos(of: trigger.table).filter { $0.generated == nil }) ?? []
            let assignments = columns.map { "\(Identifier.quote($0.name)) = \(Identifier.quote($0.name))" }
            return "EXPLAIN UPDATE \(table) SET \(assignments.joined(separator: ", "))"
        }
    }
}
