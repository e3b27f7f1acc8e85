/// A transaction on the current thread, for code that has no reference to it; valid while the thread is inside the
/// transaction.
package struct JoinedTransaction {
    private let connection: Connection
    private let pool: ConnectionPool

    init(_ connection: Connection, of pool: ConnectionPool) {
        self.connection = connection
        self.pool = pool
    }

    /// Whether it is a write transaction.
    package var mayWrite: Bool { connection.mayWrite }

    /// Reads in the transaction.
    ///
    /// - Parameter tables: The tables to read; missing ones are created first if no migrator creates them and the
    ///   transaction may write.
    package func read<T>(_ tables: [any Table.Type], _ body: (borrowing ReadTransaction) throws -> T) throws -> T {
        try pool.prepare(tables, on: connection, isWriting: mayWrite)
        return try body(ReadTransaction(connection))
    }

    /// Writes in the transaction, if it may write.
    ///
    /// - Parameter tables: The tables to write; missing ones are created first if no migrator creates them.
    package func write<T>(_ tables: [any Table.Type], _ body: (borrowing WriteTransaction) throws -> T) throws -> T {
        try pool.prepare(tables, on: connection, isWriting: true)
        return try body(WriteTransaction(connection))
    }
}
