extension Table {
    /// Inserts a record.
    ///
    /// ```swift
    /// let key = try Contact.insert(contact, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; its key is kept where it has one, otherwise the engine makes one.
    ///   - db: A write transaction.
    /// - Returns: The row's key.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, or `missingKey` when the key is nil and the engine
    ///   makes no keys of its type; what `validateInsert` throws.
    @inlinable
    @discardableResult
    public static func insert(_ record: RecordType, in db: borrowing some Writing & ~Copyable) throws -> Key {
        try insert(record, on: db.handle.connection)
    }

    /// Inserts a record and writes the key that the engine made into it.
    ///
    /// ```swift
    /// try Contact.insert(&contact, in: db)
    /// print(contact.id)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; unchanged when the insert fails.
    ///   - db: A write transaction.
    /// - Throws: As the other form.
    @inlinable
    public static func insert(_ record: inout RecordType, in db: borrowing some Writing & ~Copyable) throws {
        setKey(try insert(record, on: db.handle.connection), of: &record)
    }

    /// Inserts a list of records; all of them or none.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - db: A write transaction.
    /// - Returns: The rows' keys, in the order of the records.
    /// - Throws: As `insert`; then no record of the list is inserted.
    @inlinable
    @discardableResult
    public static func insert(
        contentsOf records: some Sequence<RecordType>,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Key] {
        let connection = db.handle.connection
        return try connection.inSavepoint {
            try records.map { try insert($0, on: connection) }
        }
    }

    @inlinable
    static func insert(_ record: RecordType, on connection: Connection) throws -> Key {
        try validateInsert(record)
        let known = key(of: record)
        let hasKey = known != nil
        let operation = hasKey ? TableStatements.Operation.insertWithKey : TableStatements.Operation.insert
        let statement = try connection.statement(OperationKey(Self.self, operation)) {
            let statements = TableStatements(schema, RecordType.columnNames)
            return (try statements.insert(withKey: hasKey), try statements.defaults())
        }
        defer { statement.finish() }
        try record.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        if known == nil, Key.generated(rowID: 0) == nil { throw TableFailure.missingKey(schema) }
        try statement.run()
        if let known { return known }
        guard let made = Key.generated(rowID: connection.lastInsertedRowID) else {
            throw TableFailure.missingKey(schema)
        }
        return made
    }
}

/// Errors that name a table.
@usableFromInline
enum TableFailure {
    @usableFromInline
    static func missingKey(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .missingKey,
            "A record of table «\(schema.name)» has no key; the engine makes keys only for an integer primary key. Set one."
        )
    }

    @usableFromInline
    static func noSuchRow(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .noSuchRow,
            "Table «\(schema.name)» has no row with the record's key; insert it, or use upsert."
        )
    }

    @usableFromInline
    static func missingUnique(_ schema: TableSchema, _ column: String) -> StrongroomError {
        StrongroomError(
            .missingKey,
            "Column «\(column)» of the record for table «\(schema.name)» is nil, so no row can be found by it; set it."
        )
    }
}
