/// An element after each commit that has written a table; several commits that come while nobody waits count as one.
///
/// ```swift
/// for try await _ in store.changes(in: Contact.self) {
///     await badge.refresh()
/// }
/// ```
///
/// It ends when the store is closed, and throws `CancellationError` when the task is cancelled. Commits of other
/// processes, and of other stores of the same program, are not seen.
public struct TableChanges: AsyncSequence, Sendable {
    public typealias Element = Void

    let hub: ChangeBroadcaster
    let tables: Set<String>

    static func names(_ tables: [any Table.Type]) -> Set<String> {
        Set(tables.map { TableUse.name($0.schema.name) })
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: ChangeObserver(hub, tables: tables))
    }

    /// Waits for the changes of ``TableChanges``; what is committed from its making on is not missed.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observer: ChangeObserver

        /// Waits for a change.
        ///
        /// - Returns: Nil when the store is closed.
        /// - Throws: `CancellationError`.
        public mutating func next() async throws -> Void? {
            guard try await observer.wait() else { return nil }
            observer.begin()
            return ()
        }
    }
}

extension Store {
    /// Tells of each commit that has written one of some tables.
    ///
    /// A statement that could have written a table counts, also when it found no row.
    ///
    /// - Parameter tables: The tables.
    /// - Returns: The changes; counted from when they are iterated over.
    public func changes(in tables: any Table.Type...) -> TableChanges {
        TableChanges(hub: pool.hub, tables: TableChanges.names(tables))
    }
}
