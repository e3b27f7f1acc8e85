extension Table {
    /// The record with the lowest primary key.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The record, or nil when the table is empty.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
    @inlinable
    public static func first(in db: borrowing some Reading & ~Copyable) throws -> RecordType? {
        try Query<Self>().orderedByKey(descending: false).first(in: db)
    }
}
