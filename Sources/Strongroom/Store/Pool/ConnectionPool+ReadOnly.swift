extension ConnectionPool {
    /// Throws if the store is read-only.
    ///
    /// - Throws: ``StrongroomError`` with `readOnly`, or `closed`.
    func requireWriting() throws {
        guard isReadOnly else { return }
        throw isClosing ? closed : StrongroomError.readOnlyStore(database)
    }
}

extension StrongroomError {
    /// The error for a write in a read-only store.
    static func readOnlyStore(_ database: String) -> StrongroomError {
        StrongroomError(
            .readOnly,
            """
            The settings say that the database is opened read-only; open it with `StoreSettings.isReadOnly` false to \
            change it.
            """,
            database: database)
    }
}
