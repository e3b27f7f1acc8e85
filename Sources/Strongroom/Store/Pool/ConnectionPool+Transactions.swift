/// Reads and writes in a transaction, which the pool begins and ends.
extension ConnectionPool {
    /// Reads in a snapshot.
    ///
    /// - Throws: As ``perform(_:_:_:)``.
    @inline(__always)
    func read<T: Sendable>(
        _ limits: OperationLimits, _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await perform(.read, limits) { connection in try connection.inSnapshot { try work(connection) } }
    }

    /// As the async form, on the current thread.
    func readBlocking<T>(_ limits: OperationLimits, _ work: (Connection) throws -> T) throws -> T {
        try performBlocking(.read, limits) { connection in try connection.inSnapshot { try work(connection) } }
    }

    /// Writes in a transaction, shared or separate.
    ///
    /// - Throws: ``StrongroomError`` with `readOnly`; as ``perform(_:_:_:)``.
    @inline(__always)
    func write<T: Sendable>(
        as kind: WriteKind, _ limits: OperationLimits, _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try requireWriting()
        guard kind != .shared else { return try await perform(.write, limits, work) }
        return try await perform(.ungroupedWrite, limits) { [group] connection in
            try group.run(kind, on: connection) { try work(connection) }
        }
    }

    /// As the async form, on the current thread.
    func writeBlocking<T>(
        as kind: WriteKind, _ limits: OperationLimits, _ work: (Connection) throws -> T
    ) throws -> T {
        try requireWriting()
        guard kind != .shared else { return try performBlocking(.write, limits, work) }
        return try performBlocking(.ungroupedWrite, limits) { connection in
            try group.run(kind, on: connection) { try work(connection) }
        }
    }
}
