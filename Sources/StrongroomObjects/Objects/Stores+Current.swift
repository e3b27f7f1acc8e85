public import Strongroom

extension Stores {
    /// The registry that provides the stores of self-persisting objects: `Stores.shared`, unless it is overridden for a
    /// task.
    ///
    /// ```swift
    /// try await Stores.$current.withValue(try Stores(AddressBook(in: directory))) {
    ///     try await contact.save()
    /// }
    /// ```
    ///
    /// The value applies to the task, its child tasks, and the synchronous code that they call. Inside a transaction it
    /// is not used: there, an object belongs to the transaction's store.
    @TaskLocal public static var current: Stores = .shared

    /// The database of a table that does not name one, `strongroom.sqlite`; its target is `strongroom`.
    public static let defaultDatabaseName = "strongroom.sqlite"

    /// An open store.
    ///
    /// - Throws: `StrongroomError` with `invalidName`, or with `closed` if it is not open.
    func openStore(_ fileName: String) throws -> Store {
        if let store = openedStore(try DatabaseName(fileName)) { return store }
        throw StrongroomError(
            .closed,
            """
            The database is not open, and a blocking call does not open it. Open it before: \
            `try Stores.current.open("\(fileName)")`, in async code with `await`.
            """,
            database: fileName)
    }
}
