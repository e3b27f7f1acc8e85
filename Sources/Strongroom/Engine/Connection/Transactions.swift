/// A snapshot of the database, lent to the closure of `Store.read`.
///
/// It cannot be copied or kept, and nothing can be written in it: both are the compiler's to refuse.
public struct ReadTransaction: Reading, ~Copyable {
    /// What the transaction works on.
    public let handle: TransactionHandle

    init(_ connection: Connection) {
        handle = TransactionHandle(connection)
    }
}

/// A transaction on the one writer, lent to the closure of `Store.write`.
///
/// It cannot be copied or kept. It is committed when the closure returns and rolled back when the closure throws.
public struct WriteTransaction: Writing, ~Copyable {
    /// What the transaction works on.
    public let handle: TransactionHandle

    init(_ connection: Connection) {
        handle = TransactionHandle(connection)
    }
}
