extension Reading where Self: ~Copyable {
    /// The number of the newest transaction that a history has, such as the one to undo next.
    ///
    /// ```swift
    /// try await store.write { db in
    ///     if let number = try db.lastTransaction(author: "ada") { try db.undo(transaction: number) }
    /// }
    /// ```
    ///
    /// Each history is read from its end to the first change that fits. An undoing is a transaction, too: undoing the
    /// newest one twice restores what it had changed. In a write transaction its own changes count.
    ///
    /// - Parameter author: The author of the transaction's newest change in a table; nil for any transaction.
    /// - Returns: The number; nil if no history has such a change.
    /// - Throws: ``StrongroomError`` with `tableDiffers` if a history does not fit its table.
    public func lastTransaction(author: String? = nil) throws -> Int64? {
        let connection = _handle.connection
        let isWanted = author == nil ? "" : " AND author = ?"
        let newest = try StoredHistory.all(on: connection).compactMap { history in
            let sql = """
                SELECT transaction_id FROM main.\(history.quotedName) WHERE transaction_id IS NOT NULL\(isWanted) \
                ORDER BY change DESC LIMIT 1
                """
            return try connection.rows(sql, author.map { [.text($0)] } ?? []).first?[0].asInteger
        }
        return newest.max()
    }
}
