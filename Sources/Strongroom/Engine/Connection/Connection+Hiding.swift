extension Connection {
    /// Refuses a statement that gives a temporary table or view the name of one in the file, or the reverse: the engine
    /// resolves the name to the temporary one, so that readers do not see what is written to it, and it is dropped when
    /// the connection is closed.
    ///
    /// - Throws: ``StrongroomError`` with `notAuthorized`.
    func refuseHiding(_ all: [Authorizer.CreatedObject], _ sql: String) throws {
        for made in all {
            guard let name = made.name ?? Self.newName(in: sql) else { continue }
            // The engine finds its own tables, such as `sqlite_sequence`, by the database and not by the name.
            if name.asciiFolded.hasPrefix("sqlite_") { continue }
            let wasVirtual = try made.formerName.map { try isVirtual($0, isTemporary: made.isTemporary) } ?? false
            try requireVisible(
                name, isTemporary: made.isTemporary, isVirtual: made.isVirtual || wasVirtual, sql)
        }
    }

    /// Refuses a name for a table or view that would hide another one.
    ///
    /// - Parameter isVirtual: Whether it is a virtual table: the names of its shadow tables begin with its name and
    ///   `_`.
    /// - Throws: ``StrongroomError`` with `notAuthorized` if a temporary table or view has the name, or, for a
    ///   temporary one, if one in the file has it.
    func requireVisible(_ name: String, isTemporary: Bool, isVirtual: Bool, _ sql: String? = nil) throws {
        // Reading the schema of the temporary database would open it.
        guard try isTemporary || hasTemporaryDatabase() else { return }
        let others = isTemporary ? "main.sqlite_master" : "sqlite_temp_master"
        let behind = isVirtual ? " OR substr(name, 1, length(?1) + 1) = ?1 || '_' COLLATE NOCASE" : ""
        let found = try ownValue(
            "SELECT name FROM \(others) WHERE type IN ('table', 'view') AND (name = ?1 COLLATE NOCASE\(behind))",
            .text(name))
        guard let hidden = found?.asText else { return }
        throw StrongroomError(
            .notAuthorized,
            """
            A temporary table or view "\(hidden)" would hide the one of that name in the file: what is written to it \
            would be lost. Give the \(isTemporary ? "temporary one" : "new one") another name\
            \(isTemporary ? "" : ", or drop the temporary one (DROP TABLE temp.…) before").
            """,
            database: database, sql: sql)
    }

    /// Whether a table is virtual.
    func isVirtual(_ table: String, isTemporary: Bool) throws -> Bool {
        let schema = isTemporary ? "sqlite_temp_master" : "main.sqlite_master"
        let found = try ownValue(
            "SELECT 1 FROM \(schema) WHERE type = 'table' AND rootpage = 0 AND name = ? COLLATE NOCASE", .text(table))
        return found != nil
    }

    /// The new name in ALTER TABLE … RENAME TO; nil for another statement.
    private static func newName(in sql: String) -> String? {
        let tokens = [SQLToken](sql: sql)
        let index = tokens.indices.first { index in
            tokens[index].isWord("TO") && tokens.significant(before: index)?.isWord("RENAME") == true
        }
        guard let token = index.flatMap({ tokens.significant(after: $0) }) else { return nil }
        // The engine accepts a string literal as a name here, too.
        return token.kind == .literal ? SQLToken.unquoted(token.text) : token.name
    }

    /// Whether the connection has opened its temporary database.
    private func hasTemporaryDatabase() throws -> Bool {
        try withOwnStatement("PRAGMA database_list") { statement in
            let row = Row(statement)
            while try statement.step() {
                if try row.text(at: 1) == "temp" { return true }
            }
            return false
        }
    }
}
