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
    /// The value applies to the task, its child tasks, and the synchronous code that they call.
    @TaskLocal public static var current: Stores = .shared

    /// The database of a table that does not name one, `strongroom.sqlite`; its target is `strongroom`.
    public static let defaultDatabaseName = "strongroom.sqlite"
}
