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
}

/// The state of the transaction that this library opened last on a connection.
struct TransactionContext {
    enum State {
        /// No transaction is open.
        case none
        /// A transaction is open.
        case open
        /// The engine has rolled it back, or a part of it could not be rolled back: no statement may run in it any
        /// more.
        case rolledBack
    }

    /// Whether the user's closure that runs may request the rollback of its work.
    enum Rollback {
        /// It may not: it is none of a write or a savepoint.
        case refused
        case possible, requested
    }

    var state = State.none
    var rollback = Rollback.refused
    var rollbackCause: StrongroomError?
    /// Counts transactions and rolled back parts.
    private(set) var number = 0
    /// The tables that it has read and written.
    var tables = TableUse()
    /// Whether reads of tables are recorded, too.
    var isWatchingReads = false
    /// Whether the connection is read-only until the transaction ends.
    var isKeptFromWriting = false
    /// Whether a reader could not be made read-only again: its slot closes it.
    var isStuckWritable = false
    var isCommitting = false
    /// Called once the transaction is committed, by the holder of the connection; dropped when it is rolled back.
    var whenCommitted: [() -> Void] = []
    /// The time of the rows that the transaction writes, in seconds since the start of 2001, once it is needed.
    var writeTime: Double?
    var authorship = Authorship()
    /// Whether the table of the author may have a row.
    var hasAuthorRow = false
    /// The values that are open for writing in parts.
    var writers: [OpenBlob] = []
    /// The rows that closures receive now, the innermost last.
    var openRows: [OpenRows] = []
    /// State of the layers above for this transaction.
    var attachments = Attachments()

    /// The number of changed rows that the engine had counted when it began.
    private(set) var changesBefore = 0
    /// Whether it may have written something that the engine does not count, such as a value in parts.
    var hasUncountedWrites = false

    /// The tables that the last committed transactions have written.
    var committedWrites: Set<String> = []

    mutating func begin(after changes: Int) {
        changesBefore = changes
        hasUncountedWrites = false
        state = .open
        rollbackCause = nil
        number += 1
        tables = TableUse()
        writeTime = nil
        writers = []
        whenCommitted = []
        attachments = Attachments()
        authorship = Authorship()
        hasAuthorRow = false
    }

    /// Records the rollback of a part: its statements are recorded again when they next run.
    mutating func undoPart(_ before: TableUse, _ authorBefore: Authorship) {
        tables = before
        authorship = authorBefore
        number += 1
        attachments = Attachments()
    }

    /// Records the commit: the tables of its statements, unless these have changed no row at all.
    mutating func recordCommit(after changes: Int) {
        guard !tables.writes.isEmpty else { return }
        guard changes != changesBefore || hasUncountedWrites || tables.changesSchema else { return }
        committedWrites.formUnion(tables.writes)
    }
}

/// A snapshot of the database, lent to the closure of `Store.read`.
///
/// It cannot be copied or stored, and cannot write; the compiler enforces both.
public struct ReadTransaction: Reading, ~Copyable {
    /// The connection of the transaction.
    public let _handle: _TransactionHandle

    init(_ connection: Connection) {
        _handle = _TransactionHandle(connection)
    }
}

/// A transaction on the store's only writer, lent to the closure of `Store.write`.
///
/// It cannot be copied or stored. It is committed when the closure returns, unless the closure has called
/// ``rollBack()``, and rolled back when the closure throws.
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

extension WriteTransaction {
    /// Whether the closure's work is rolled back when the closure returns.
    package var isRollbackRequested: Bool { _handle.connection.transaction.rollback == .requested }

    /// Has work done once the transaction is committed, before the next write begins; for the last step of a write that
    /// shares its transaction with no other.
    package func whenCommitted(_ work: @escaping () -> Void) {
        _handle.connection.transaction.whenCommitted.append(work)
    }
}

/// The end of work whose closure has requested that it be undone; no failure.
struct RequestedRollback: Error, @unchecked Sendable {  // for the caller of the work, whose result it is
    private let result: Any

    init(_ result: Any) { self.result = result }

    /// What the closure has returned.
    func returned<T>(as type: T.Type = T.self) throws -> T {
        guard let result = result as? T else { throw self }
        return result
    }
}

extension Connection {
    /// Runs the closure of a write or a savepoint, which may request the rollback of its work.
    ///
    /// - Throws: ``RequestedRollback``, upon which the caller rolls back; what the closure throws.
    func acceptingRollback<T>(_ body: () throws -> T) throws -> T {
        let outer = transaction.rollback
        transaction.rollback = .possible
        defer { transaction.rollback = outer }
        let result = try body()
        guard transaction.rollback == .requested else { return result }
        throw RequestedRollback(result)
    }

    /// Runs a user's work in a savepoint, which an error or a request rolls back.
    func inOwnSavepoint<T>(_ body: () throws -> T) throws -> T {
        do {
            return try inSavepoint { try acceptingRollback(body) }
        } catch let rollback as RequestedRollback {
            return try rollback.returned()
        }
    }
}
