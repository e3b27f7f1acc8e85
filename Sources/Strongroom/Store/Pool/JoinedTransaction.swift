/// A transaction that the running thread is inside of, for code that it was not handed to; valid as long as the thread
/// is inside of it.
package struct JoinedTransaction {
    private let connection: Connection
    private let pool: ConnectionPool

    init(_ connection: Connection, of pool: ConnectionPool) {
        self.connection = connection
        self.pool = pool
    }

    /// Whether it may write.
    package var mayWrite: Bool { connection.mayWrite }

    /// Reads in it.
    ///
    /// - Parameter tables: What is read; made first where they are missing, no migrator makes them, and the transaction
    ///   may write.
    package func read<T>(_ tables: [any Table.Type], _ body: (borrowing ReadTransaction) throws -> T) throws -> T {
        try pool.prepare(tables, on: connection, isWriting: mayWrite)
        return try body(ReadTransaction(connection))
    }

    /// Writes in it, where it may write.
    ///
    /// - Parameter tables: What is written; made first where they are missing and no migrator makes them.
    package func write<T>(_ tables: [any Table.Type], _ body: (borrowing WriteTransaction) throws -> T) throws -> T {
        try pool.prepare(tables, on: connection, isWriting: true)
        return try body(WriteTransaction(connection))
    }
}
