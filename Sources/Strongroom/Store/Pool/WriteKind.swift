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
    /// A transaction of its own. With a write-ahead log, which every store has, it is the same as ``immediate``.
    case exclusive

    private var start: Connection.Start? {
        switch self {
        case .shared: nil
        case .immediate: .immediate
        case .deferred: .deferred
        case .exclusive: .exclusive
        }
    }

    var request: ConnectionPool.Queue.Request { self == .shared ? .write : .writeAlone }

    /// Runs work in the transaction; that of shared writes is begun and ended by their group.
    func run<T>(on connection: Connection, _ body: () throws -> T) throws -> T {
        guard let start else { return try body() }
        return try connection.inTransaction(start, body)
    }
}
