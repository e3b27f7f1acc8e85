/// Saving records that are, or become, in memory alone.
extension Table {
    /// Saves a record on the disk or in memory alone.
    ///
    /// One in memory goes to the disk when it is saved there. A row that is on the disk cannot be taken back from it.
    ///
    /// ```swift
    /// try Contact.save(&draft, persistence: .memory, in: db)    // as often as it changes
    /// try Contact.save(&draft, persistence: .disk, in: db)      // now it is to last
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; it gets the key that its row has, which is another one on the disk than the negative one
    ///     that it had got in memory. Unchanged when saving fails.
    ///   - persistence: Where it is kept.
    ///   - db: A write transaction.
    /// - Returns: What was done; `inserted` also when it came into memory, `updated` when it went to the disk.
    /// - Throws: As `save(_:cascading:in:)`, `insert(_:persistence:in:)` and `persist(_:in:)`; ``StrongroomError`` with
    ///   `constraint` for one that is to be in memory and is on the disk. Nothing is changed then.
    @discardableResult
    public static func save(
        _ record: inout RecordType, persistence: Persistence, in db: borrowing some Writing & ~Copyable
    ) throws -> Saved {
        let connection = db.handle.connection
        var copy = record
        let outcome = try connection.inSavepoint { () throws -> Saved in
            let write = { (record: inout RecordType) in try saveRow(&record, persistence, on: connection) }
            guard let hooks else { return try write(&copy) }
            return try save(&copy, hooks, on: connection, write: write)
        }
        record = copy
        return outcome
    }

    private static func saveRow(
        _ record: inout RecordType, _ persistence: Persistence, on connection: Connection
    ) throws -> Saved {
        let db = WriteTransaction(connection)
        let isThere = try key(of: record).map { try isInMemory($0, in: db) } ?? false
        guard isThere || persistence == .disk else {
            try insert(&record, persistence: .memory, in: db)
            return .inserted
        }
        let outcome = try saveRow(&record, on: connection)
        if isThere, persistence == .disk, let key = key(of: record) { setKey(try persist(key, in: db), of: &record) }
        return outcome
    }
}
