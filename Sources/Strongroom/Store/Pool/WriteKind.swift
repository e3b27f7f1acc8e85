/// How a write's transaction begins, and whether others may share it.
///
/// See SQLite's documentation, "Transaction" (sqlite.org/lang_transaction.html).
public enum WriteKind: Sendable, Hashable {
    /// Writes that wait at the same time share one transaction, each in a savepoint of its own. It is begun IMMEDIATE.
    case shared
    /// A transaction of its own, which has the right to write from its beginning. Cancellation stops it also in the
    /// middle of a statement.
    case immediate
    /// A transaction of its own, which takes the right to write with its first writing statement; that one fails with
    /// `busy` when another process has written since the first reading one.
    case deferred
}
