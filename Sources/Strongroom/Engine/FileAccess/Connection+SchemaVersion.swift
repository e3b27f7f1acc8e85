/// Changes of the schema by other programs while the file is open, such as the migration by a newer program.
///
/// The engine compares the number of the schema at the first step of each statement, and prepares the statement again
/// if another connection has changed the schema. The first statement of a transaction is the same one each time, so
/// that noticing a change costs nothing.
extension Connection {
    /// Runs work that reads in one snapshot, as ``inSnapshot(_:)`` does, if the program knows the schema.
    func inKnownSnapshot<T>(_ body: () throws -> T) throws -> T {
        try inSnapshot {
            try requireKnownSchema()
            return try body()
        }
    }

    /// As ``requireKnownSchema()``, for a transaction that has read nothing.
    func readKnownSchema() throws {
        guard file.schemaCheck != nil else { return }
        try readFirstPage()
        try requireKnownSchema()
    }

    /// Called in a transaction that has read the first page: throws if another program has changed the schema into one
    /// that this program does not know.
    ///
    /// - Throws: The error that opening the file would have.
    func requireKnownSchema() throws {
        // The transaction's own changes may be rolled back.
        guard file.mayHaveOtherSchema, let check = file.schemaCheck,
            !transaction.tables.changesSchema
        else { return }
        let version = try ownNumber("PRAGMA schema_version")
        if version != file.schemaVersion {
            // What their preparation has found in the file may be different now.
            if file.schemaVersion != nil { forgetUserStatements() }
            try check(self, version)
            file.schemaVersion = version
        }
        file.mayHaveOtherSchema = false
    }
}
