/// Updates of lists of records.
extension Table {
    /// Updates the rows with the keys of a list of records, atomically.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - db: A write transaction.
    /// - Throws: As the method for one record; no row is changed then.
    @inlinable
    public static func update(
        contentsOf records: some Sequence<RecordType>,
        in db: borrowing some Writing & ~Copyable
    ) throws {
        let connection = db._handle.connection
        if let hooks {
            return try withHooks(contentsOf: records, hooks, on: connection) { records in
                try connection.inList(of: records.count) {
                    for record in records { try update(record, on: connection) }
                }
                guard let upkeep = RecordType.upkeep else { return }
                for index in records.indices { follow(.updated, upkeep, in: &records[index], on: connection) }
            }
        }
        let records = ContiguousArray(records)
        try connection.inList(of: records.count) {
            for record in records { try update(record, on: connection) }
        }
    }

    /// Updates the rows with the keys of a list of records, atomically, and sets what the ``hooks`` and the columns
    /// that the table keeps change in the records: their next versions and their update times.
    ///
    /// ```swift
    /// try Document.update(contentsOf: &documents, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - records: The records; unchanged if the update fails.
    ///   - db: A write transaction.
    /// - Throws: As the method for one record; no row is changed then.
    @inlinable
    public static func update(
        contentsOf records: inout [RecordType], in db: borrowing some Writing & ~Copyable
    ) throws {
        try updateWithHooks(contentsOf: &records, on: db._handle.connection)
    }

    @usableFromInline
    static func updateWithHooks(contentsOf records: inout [RecordType], on connection: Connection) throws {
        func write(_ records: inout ContiguousArray<RecordType>) throws -> [RecordType] {
            try connection.inList(of: records.count) {
                for record in records { try update(record, on: connection) }
            }
            if let upkeep = RecordType.upkeep {
                for index in records.indices { follow(.updated, upkeep, in: &records[index], on: connection) }
            }
            return Array(records)
        }
        var written = ContiguousArray(records)
        guard let hooks else {
            records = try write(&written)
            return
        }
        records = try withHooks(contentsOf: records, hooks, on: connection, write: write)
    }
}
