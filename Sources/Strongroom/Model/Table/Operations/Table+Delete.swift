extension Table {
    /// Deletes the row with a key.
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - db: A write transaction.
    /// - Returns: Whether there was such a row.
    /// - Throws: ``StrongroomError`` with `constraint` when other rows refer to it, or the engine's failure.
    @inlinable
    @discardableResult
    public static func delete(_ key: Key, in db: borrowing some Writing & ~Copyable) throws -> Bool {
        let connection = db.handle.connection
        if connection.hasRecordsInMemory { try connection.checkDuplicatesInMemory(of: schema.name) }
        let statement = try connection.statement(OperationKey(Self.self, TableStatements.Operation.delete)) {
            try connection.requireSortedDecimals(of: schema)
            return (try TableStatements(schema, RecordType.columnNames).delete(), [])
        }
        defer { statement.finish() }
        try bind(key, to: Bindings(statement), at: 0)
        try statement.run()
        if connection.changes > 0 || !connection.hasRecordsInMemory { return connection.changes > 0 }
        return try deleteInMemory(key, on: connection)
    }

    /// Deletes the rows with some keys; all of them or, when one cannot be deleted, none.
    ///
    /// - Parameters:
    ///   - keys: The primary keys, any number.
    ///   - db: A write transaction.
    /// - Returns: The number of rows that were there.
    /// - Throws: As the form for one key.
    @inlinable
    @discardableResult
    public static func delete(keys: some Sequence<Key>, in db: borrowing some Writing & ~Copyable) throws -> Int {
        let keys = Array(keys)
        return try db.savepoint { db in
            if let count = try deleteTogether(keys, on: db.handle.connection) { return count }
            var count = 0
            for key in keys where try delete(key, in: db) { count += 1 }
            return count
        }
    }

    /// Deletes the rows with some keys by one statement, for which the engine keeps each page once that it may have to
    /// undo. With a statement for each row, it keeps the page for each until the outermost savepoint ends.
    ///
    /// - Returns: The number of rows that were there; nil where they are to be deleted one by one: for a short list,
    ///   for keys of several columns, with rows in memory, where the order matters, and after a violated constraint.
    @usableFromInline
    static func deleteTogether(_ keys: [Key], on connection: Connection) throws -> Int? {
        guard keys.count > ListTable.shortest, Key.columnCount == 1, !connection.hasRecordsInMemory,
            try connection.deletesInAnyOrder(schema.name)
        else { return nil }
        let list = Value.blob(ListTable.encode(try keys.flatMap(plainValues(of:))))
        do {
            return try connection.inSavepoint {
                let statement = try connection.statement(OperationKey(Self.self, Operation.deleteMany)) {
                    try connection.requireSortedDecimals(of: schema)
                    return (try TableStatements(schema, RecordType.columnNames).deleteMany(), [])
                }
                defer { statement.finish() }
                try statement.bind([list])
                try statement.run()
                return connection.changes
            }
        } catch let error as StrongroomError where error.code == .constraint && connection.canGoOn {
            return nil
        }
    }

    /// Deletes a record's row.
    ///
    /// - Parameters:
    ///   - record: The record; only its key counts.
    ///   - cascading: Whether the rows that refer to it are deleted, too; see ``Relations``.
    ///   - db: A write transaction.
    /// - Returns: Whether there was such a row.
    /// - Throws: ``StrongroomError`` with `missingKey` when the record has no key, `constraint` when other rows refer
    ///   to it, or the engine's failure; what the ``hooks`` throw, and the row stays then.
    @inlinable
    @discardableResult
    public static func delete(
        _ record: RecordType, cascading: Bool = false, in db: borrowing some Writing & ~Copyable
    ) throws -> Bool {
        if cascading { return try deleteTrees([record], on: db.handle.connection) > 0 }
        guard let key = key(of: record) else { throw TableFailure.missingKey(schema) }
        guard let hooks else { return try delete(key, in: db) }
        return try delete(record, key, hooks, on: db.handle.connection)
    }

    /// Deletes the rows of a list of records; all of them or, when one cannot be deleted, none.
    ///
    /// - Parameters:
    ///   - records: The records, any number; only their keys count.
    ///   - cascading: Whether the rows that refer to them are deleted, too; see ``Relations``.
    ///   - db: A write transaction.
    /// - Returns: The number of rows that were there.
    /// - Throws: As the form for one record.
    @inlinable
    @discardableResult
    public static func delete(
        contentsOf records: some Sequence<RecordType>, cascading: Bool = false,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Int {
        let records = Array(records)
        if cascading { return try deleteTrees(records, on: db.handle.connection) }
        return try db.savepoint { db in
            let keys = records.compactMap(key(of:))
            if hooks == nil, keys.count == records.count,
                let count = try deleteTogether(keys, on: db.handle.connection)
            {
                return count
            }
            var count = 0
            for record in records where try delete(record, in: db) { count += 1 }
            return count
        }
    }

    /// Deletes every row; the next key that the engine makes is 1 again.
    ///
    /// - Parameter db: A write transaction.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: ``StrongroomError`` with `constraint` when other rows refer to one of them, or the engine's failure.
    @discardableResult
    public static func truncate(in db: borrowing some Writing & ~Copyable) throws -> Int {
        var count = try db.execute("DELETE FROM \(name: schema.name)")
        if db.handle.connection.hasRecordsInMemory { count += try truncateInMemory(on: db.handle.connection) }
        // The engine makes it with the first table that needs it, and the one in the file may differ.
        let sequences = try db.value("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_sequence'", as: Int.self)
        if sequences != nil {
            // Named as the file writes the table's name. A column may keep its keys there that is not declared so.
            try db.execute("DELETE FROM main.sqlite_sequence WHERE name = \(schema.name) COLLATE NOCASE")
        }
        return count
    }
}
