/// Reads and writes in a transaction, which the pool begins and ends.
extension ConnectionPool {
    /// Reads in a snapshot.
    ///
    /// - Throws: As ``perform(_:_:_:)``.
    @inline(__always)
    func read<T: Sendable>(
        _ limits: OperationLimits, _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await perform(.read, limits) { connection in try connection.inKnownSnapshot { try work(connection) } }
    }

    /// As the async form, on the current thread.
    func readBlocking<T>(_ limits: OperationLimits, _ work: (Connection) throws -> T) throws -> T {
        try performBlocking(.read, limits) { connection in try connection.inKnownSnapshot { try work(connection) } }
    }

    /// Writes in a transaction, shared or separate; the work may request its rollback.
    ///
    /// - Throws: ``StrongroomError`` with `readOnly`; as ``perform(_:_:_:)``.
    @inline(__always)
    func write<T: Sendable>(
        as kind: WriteKind, _ limits: OperationLimits, _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try requireWriting()
        do {
            guard kind != .shared else {
                return try await perform(.write, limits) { [self] connection in
                    // It may have waited while the store began to refuse writes.
                    try requireWriting()
                    return try RolledBack.accepting(work, on: connection)
                }
            }
            return try await perform(.ungroupedWrite, limits) { [self] connection in
                try requireWriting()
                return try group.run(kind, on: connection) { try RolledBack.accepting(work, on: connection) }
            }
        } catch let rolledBack as RolledBack<T> {
            return rolledBack.result
        }
    }

    /// As the async form, on the current thread.
    func writeBlocking<T>(
        as kind: WriteKind, _ limits: OperationLimits, _ work: (Connection) throws -> T
    ) throws -> T {
        try requireWriting()
        var result: T?
        func accepting(_ connection: Connection) throws -> T {
            try requireWriting()
            return try connection.acceptingRollback({ try work(connection) }, undone: { result = $0 })
        }
        do {
            guard kind != .shared else { return try performBlocking(.write, limits, accepting) }
            return try performBlocking(.ungroupedWrite, limits) { connection in
                try group.run(kind, on: connection) { try accepting(connection) }
            }
        } catch let error as RequestedRollback {
            guard let result else { throw error }
            return result
        }
    }
}

/// The result of a write that was rolled back at its own request.
private struct RolledBack<Result: Sendable>: RequestedByWork {
    let result: Result

    static func accepting(_ work: (Connection) throws -> Result, on connection: Connection) throws -> Result {
        var result: Result?
        do {
            return try connection.acceptingRollback({ try work(connection) }, undone: { result = $0 })
        } catch let error as RequestedRollback {
            guard let result else { throw error }
            throw RolledBack(result: result)
        }
    }
}
