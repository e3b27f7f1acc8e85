/// A reader with a snapshot that is held across several parts of work; released when this is deinitialized.
final class HeldReader: Sendable {
    let slot: ConnectionPool.Queue.Slot
    let ticket: UInt64
    private let pool: ConnectionPool
    private let snapshot = Snapshot()

    /// The statement that reads the snapshot.
    private final class Snapshot: @unchecked Sendable {  // guarded by the reader's slot
        var statement: Statement?
    }

    init(_ pool: ConnectionPool, _ slot: ConnectionPool.Queue.Slot, _ ticket: UInt64) {
        self.pool = pool
        self.slot = slot
        self.ticket = ticket
    }

    deinit {
        pool.release(slot, ticket) { [snapshot] connection in
            // The statement must not outlive its connection.
            snapshot.statement.take()?.finish()
            connection.rollBack()
        }
    }

    /// Runs a part of the work with the statement, which is prepared for the first part.
    ///
    /// - Throws: What the work throws; ``StrongroomError`` with `damaged` if this part or an earlier one read a damaged
    ///   page, so that no possibly wrong value is returned.
    func perform<T: Sendable>(
        making make: @escaping @Sendable (Connection) throws -> Statement,
        _ work: @escaping @Sendable (Statement, Connection) throws -> T
    ) async throws -> T {
        try await pool.perform(on: self) { [snapshot] connection in
            if snapshot.statement == nil { try connection.beginSnapshot() }
            do {
                let statement = if let statement = snapshot.statement { statement } else { try make(connection) }
                snapshot.statement = statement
                let result = try work(statement, connection)
                try connection.checkPages()
                return result
            } catch {
                throw connection.explanation(of: error)
            }
        }
    }

    /// Ends the snapshot.
    func finish() async throws {
        try await pool.perform(on: self) { [snapshot] connection in
            snapshot.statement.take()?.finish()
            try connection.commit()
        }
    }
}
