extension Store {
    /// Writes as `write(as:label:timeout:_:)` does, with an author for the tables that
    /// keep a history.
    ///
    /// ```swift
    /// try await store.write(author: user.name) { db in try Patient.update(patient, in: db) }
    /// ```
    ///
    /// - Parameters:
    ///   - author: The author; nil for none. See ``Writing/author``.
    ///   - kind: How the transaction begins, and whether other writes may share it.
    ///   - label: The name of the write in error messages.
    ///   - timeout: How long it may wait and run; nil for no limit.
    ///   - body: Runs on one of the store's threads. If it throws, its work is rolled back.
    /// - Returns: What the closure returns.
    /// - Throws: As `write(as:label:timeout:_:)`.
    @discardableResult
    public func write<T: Sendable>(
        author: String?,
        as kind: WriteKind = .shared,
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await pool.write(as: kind, OperationLimits(label: label, timeout: timeout)) { connection in
            connection.setAuthor(author)
            return try body(WriteTransaction(connection))
        }
    }
}
