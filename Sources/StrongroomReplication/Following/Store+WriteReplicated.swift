public import Strongroom

extension Store {
    /// Writes, and returns when the replica has the commit, too: it then survives the loss of this host.
    ///
    /// If it throws after the commit, as with `replicaBehind`, the commit is in the database, and is shipped as soon as
    /// possible. Writes that wait at the same time share an object.
    ///
    /// ```swift
    /// try await store.writeReplicated { db in try Payment.insert(payment, in: db) }
    /// ```
    ///
    /// - Parameters:
    ///   - author: The author that histories record; nil for none.
    ///   - timeout: How long to wait for the replica; nil for no limit.
    ///   - body: As for `write(author:as:label:timeout:_:)`.
    /// - Returns: What the closure returns.
    /// - Throws: As `write(author:as:label:timeout:_:)`, and ``Replication/waitUntilShipped(timeout:)``;
    ///   `StrongroomError` with `notDeclared` if the database's configuration has no replica.
    @discardableResult
    public func writeReplicated<T: Sendable>(
        author: String? = nil, timeout: Duration? = nil,
        _ body: sending @escaping (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        guard let replication else {
            throw StrongroomError(
                .notDeclared,
                """
                The configuration of "\(name)" lists no replica, so no write can wait for it. List one in \
                `extensions(for:)`, or use `write`.
                """,
                database: name.fileName)
        }
        let result = try await write(author: author, body)
        try await replication.waitUntilShipped(timeout: timeout)
        return result
    }
}
