/// What another module of this package adds to open stores; ``Configuration/extensions(for:)`` lists them.
///
/// The module StrongroomReplication has one: its `Replica` ships what a store commits to an object store.
public protocol StoreExtension: Sendable {}
