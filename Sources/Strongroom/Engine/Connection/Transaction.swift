/// What a transaction works on; opaque, lent with the transaction, and no use without it.
public struct TransactionHandle: ~Copyable {
    @usableFromInline let connection: Connection
    /// The connection's count of changed rows when the transaction was handed out.
    let changesBefore: Int

    init(_ connection: Connection) {
        self.connection = connection
        changesBefore = connection.totalChanges
    }
}

/// A transaction in which one can read.
///
/// The library hands transactions out as borrowed, noncopyable values: the compiler keeps them inside the closure.
/// Write functions that work in any transaction like this:
///
/// ```swift
/// func contactCount(in db: borrowing some Reading & ~Copyable) throws -> Int {
///     try Contact.count(in: db)
/// }
/// ```
public protocol Reading: ~Copyable {
    /// What the transaction works on.
    var handle: TransactionHandle { get }
}

/// A transaction in which one can read and write.
public protocol Writing: Reading, ~Copyable {}

extension Writing where Self: ~Copyable {
    /// Runs work in a savepoint: an error undoes this work and leaves the rest of the transaction as it was.
    ///
    /// ```swift
    /// try await store.write { db in
    ///     try Order.insert(order, in: db)
    ///     try? db.savepoint { db in try Audit.insert(contentsOf: entries, in: db) }
    /// }
    /// ```
    ///
    /// - Parameter body: The work; may open savepoints of its own.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, or ``StrongroomError`` when the engine cannot open or release the savepoint.
    @discardableResult
    public func savepoint<T>(_ body: (borrowing Self) throws -> T) throws -> T {
        try handle.connection.inSavepoint { try body(self) }
    }
}
