extension Table {
    /// Writes a record's columns into the row with its key.
    ///
    /// ```swift
    /// contact.phone = nil
    /// try Contact.update(contact, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; nil is written as NULL.
    ///   - db: A write transaction.
    /// - Throws: ``StrongroomError`` with `missingKey` when the record has no key, `noSuchRow` when there is no row with it,
    ///   `constraint`; what `validateUpdate` throws.
    @inlinable
    public static func update(_ record: RecordType, in db: borrowing some Writing & ~Copyable) throws {
        try update(record, on: db.handle.connection)
    }

    /// Writes a list of records into the rows with their keys; all of them or none.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - db: A write transaction.
    /// - Throws: As the form for one record; then no row is changed.
    @inlinable
    public static func update(
        contentsOf records: some Sequence<RecordType>,
        in db: borrowing some Writing & ~Copyable
    ) throws {
        let connection = db.handle.connection
        try connection.inSavepoint {
            for record in records { try update(record, on: connection) }
        }
    }

    @inlinable
    static func update(_ record: RecordType, on connection: Connection) throws {
        guard let key = key(of: record) else { throw TableFailure.missingKey(schema) }
        try validateUpdate(record)
        guard try update(record, at: key, keepingNil: false, on: connection) else {
            throw TableFailure.noSuchRow(schema)
        }
    }

    /// Writes a record, which the table has been asked about, into the row with a key; false when there is no such row.
    @inlinable
    static func update(_ record: RecordType, at key: Key, keepingNil: Bool, on connection: Connection) throws -> Bool {
        let operation = keepingNil ? TableStatements.Operation.keep : TableStatements.Operation.update
        let statement = try connection.statement(OperationKey(Self.self, operation)) {
            let statements = TableStatements(schema, RecordType.columnNames)
            return (try statements.update(keepingNil: keepingNil), [])
        }
        defer { statement.finish() }
        let bindings = Bindings(statement)
        try record.encode(to: bindings)
        try key.bind(to: bindings, at: statement.lastParameter)
        statement.dropUnsetParameters()
        try statement.run()
        return connection.changes > 0
    }
}
