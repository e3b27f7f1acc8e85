/// The connection of a transaction; opaque, lent with the transaction, and of no use without it.
public struct _TransactionHandle: ~Copyable {
    @usableFromInline let connection: Connection
    /// The connection's count of changed rows when the transaction was lent.
    let changesBefore: Int

    init(_ connection: Connection) {
        self.connection = connection
        changesBefore = connection.totalChanges
    }
}

/// A transaction that can read.
///
/// The library lends transactions as borrowed, noncopyable values: the compiler keeps them inside the closure. Write
/// functions that work in any transaction as follows:
///
/// ```swift
/// func contactCount(in db: borrowing some Reading & ~Copyable) throws -> Int {
///     try Contact.count(in: db)
/// }
/// ```
public protocol Reading: ~Copyable {
    /// The connection of the transaction.
    var _handle: _TransactionHandle { get }
}

/// A transaction that can read and write.
public protocol Writing: Reading, ~Copyable {}

extension Writing where Self: ~Copyable {
    /// Runs work in a savepoint: an error, or ``WriteTransaction/rollBack()``, rolls back this work and leaves the rest
    /// of the transaction as it was.
    ///
    /// ```swift
    /// try await store.write { db in
    ///     try Order.insert(order, in: db)
    ///     try? db.savepoint { db in try Audit.insert(contentsOf: entries, in: db) }
    /// }
    /// ```
    ///
    /// - Parameter body: The work; it may open further savepoints.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, or ``StrongroomError`` if the engine cannot open or release the savepoint.
    @discardableResult
    public func savepoint<T>(_ body: (borrowing Self) throws -> T) throws -> T {
        try _handle.connection.inOwnSavepoint { try body(self) }
    }

    /// Runs a part of one of the library's operations in a savepoint. A hook that requests a rollback in it requests
    /// that of the user's closure.
    @usableFromInline
    func inPart<T>(_ body: (borrowing Self) throws -> T) throws -> T {
        try _handle.connection.inSavepoint { try body(self) }
    }
}
