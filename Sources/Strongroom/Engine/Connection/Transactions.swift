/// A snapshot of the database, lent to the closure of `Store.read`.
///
/// It cannot be copied or kept, and cannot write; the compiler enforces both.
public struct ReadTransaction: Reading, ~Copyable {
    /// The connection of the transaction.
    public let handle: TransactionHandle

    init(_ connection: Connection) {
        handle = TransactionHandle(connection)
    }
}

/// A transaction on the store's only writer, lent to the closure of `Store.write`.
///
/// It cannot be copied or kept. It is committed when the closure returns and rolled back when the closure throws.
public struct WriteTransaction: Writing, ~Copyable {
    /// The connection of the transaction.
    public let handle: TransactionHandle

    init(_ connection: Connection) {
        handle = TransactionHandle(connection)
    }
}
