public import Strongroom

extension Stores {
    /// The registry in which objects that persist themselves find their store: `Stores.shared`, unless a task has been
    /// given another one.
    ///
    /// ```swift
    /// try await Stores.$current.withValue(try Stores(AddressBook(in: directory))) {
    ///     try await contact.save()
    /// }
    /// ```
    ///
    /// It holds for the task, its child tasks, and the synchronous code that they call. Inside a transaction it is not
    /// asked: there an object belongs to the store whose transaction it is.
    @TaskLocal public static var current: Stores = .shared

    /// The database of a table that names none, `strongroom.sqlite`; its target is `strongroom`.
    public static let defaultDatabaseName = "strongroom.sqlite"

    /// A store that is open.
    ///
    /// - Throws: `StrongroomError` with `invalidName`, or with `closed` when it is not open.
    func openStore(_ fileName: String) throws -> Store {
        if let store = openedStore(try DatabaseName(fileName)) { return store }
        throw StrongroomError(
            .closed,
            """
            The database is not open, and code that is not async cannot wait until it is. Open it before: \
            `try await Stores.current.open("\(fileName)")`.
            """,
            database: fileName)
    }
}
