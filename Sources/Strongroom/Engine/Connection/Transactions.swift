/// A snapshot of the database, lent to the closure of `Store.read`.
///
/// It cannot be copied or kept, and cannot write; the compiler enforces both.
public struct ReadTransaction: Reading, ~Copyable {
    /// The connection of the transaction.
    public let _handle: _TransactionHandle

    init(_ connection: Connection) {
        _handle = _TransactionHandle(connection)
    }
}

/// A transaction on the store's only writer, lent to the closure of `Store.write`.
///
/// It cannot be copied or kept. It is committed when the closure returns, unless the closure has called ``rollBack()``,
/// and rolled back when the closure throws.
public struct WriteTransaction: Writing, ~Copyable {
    /// The connection of the transaction.
    public let _handle: _TransactionHandle

    init(_ connection: Connection) {
        _handle = _TransactionHandle(connection)
    }
}

extension WriteTransaction {
    /// Requests that the work of the closure is rolled back when the closure returns; what the closure returns is
    /// returned nevertheless.
    ///
    /// Inside ``Writing/savepoint(_:)`` it applies to the work of the savepoint, otherwise to that of `write`. Until
    /// then, further statements run and see the changes. Observers are not informed of a write that was rolled back.
    ///
    /// ```swift
    /// let count = try await store.write { db in
    ///     let count = try Contact.where { $0.calls == 0 }.delete(in: db)
    ///     if count > 100 { try db.rollBack() }     // nothing is deleted
    ///     return count
    /// }
    /// ```
    ///
    /// - Throws: ``StrongroomError`` with `notAuthorized` in a migration, which only an error rolls back.
    public func rollBack() throws {
        let connection = _handle.connection
        guard connection.transaction.rollback != .refused else {
            throw StrongroomError(
                .notAuthorized,
                "`rollBack()` is for `write` and `savepoint`; in a migration, throw an error to undo the step.",
                database: connection.database)
        }
        connection.transaction.rollback = .requested
    }
}

/// The end of work whose closure has requested a rollback.
struct RequestedRollback: Error, RequestedByWork {}

/// An error that is no failure: the work has requested that it be undone.
protocol RequestedByWork: Error {}

extension Connection {
    /// Runs the closure of a write or a savepoint, which may request the rollback of its work.
    ///
    /// - Parameter undone: Called with the closure's result if it has requested the rollback.
    /// - Throws: ``RequestedRollback``, upon which the caller rolls back; what the closure throws.
    func acceptingRollback<T>(_ body: () throws -> T, undone: (T) -> Void) throws -> T {
        let outer = transaction.rollback
        transaction.rollback = .possible
        defer { transaction.rollback = outer }
        let result = try body()
        guard transaction.rollback == .requested else { return result }
        undone(result)
        throw RequestedRollback()
    }

    /// Runs a user's work in a savepoint, which an error or a request rolls back.
    func inOwnSavepoint<T>(_ body: () throws -> T) throws -> T {
        var result: T?
        do {
            return try inSavepoint { try acceptingRollback(body) { result = $0 } }
        } catch let error as RequestedRollback {
            guard let result else { throw error }
            return result
        }
    }
}
