extension Access {
    /// Throws where nothing may be written.
    ///
    /// - Throws: ``StrongroomError`` with `readOnly`.
    func requireWriting() throws {
        guard !isReadOnly else { throw StrongroomError.readOnlyStore(database) }
    }
}

extension StrongroomError {
    /// The error for a write in a store that only reads.
    static func readOnlyStore(_ database: String) -> StrongroomError {
        StrongroomError(
            .readOnly,
            "The store was opened to be read alone; open the database with `StoreSettings.isReadOnly` false to change it.",
            database: database)
    }
}
