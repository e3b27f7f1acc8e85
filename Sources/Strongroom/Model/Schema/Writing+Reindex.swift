extension Writing where Self: ~Copyable {
    /// Rebuilds the indexes that sort by a collation, after a change of its order.
    ///
    /// ```swift
    /// try await store.write { db in try db.reindex(.locale("sv")) }
    /// ```
    ///
    /// Unique indexes keep their rows; if two of them are now equal, nothing is changed. See SQLite's documentation,
    /// "REINDEX" (sqlite.org/lang_reindex.html).
    ///
    /// - Parameter collation: The collation, which the connection must have.
    /// - Throws: ``StrongroomError`` with `constraint` if rows of a unique index are now equal, `missingCollation` if
    ///   there is no such collation.
    public func reindex(_ collation: Collation) throws {
        // The engine calls a collation that it has not used yet an unknown object.
        _ = try value("SELECT '' = ('' COLLATE \(name: collation.name))", as: Int.self)
        try execute("REINDEX \(name: collation.name)")
    }
}
