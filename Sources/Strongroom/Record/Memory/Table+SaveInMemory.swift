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
    ///   - record: The record; it gets the key that its row has, which is another one on the disk than the negative one that it had got in memory.
    ///     Unchanged when saving fails.
    ///   - persistence: Where it is kept.
    ///   - db: A write transaction.
    /// - Returns: What was done; `inserted` also when it came into memory, `updated` when it went to the disk.
    /// - Throws: As `save(_:cascading:in:)`, `insert(_:persistence:in:)` and `persist(_:in:)`; ``StrongroomError`` with `constraint` for one that is to
    ///   be in memory and is on the disk. Nothing is changed then.
    @discardableResult
    public static func save(
        _ record: inout RecordType, persistence: Persistence, in db: borrowing some Writing & ~Copyable
    ) throws -> Saved {
        let connection = db.handle.connection
        var copy = record
        let outcome = try connection.inSavepoint {
            let db = WriteTransaction(connection)
            let place = try key(of: copy).map { try isInMemory($0, in: db) } ?? false ? Persistence.memory : .disk
            switch (place, persistence) {
            case (.memory, .memory), (.disk, .disk): return try save(&copy, in: db)
            case (.disk, .memory): return try saveAnew(&copy, in: db)
            case (.memory, .disk): return try saveForGood(&copy, in: db)
            }
        }
        record = copy
        return outcome
    }

    /// Inserts it before, so that what runs at a save finds its row.
    private static func saveAnew(_ record: inout RecordType, in db: borrowing WriteTransaction) throws -> Saved {
        try insert(&record, persistence: .memory, in: db)
        return try save(&record, in: db) == .deleted ? .deleted : .inserted
    }

    private static func saveForGood(_ record: inout RecordType, in db: borrowing WriteTransaction) throws -> Saved {
        let outcome = try save(&record, in: db)
        guard outcome != .deleted, let key = key(of: record) else { return outcome }
        setKey(try persist(key, in: db), of: &record)
        return outcome
    }
}
