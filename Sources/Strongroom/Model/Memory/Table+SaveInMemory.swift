/// Saves records that are, or become, in-memory records.
extension Table {
    /// Saves a record to the file or to memory only.
    ///
    /// An in-memory record moves to the file when it is saved there. A row in the file cannot be moved to memory.
    ///
    /// ```swift
    /// try Contact.save(&draft, persistence: .memory, in: db)    // as often as it changes
    /// try Contact.save(&draft, persistence: .disk, in: db)      // now it is to last
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; its key is set to that of its row, which differs from the negative key of an in-memory
    ///     record once it is in the file. Unchanged if saving fails.
    ///   - persistence: Where the record is stored.
    ///   - db: A write transaction.
    /// - Returns: The outcome: `inserted` also for a record new in memory, `updated` for one that moved to the file.
    /// - Throws: As `save(_:cascading:in:)`, `insert(_:persistence:in:)` and `persist(_:in:)`; ``StrongroomError`` with
    ///   `constraint` if the record is to be saved to memory and is in the file. Nothing is changed then.
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
            adopt(try insertInMemory(record, on: connection), .inserted, in: &record, on: connection)
            return .inserted
        }
        let outcome = try saveRow(&record, on: connection)
        if isThere, persistence == .disk, let key = key(of: record) { setKey(try persist(key, in: db), of: &record) }
        return outcome
    }
}
