/// An element after each commit that has written a table; commits between two iterations are combined into one element.
///
/// ```swift
/// for try await _ in store.changes(in: Contact.self) {
///     await badge.refresh()
/// }
/// ```
///
/// The sequence ends when the store is closed, and throws `CancellationError` if the task is cancelled. A commit of
/// another process counts for every table, see ``StoreSettings/foreignChanges``.
public struct TableChanges: AsyncSequence, Sendable {
    public typealias Element = Void

    let broadcaster: ChangeBroadcaster
    let tables: Set<String>

    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: ChangeObserver(broadcaster, tables: tables))
    }

    /// Waits for the changes of ``TableChanges``; commits after its creation are not missed.
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
