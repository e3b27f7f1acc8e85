/// What another module of this package adds to open stores; ``Configuration/extensions(for:)`` lists them.
///
/// The module StrongroomReplication has one: its `Replica` ships what a store commits to an object store. A type of
/// yours cannot be one; give a store what it needs after `open`, and end it before `close`.
public protocol StoreExtension: Sendable {
    /// Called before a database is opened; an error that it throws ends the opening.
    ///
    /// - Parameter name: The database's name.
    /// - Returns: What undoes it if the database cannot be opened; nil for nothing.
    func _prepare(_ name: DatabaseName) async throws -> (@Sendable () async -> Void)?
}
