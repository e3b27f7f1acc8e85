extension Connection {
    /// Refuses a statement that makes a temporary table or view with the name of one of the file's, or the other way
    /// round: by its name the engine finds the temporary one, no reader sees what is written to it, and it is gone with the
    /// connection.
    ///
    /// - Throws: ``StrongroomError`` with `notAuthorized`.
    func refuseHiding(_ sql: String) throws {
        for made in authorizer.takeMade() {
            // Asking it for its tables would open it.
            guard try made.isTemporary || hasTemporaryDatabase() else { continue }
            let others = made.isTemporary ? "main.sqlite_master" : "sqlite_temp_master"
            let found = try ownValue(
                "SELECT 1 FROM \(others) WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE", .text(made.name))
            guard found != nil else { continue }
            throw StrongroomError(
                .notAuthorized,
                """
                A temporary table or view "\(made.name)" would hide the one of that name in the file: what is written to it \
                would be lost. Give the \(made.isTemporary ? "temporary one" : "new one") another name\
                \(made.isTemporary ? "" : ", or drop the temporary one (DROP TABLE temp.…) before").
                """,
                database: database, sql: sql)
        }
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
