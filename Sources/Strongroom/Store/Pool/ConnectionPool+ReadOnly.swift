import Synchronization

extension ConnectionPool {
    /// Throws if the store is read-only, or refuses writes.
    ///
    /// - Throws: ``StrongroomError`` with `readOnly`, or `closed`; the error of ``refuseWrites(_:)``.
    func requireWriting() throws {
        if refusesWrites.load(ordering: .relaxed), let refusal = refusal.withLock({ $0 }) {
            throw isClosing ? closed : refusal
        }
        guard isReadOnly else { return }
        throw isClosing ? closed : StrongroomError.readOnlyStore(database)
    }

    /// Makes every later write throw an error; those that run end as usual.
    func refuseWrites(_ error: StrongroomError) {
        refusal.withLock { $0 = error }
        refusesWrites.store(true, ordering: .releasing)
    }

    /// Ends what ``refuseWrites(_:)`` has begun.
    func acceptWrites() {
        refusesWrites.store(false, ordering: .releasing)
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
