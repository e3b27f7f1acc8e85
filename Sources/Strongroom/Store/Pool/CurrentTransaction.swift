/// The stores that have a transaction on the current thread.
///
/// Recorded per thread, not per task: a task started by a transaction's closure is not inside the transaction.
package enum CurrentTransaction {
    private struct Frame {
        let pool: Unmanaged<ConnectionPool>
        /// Nil while the store's own work waits for a callback on this thread, without a usable transaction.
        let connection: Unmanaged<Connection>?
        let outer: UnsafeRawPointer?
    }

    private static let pointer = ThreadLocal()

    /// Whether the current thread is inside a transaction of a store.
    static func isInside(_ pool: ConnectionPool) -> Bool {
        var isInside = false
        visit { frame in
            isInside = frame.pool.toOpaque() == Unmanaged.passUnretained(pool).toOpaque()
            return !isInside
        }
        return isInside
    }

    /// Whether the current thread is inside a transaction of any store.
    static var isInsideAny: Bool { pointer.value != nil }

    /// The innermost transaction of a database on the current thread, for code that has no reference to it.
    ///
    /// - Returns: The transaction, or nil outside of any transaction of the database.
    /// - Throws: ``StrongroomError`` with `nestedAccess` in a completion that the store calls after its work and waits
    ///   for, and in a function in Swift that a statement calls.
    package static func innermost(of database: String) throws -> JoinedTransaction? {
        var found: (pool: ConnectionPool, connection: Connection?)?
        visit { frame in
            let pool = frame.pool.takeUnretainedValue()
            guard pool.database == database else { return true }
            found = (pool, frame.connection?.takeUnretainedValue())
            return false
        }
        guard let found else { return nil }
        // A function in Swift runs in the middle of a statement.
        guard let connection = found.connection, !connection.functions.isCalling else { throw found.pool.nested }
        return JoinedTransaction(connection, of: found.pool)
    }

    /// The databases that have a transaction on the current thread, innermost first.
    package static var databases: [String] {
        var names: [String] = []
        visit { frame in
            names.append(frame.pool.takeUnretainedValue().database)
            return true
        }
        return names
    }

    /// Visits the frames from the innermost outwards until the closure returns false.
    private static func visit(_ body: (Frame) -> Bool) {
        var next = pointer.value.map { UnsafeRawPointer($0) }
        while let frame = next?.load(as: Frame.self), body(frame) { next = frame.outer }
    }

    /// Runs work marked as being inside a transaction of a store.
    ///
    /// - Parameter connection: The transaction's connection; nil for callbacks outside of any transaction.
    static func inside<T>(_ pool: ConnectionPool, _ connection: Connection?, _ body: () throws -> T) rethrows -> T {
        let outer = pointer.value
        let frame = Frame(
            pool: .passUnretained(pool), connection: connection.map { .passUnretained($0) },
            outer: outer.map { UnsafeRawPointer($0) })
        return try withUnsafePointer(to: frame) { inner in
            pointer.value = UnsafeMutableRawPointer(mutating: inner)
            defer { pointer.value = outer }
            return try body()
        }
    }
}
