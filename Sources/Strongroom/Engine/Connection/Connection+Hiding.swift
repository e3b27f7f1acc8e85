extension Connection {
    /// Refuses a statement that gives a temporary table or view the name of one of the file's, or the other way round:
    /// by its name the engine finds the temporary one, no reader sees what is written to it, and it is gone with the
    /// connection.
    ///
    /// - Throws: ``StrongroomError`` with `notAuthorized`.
    func refuseHiding(_ all: [Authorizer.Made], _ sql: String) throws {
        for made in all {
            guard let name = made.name ?? Self.newName(in: sql) else { continue }
            try requireVisible(name, isTemporary: made.isTemporary, sql)
        }
    }

    /// Refuses the name for a table or view.
    ///
    /// - Throws: ``StrongroomError`` with `notAuthorized` when a temporary one has it, or, for a temporary one, one of
    ///   the file's.
    func requireVisible(_ name: String, isTemporary: Bool, _ sql: String? = nil) throws {
        // Asking it for its tables would open it.
        guard try isTemporary || hasTemporaryDatabase() else { return }
        let others = isTemporary ? "main.sqlite_master" : "sqlite_temp_master"
        let found = try ownValue(
            "SELECT 1 FROM \(others) WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE", .text(name))
        guard found != nil else { return }
        throw StrongroomError(
            .notAuthorized,
            """
            A temporary table or view "\(name)" would hide the one of that name in the file: what is written to it \
            would be lost. Give the \(isTemporary ? "temporary one" : "new one") another name\
            \(isTemporary ? "" : ", or drop the temporary one (DROP TABLE temp.…) before").
            """,
            database: database, sql: sql)
    }

    /// The name that ALTER TABLE … RENAME TO gives; nil for another change.
    private static func newName(in sql: String) -> String? {
        let tokens = [SQLToken](sql: sql)
        let place = tokens.indices.first { place in
            tokens[place].isWord("TO") && tokens.significant(before: place)?.isWord("RENAME") == true
        }
        guard let token = place.flatMap({ tokens.significant(after: $0) }) else { return nil }
        // The engine takes a text for a name here, too.
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
