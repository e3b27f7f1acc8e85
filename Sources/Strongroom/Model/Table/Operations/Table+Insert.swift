extension Table {
    /// Inserts a record.
    ///
    /// ```swift
    /// let key = try Contact.insert(contact, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; if it has no key, the engine generates one.
    ///   - db: A write transaction.
    /// - Returns: The row's key.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, or `missingKey` if the key is nil and keys
    ///   of its type are not generated, or the file does not declare the key as INTEGER PRIMARY KEY; errors of
    ///   `validateInsert`.
    @inlinable
    @discardableResult
    public static func insert(_ record: RecordType, in db: borrowing some Writing & ~Copyable) throws -> Key {
        let connection = db._handle.connection
        guard let hooks else { return try insert(record, on: connection) }
        var copy = record
        return try withHooks(&copy, hooks, on: connection) { record in
            let key = try insert(record, on: connection)
            adopt(key, .inserted, in: &record, on: connection)
            return key
        }
    }

    /// Inserts a record unless a row with the same key, or the same value in a unique column, exists.
    ///
    /// A violation of any other constraint is an error.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - db: A write transaction.
    /// - Returns: The row's key, or nil if nothing was inserted.
    /// - Throws: As `insert(_:in:)`.
    @inlinable
    @discardableResult
    public static func insertOrIgnore(_ record: RecordType, in db: borrowing some Writing & ~Copyable) throws -> Key? {
        let connection = db._handle.connection
        guard hooks == nil else { return try insertOrIgnoreWithHooks(record, on: connection) }
        do {
            return try insert(record, on: connection)
        } catch let error as StrongroomError where error.isDuplicate(in: schema) {
            return nil
        }
    }

    /// Ignores the duplicate that the record is, and none that a hook makes.
    @usableFromInline
    static func insertOrIgnoreWithHooks(_ record: RecordType, on connection: Connection) throws -> Key? {
        guard let hooks else { return nil }
        var copy = record
        do {
            return try withHooks(&copy, hooks, on: connection) { record in
                do {
                    let key = try insert(record, on: connection)
                    adopt(key, .inserted, in: &record, on: connection)
                    return key
                } catch let error as StrongroomError where error.isDuplicate(in: schema) {
                    throw IgnoredDuplicate()
                }
            }
        } catch is IgnoredDuplicate {
            return nil
        }
    }

    @inlinable
    static func insert(_ record: RecordType, on connection: Connection) throws -> Key {
        guard let upkeep = RecordType.upkeep else { return try insertRow(record, on: connection) }
        return try insertRow(stamped(record, upkeep, on: connection), on: connection)
    }

    @inlinable
    static func insertRow(_ record: RecordType, on connection: Connection) throws -> Key {
        let known = key(of: record)
        if known == nil, let made = madeKey(on: connection) { return try insert(record, withKey: made, on: connection) }
        try validateInsert(record)
        let hasKey = known != nil
        let statement = try connection.statement(
            OperationKey(Self.self, hasKey ? Operation.insertWithKey : Operation.insert)
        ) {
            try connection.prepareTable(schema)
            if !hasKey { try requireGeneratedKeys(on: connection) }
            let statements = TableStatements(schema, RecordType.columnNames)
            return (try statements.insert(withKey: hasKey), try statements.defaults())
        }
        defer { statement.finish() }
        try record.encode(to: Bindings(statement))
        statement.dropUnsetParameters()
        if known == nil, Key.generated(rowID: 0) == nil { throw TableFailure.missingKey(schema) }
        try statement.run()
        guard connection.changes > 0 else { throw TableFailure.ignoredInsert(schema) }
        if let known { return known }
        guard let made = Key.generated(rowID: connection.lastInsertedRowID) else {
            throw TableFailure.missingKey(schema)
        }
        return made
    }

    /// Throws for a record without a key if the engine does not generate one; a key column with a default uses that.
    @usableFromInline
    static func requireGeneratedKeys(on connection: Connection) throws {
        // A key type that is never generated is reported for each record.
        guard Key.generated(rowID: 0) != nil, schema.primaryKeys.allSatisfy({ $0.defaultValue == nil }) else { return }
        try connection.requireGeneratedKeys(of: schema)
    }

    /// The key that the library gives a new record; nil if the engine does.
    @inlinable
    static func madeKey(on connection: Connection) -> Key? {
        Key.made() ?? (connection.makesRowIDs ? Key.generated(rowID: .random(in: Connection.madeRowIDs)) : nil)
    }

    /// Inserts a record with a generated key.
    @inlinable
    static func insert(_ record: RecordType, withKey made: Key, on connection: Connection) throws -> Key {
        var keyed = record
        setKey(made, of: &keyed)
        guard key(of: keyed) == made else { throw TableFailure.missingKey(schema) }
        return try insertRow(keyed, on: connection)
    }
}

/// The errors of table operations.
@usableFromInline
enum TableFailure {
    @usableFromInline
    static func missingKey(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .missingKey,
            """
            A record of table "\(schema.name)" has no key; keys are generated for an integer or a `UUID?` that is \
            the primary key. Set one.
            """
        )
    }

    @usableFromInline
    static func ignoredInsert(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .writeRefused,
            """
            The insert made no row in "\(schema.name)": a trigger ignored it, or that is a view, the rows of whose \
            INSTEAD OF triggers the engine does not count. Fix the trigger or the record, or insert into the view with \
            `db.execute`.
            """
        )
    }

    @usableFromInline
    static func noSuchRow(_ schema: TableSchema) -> StrongroomError {
        StrongroomError(
            .noSuchRow,
            "Table \"\(schema.name)\" has no row with the record's key; insert it, or use upsert."
        )
    }

    @usableFromInline
    static func manyRows(_ schema: TableSchema, _ columns: [String]) -> StrongroomError {
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return StrongroomError(
            .notUnique,
            """
            Several rows of table "\(schema.name)" have the record's value of \(list), which is declared as unique \
            but has no unique index in the file; nothing was changed. Merge those rows, then create the index in a \
            migration.
            """)
    }

    @usableFromInline
    static func missingUnique(_ schema: TableSchema, _ column: String) -> StrongroomError {
        StrongroomError(
            .missingKey,
            """
            Column "\(column)" of the record for table "\(schema.name)" is nil, so it cannot identify a row; set it.
            """
        )
    }
}

extension StrongroomError {
    /// Whether a row of the table with the same key or the same value in a unique column conflicts, not one of a table
    /// that a trigger writes.
    @usableFromInline
    func isDuplicate(in schema: TableSchema) -> Bool {
        guard let constraint, constraint.kind == .primaryKey || constraint.kind == .unique else { return false }
        return constraint.table.map { Identifier.areSame($0, schema.name) } ?? true
    }
}

/// A record that `insertOrIgnore` does not insert.
private struct IgnoredDuplicate: Error {}
