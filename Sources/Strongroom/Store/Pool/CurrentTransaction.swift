/// Which stores the running thread is inside a transaction of.
///
/// Kept for each thread, not for each task: a task that a transaction's closure starts is not inside the transaction.
package enum CurrentTransaction {
    private struct Frame {
        let pool: Unmanaged<ConnectionPool>
        /// Nil where the store's own work waits for the thread, and there is no transaction to use.
        let connection: Unmanaged<Connection>?
        let outer: UnsafeRawPointer?
    }

    private static let pointer = ThreadLocal()

    /// Whether the running thread is inside a transaction of a store.
    static func isInside(_ pool: ConnectionPool) -> Bool {
        var isInside = false
        visit { frame in
            isInside = frame.pool.toOpaque() == Unmanaged.passUnretained(pool).toOpaque()
            return !isInside
        }
        return isInside
    }

    /// The innermost transaction of a database that the running thread is inside of, for code that it was not handed
    /// to.
    ///
    /// - Returns: The transaction; nil outside of any of the database's.
    /// - Throws: ``StrongroomError`` with `nestedAccess` in what the store calls when its work is done, and waits for.
    package static func innermost(of database: String) throws -> JoinedTransaction? {
        var found: (pool: ConnectionPool, connection: Connection?)?
        visit { frame in
            let pool = frame.pool.takeUnretainedValue()
            guard pool.database == database else { return true }
            found = (pool, frame.connection?.takeUnretainedValue())
            return false
        }
        guard let found else { return nil }
        guard let connection = found.connection else { throw found.pool.nested }
        return JoinedTransaction(connection, of: found.pool)
    }

    /// The databases whose stores the running thread is inside of, the innermost first.
    package static var databases: [String] {
        var names: [String] = []
        visit { frame in
            names.append(frame.pool.takeUnretainedValue().database)
            return true
        }
        return names
    }

    /// Visits the places from the innermost outwards until the closure returns false.
    private static func visit(_ body: (Frame) -> Bool) {
        var next = pointer.value.map { UnsafeRawPointer($0) }
        while let frame = next?.load(as: Frame.self), body(frame) { next = frame.outer }
    }

    /// Runs work marked as being inside a transaction of a store.
    ///
    /// - Parameter connection: What the transaction runs on; nil for what the store calls outside of any.
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
