/// How a write's transaction begins, and whether other writes may share it.
///
/// See SQLite's documentation, "Transaction" (sqlite.org/lang_transaction.html).
public enum WriteKind: Sendable, Hashable {
    /// Writes that wait at the same time share one transaction, each in its own savepoint. It begins with BEGIN
    /// IMMEDIATE.
    case shared
    /// A separate transaction, which acquires the write lock when it begins. Cancellation interrupts it also in the
    /// middle of a statement.
    case immediate
    /// A separate transaction, which acquires the write lock with its first writing statement; that statement fails
    /// with `busy` if another process has written since the transaction's first read.
    case deferred
}
