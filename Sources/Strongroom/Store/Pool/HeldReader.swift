/// What reads a held snapshot: a statement, or a value that is read in parts.
protocol SnapshotCursor: AnyObject, SendableMetatype {
    /// Ends the reading; the connection may then end its transaction.
    func finish()
}

extension Statement: SnapshotCursor {}
extension OpenBlob: SnapshotCursor {}

/// A reader with a snapshot that is held across several parts of work; released when this is deinitialized.
final class HeldReader: Sendable {
    let slot: ConnectionPool.Queue.Slot
    let operation: PoolOperation
    private let pool: ConnectionPool
    private let snapshot = Snapshot()

    /// What reads the snapshot.
    private final class Snapshot: @unchecked Sendable {  // guarded by the reader's slot
        var cursor: (any SnapshotCursor)?

        func perform<Cursor: SnapshotCursor, T>(
            making make: (Connection) throws -> Cursor,
            _ work: (Cursor, Connection) throws -> T,
            on connection: Connection
        ) throws -> T {
            if cursor == nil { try connection.beginSnapshot() }
            do {
                if cursor == nil { try connection.requireKnownSchema() }
                let cursor = if let cursor = cursor as? Cursor { cursor } else { try make(connection) }
                self.cursor = cursor
                let result = try work(cursor, connection)
                try connection.checkPages()
                return result
            } catch {
                throw connection.explanation(of: error)
            }
        }
    }

    init(_ pool: ConnectionPool, _ slot: ConnectionPool.Queue.Slot, _ operation: PoolOperation) {
        self.pool = pool
        self.slot = slot
        self.operation = operation
    }

    deinit {
        pool.release(slot) { [snapshot] connection in
            // It must not outlive its connection.
            snapshot.cursor.take()?.finish()
            connection.rollBack()
        }
    }

    /// Runs a part of the work with the cursor, which is made for the first part.
    ///
    /// - Throws: What the work throws; ``StrongroomError`` with `damaged` if this part or an earlier one read a damaged
    ///   page, so that no possibly wrong value is returned.
    func perform<Cursor: SnapshotCursor, T: Sendable>(
        making make: @escaping @Sendable (Connection) throws -> Cursor,
        _ work: @escaping @Sendable (Cursor, Connection) throws -> T
    ) async throws -> T {
        try await pool.perform(on: self) { [snapshot] connection in
            try snapshot.perform(making: make, work, on: connection)
        }
    }

    /// Begins a part of the work, as ``perform(making:_:)`` runs it, and returns at once; the reader is held until it
    /// is done. Only one part may be in progress.
    ///
    /// - Parameter completion: Called on the reader's thread when the part is done, so that another one may begin.
    func begin<Cursor: SnapshotCursor, T>(
        _ urgency: Urgency,
        making make: @escaping @Sendable (Connection) throws -> Cursor,
        _ work: @escaping @Sendable (Cursor, Connection) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        pool.begin(
            on: self, urgency,
            { [snapshot] connection in try snapshot.perform(making: make, work, on: connection) },
            completion: completion)
    }

    /// Stops the part in progress; no other part begins.
    func stop() {
        operation.stop(.cancelled)
        pool.interrupt(operation)
    }

    /// Ends the snapshot.
    func finish() async throws {
        try await pool.perform(on: self) { [snapshot] connection in
            snapshot.cursor.take()?.finish()
            try connection.commit()
        }
    }
}
