/// Saves records that are, or become, in-memory records.
extension Table {
    /// Saves a record to the file or to memory only.
    ///
    /// An in-memory record moves to the file when it is saved there, with its children that are in memory. A row in the
    /// file does not move to memory by being saved there: ``moveToMemory(_:in:)`` does that.
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
    ///   - cascading: Whether its parents and children are saved as well, in the same place; see ``Relations``. A
    ///     parent that has a row in the file is saved there in any case.
    ///   - db: A write transaction.
    /// - Returns: The outcome: `inserted` also for a record new in memory, `updated` for one that moved to the file.
    /// - Throws: As `save(_:cascading:in:)`, `insert(_:persistence:in:)` and `persist(_:in:)`; ``StrongroomError`` with
    ///   `constraint` if the record is to be saved to memory and is in the file, with `inMemory` if one of its children
    ///   is. Nothing is changed then.
    @discardableResult
    public static func save(
        _ record: inout RecordType, persistence: Persistence, cascading: Bool = false,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Saved {
        let connection = db._handle.connection
        guard cascading else { return try save(&record, persistence, nil, isRequested: true, on: connection) }
        if persistence == .memory { try requireNoneInFile([record], on: connection) }
        return try saveTree(&record, persistence, on: connection)
    }

    /// Saves a list of records to the file or to memory only, atomically.
    ///
    /// ```swift
    /// try Contact.save(contentsOf: &drafts, persistence: .memory, in: db)    // as often as they change
    /// try Contact.save(contentsOf: &drafts, persistence: .disk, in: db)      // now they are to last
    /// ```
    ///
    /// The rules are those of the method for one record. Of two copies of a record in memory, the second one follows
    /// the first one to the file.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; each gets the key of its row. Unchanged if
    ///     saving fails.
    ///   - persistence: Where the records are stored.
    ///   - cascading: Whether their parents and children are saved as well, in the same place; see ``Relations``. A
    ///     parent that has a row in the file is saved there in any case.
    ///   - db: A write transaction.
    /// - Returns: The outcome for each record.
    /// - Throws: As the method for one record; nothing is changed then.
    @discardableResult
    public static func save(
        contentsOf records: inout [RecordType], persistence: Persistence, cascading: Bool = false,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Saved] {
        let connection = db._handle.connection
        if persistence == .memory { try requireNoneInFile(records, on: connection) }
        guard !cascading else { return try saveTrees(&records, persistence, on: connection) }
        var copies = records
        let outcomes = try connection.inSavepoint { () throws -> [Saved] in
            let cascade = Cascade(connection, persistence: persistence)
            let write = { (list: inout [RecordType]) in
                let outcomes = try list.indices.map { index in
                    try saveRow(&list[index], persistence, cascade, isRequested: true, on: connection)
                }
                // Before the hooks that run after a save: the children move with the records.
                try cascade.finish()
                return outcomes
            }
            return try hooks.map { try save(&copies, $0, on: connection, write: write) } ?? write(&copies)
        }
        records = copies
        return outcomes
    }

    /// - Throws: ``StrongroomError`` with `constraint` if one of the records has a row in the file and is not marked
    ///   for deletion.
    private static func requireNoneInFile(_ records: [RecordType], on connection: Connection) throws {
        for record in records where hooks?.isMarked(record) != true {
            guard let key = key(of: record), try isInFile(key, on: connection) else { continue }
            throw TableFailure.staysInFile(schema)
        }
    }

    /// Saves a record of a cascading save, where each record is at home.
    ///
    /// - Parameter isRequested: Whether the caller has passed the record itself, and not one that it is related to.
    static func save(
        _ record: inout RecordType, _ persistence: Persistence, isRequested: Bool, in cascade: Cascade
    ) throws -> Saved {
        try save(&record, persistence, cascade, isRequested: isRequested, on: cascade.connection)
    }

    private static func save(
        _ record: inout RecordType, _ persistence: Persistence, _ cascade: Cascade?, isRequested: Bool,
        on connection: Connection
    ) throws -> Saved {
        var copy = record
        let outcome = try connection.inSavepoint { () throws -> Saved in
            let write = { (record: inout RecordType) in
                try saveRow(&record, persistence, cascade, isRequested: isRequested, on: connection)
            }
            guard let hooks else { return try write(&copy) }
            return try save(&copy, hooks, on: connection, write: write)
        }
        record = copy
        return outcome
    }

    /// - Parameter isRequested: Whether the record must have no row in the file if it is saved in memory. A related one
    ///   that has a row there is saved there.
    private static func saveRow(
        _ record: inout RecordType, _ persistence: Persistence, _ cascade: Cascade?, isRequested: Bool,
        on connection: Connection
    ) throws -> Saved {
        // Another copy of the record may have moved already.
        try cascade?.updateKey(Self.self, of: &record)
        let wasInMemory = try key(of: record).map { try isInMemory($0, in: WriteTransaction(connection)) } ?? false
        if persistence == .memory, !wasInMemory {
            guard let key = key(of: record), try isInFile(key, on: connection) else {
                adopt(try insertInMemory(record, on: connection), .inserted, in: &record, on: connection)
                return .inserted
            }
            // A hook may have set the key.
            guard !isRequested else { throw TableFailure.staysInFile(schema) }
        }
        let outcome = try saveRow(&record, on: connection)
        guard wasInMemory, persistence == .disk, let key = key(of: record) else { return outcome }
        let new = try moveToFile(key, on: connection)
        setKey(new, of: &record)
        // The values of a cascading save come first: what is left in memory then are children that were not loaded.
        if let cascade {
            try cascade.recordMove(Self.self, from: key, to: new)
            cascade.afterTheEnd { try persistChildren(of: new, on: connection) }
        } else {
            try persistChildren(of: new, on: connection)
        }
        return outcome
    }

    private static func isInFile(_ key: Key, on connection: Connection) throws -> Bool {
        guard try isPresent(key, on: connection) else { return false }
        return try !isInMemory(key, in: WriteTransaction(connection))
    }
}

extension TableFailure {
    fileprivate static func staysInFile(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .constraint,
            """
            The record of table "\(schema.name)" has a row in the file, and saving it in memory would leave two. Save \
            it with `persistence: .disk`, or take its row out of the file first, with `moveToMemory`.
            """)
    }
}
