extension Table {
    /// Updates the row with a record's key.
    ///
    /// ```swift
    /// contact.phone = nil
    /// try Contact.update(contact, in: db)
    /// try Contact.update(contact, only: { [$0.name, $0.phone] }, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; nil is written as NULL.
    ///   - only: Returns the columns that are written; nil for all, and none if empty. The key is never changed. With
    ///     it, no hook runs.
    ///   - db: A write transaction.
    /// - Throws: ``StrongroomError`` with `missingKey` if the record has no key, `noSuchRow` if there is no row with
    ///   it, `staleRecord` if the row has another version than the record (see ``KeptColumn``), `tableDiffers` if
    ///   several rows of the file's table can have one key, `constraint`, `invalidArgument` for a column that the
    ///   record does not have; errors of `validateUpdate`.
    @inlinable
    public static func update(
        _ record: RecordType, only: ((Columns) -> [any SchemaColumn])? = nil, in db: borrowing some Writing & ~Copyable
    ) throws {
        _ = try upsert(record, .update(only: only), in: db)
    }

    /// Updates the rows with the keys of a list of records, atomically.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - only: Returns the columns that are written, as for one record; nil for all.
    ///   - db: A write transaction.
    /// - Throws: As the method for one record; no row is changed then.
    @inlinable
    public static func update(
        contentsOf records: some Sequence<RecordType>, only: ((Columns) -> [any SchemaColumn])? = nil,
        in db: borrowing some Writing & ~Copyable
    ) throws {
        _ = try upsert(contentsOf: records, .update(only: only), in: db)
    }

    /// The indices of the record's columns without some.
    @usableFromInline
    static func indices(except names: [String]) throws -> [Int] {
        let all = RecordType.columnNames
        guard names.allSatisfy({ Identifier.index(of: $0, in: all) != nil }) else {
            throw StrongroomError(.invalidArgument, "A record of table \"\(schema.name)\" lacks columns from \(names).")
        }
        return all.indices.filter { Identifier.index(of: all[$0], in: names) == nil }
    }

    /// Sets columns of the row with a key.
    ///
    /// ```swift
    /// try Contact.update(42, in: db) { [$0.phone.set(nil), $0.calls.set($0.calls + 1)] }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The primary key.
    ///   - db: A write transaction.
    ///   - assignments: Returns the assignments for the table's columns; if empty, nothing is changed.
    /// - Returns: Whether there is such a row.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, `tableDiffers` if several rows of the
    ///   file's table can have one key, or the engine's error.
    @discardableResult
    public static func update(
        _ key: Key,
        in db: borrowing some Writing & ~Copyable,
        _ assignments: (Columns) -> [Assignment]
    ) throws -> Bool {
        let connection = db._handle.connection
        try connection.prepareTable(schema)
        try connection.requireUniqueKey(of: schema)
        return try Query<Self>().where(key: key).update(in: db, assignments) > 0
    }

    /// Writes some columns of a record, after its validation, to the row with a key; false if there is no such row.
    static func update(
        _ record: RecordType, at key: Key, writing indices: Set<Int>, on connection: Connection
    ) throws -> Bool {
        try validateUpdate(record)
        let left = RecordType.columnNames.indices.filter { !indices.contains($0) }
        guard try !writesNone(except: left) else { return try isPresent(key, on: connection) }
        return try update(record, at: key, Operation.overwrite, except: left, on: connection)
    }

    @usableFromInline typealias Operation = TableStatements.Operation

    /// Writes a record, after its validation, to the row with a key, but for some columns; false if there is no such
    /// row.
    @inlinable
    static func update(
        _ record: RecordType,
        at key: Key,
        _ operation: Int,
        except leftOut: [Int] = [],
        on connection: Connection
    ) throws -> Bool {
        guard let upkeep = RecordType._upkeep else {
            return try updateRow(record, at: key, operation, except: leftOut, on: connection)
        }
        return try updateKept(record, upkeep, at: key, operation, except: leftOut, on: connection)
    }

    /// The same without the columns that the table keeps.
    @inlinable
    static func updateRow(
        _ record: RecordType,
        at key: Key,
        _ operation: Int,
        except leftOut: [Int],
        on connection: Connection
    ) throws -> Bool {
        guard let references = try connection.referencesInList(Self.self, schema.name, Self.indices(of:)) else {
            return try write(record, at: key, operation, except: leftOut, comparing: nil, on: connection)
        }
        let compared = references.filter { !leftOut.contains($0) }
        for compared in compared.isEmpty ? [[]] : [compared, []]
        where try write(record, at: key, operation, except: leftOut, comparing: compared, on: connection) {
            return true
        }
        return false
    }

    @usableFromInline
    static func indices(of names: [String]) -> [Int] {
        RecordType.columnNames.indices.filter { Identifier.index(of: RecordType.columnNames[$0], in: names) != nil }
    }

    @inlinable
    static func write(
        _ record: RecordType, at key: Key, _ operation: Int, except leftOut: [Int], comparing compared: [Int]?,
        on connection: Connection
    ) throws -> Bool {
        let cacheKey = OperationKey(Self.self, operation, leftOut, comparing: compared)
        let statement = try Self.statement(cacheKey, on: connection, isByKey: true) { statements in
            try statements.update(
                keepingNil: operation == Operation.keep, except: leftOut, comparing: compared,
                version: RecordType._upkeep?.versionIndex)
        }
        defer { statement.finish() }
        let bindings = Bindings(statement)
        try record.encode(to: bindings)
        try bind(key, to: bindings, at: statement.parameterCount - Key.columnCount)
        statement.dropUnsetParameters()
        try statement.run()
        return connection.changes > 0
    }
}

extension OperationKey {
    /// A cache key for an update of some of a record's columns; nil if there is none.
    @inlinable
    init?(_ type: Any.Type, _ operation: Int, _ leftOut: [Int], comparing compared: [Int]?) {
        guard let compared else {
            self.init(type, operation, indices: leftOut)
            return
        }
        guard leftOut.allSatisfy({ $0 < 32 }), compared.allSatisfy({ $0 < 32 }) else { return nil }
        self.init(type, operation | TableStatements.Operation.listed, indices: leftOut + compared.map { $0 + 32 })
    }

    /// A cache key for an operation on some of a record's columns; nil if the index of one is too large.
    @inlinable
    init?(_ type: Any.Type, _ operation: Int, indices: [Int]) {
        var detail: UInt64 = 0
        for index in indices {
            guard index < UInt64.bitWidth else { return nil }
            detail |= 1 << UInt64(index)
        }
        self.init(type, operation, detail)
    }
}
