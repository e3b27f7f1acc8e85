extension Table {
    /// Updates the row with a record's key.
    ///
    /// ```swift
    /// contact.phone = nil
    /// try Contact.update(contact, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; nil is written as NULL.
    ///   - db: A write transaction.
    /// - Throws: ``StrongroomError`` with `missingKey` if the record has no key, `noSuchRow` if there is no row with
    ///   it, `staleRecord` if the row has another version than the record (see ``RecordUpkeep``), `tableDiffers` if
    ///   several rows of the file's table can have one key, `constraint`; errors of `validateUpdate`.
    @inlinable
    public static func update(_ record: RecordType, in db: borrowing some Writing & ~Copyable) throws {
        let connection = db.handle.connection
        guard hooks != nil else { return try update(record, on: connection) }
        var copy = record
        try updateWithHooks(&copy, on: connection)
    }

    /// Updates the row with a record's key, and sets what the ``hooks`` and the columns that the table keeps change in
    /// the record: its next version and its update time.
    ///
    /// ```swift
    /// document.title = "Draft"
    /// try Document.update(&document, in: db)
    /// document.title = "Final"
    /// try Document.update(&document, in: db)      // with the version that the first update has stored
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; nil is written as NULL. Unchanged if the update fails.
    ///   - db: A write transaction.
    /// - Throws: As the method for a record that is not changed.
    @inlinable
    public static func update(_ record: inout RecordType, in db: borrowing some Writing & ~Copyable) throws {
        try updateWithHooks(&record, on: db.handle.connection)
    }

    @usableFromInline
    static func updateWithHooks(_ record: inout RecordType, on connection: Connection) throws {
        func write(_ record: inout RecordType) throws {
            try update(record, on: connection)
            if let upkeep = RecordType.upkeep { follow(.updated, upkeep, in: &record, on: connection) }
        }
        guard let hooks else { return try write(&record) }
        try withHooks(&record, hooks, on: connection, write: write)
    }

    /// Updates some columns of the row with a record's key.
    ///
    /// ```swift
    /// try Contact.update(contact, only: { [$0.name, $0.phone] }, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; nil is written as NULL.
    ///   - chosen: Returns the columns; if empty, nothing is changed. The key is never changed.
    ///   - db: A write transaction.
    /// - Throws: As the method for all columns; `sql` for a column that the record does not have.
    public static func update(
        _ record: RecordType,
        only chosen: (Columns) -> [any TableColumn],
        in db: borrowing some Writing & ~Copyable
    ) throws {
        guard let key = key(of: record) else { throw TableFailure.missingKey(schema) }
        try validateUpdate(record)
        let left = try positions(except: chosen)
        let connection = db.handle.connection
        guard try update(record, at: key, Operation.overwrite, except: left, cached: false, on: connection) else {
            throw TableFailure.noSuchRow(schema)
        }
    }

    /// The indices of the record's columns that are not chosen.
    ///
    /// - Throws: ``StrongroomError`` with `sql` for a column that the record does not have.
    static func positions(except chosen: (Columns) -> [any TableColumn]) throws -> [Int] {
        let names = chosen(columns).map(\.definition.name)
        let all = RecordType.columnNames
        guard names.allSatisfy({ Identifier.index(of: $0, in: all) != nil }) else {
            throw StrongroomError(.sql, "A record of table \"\(schema.name)\" lacks columns from \(names).")
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
        let connection = db.handle.connection
        try connection.prepareTable(schema)
        try connection.requireUniqueKey(of: schema)
        return try Query<Self>().where(key: key).update(in: db, assignments) > 0
    }

    /// Sets columns of the rows with some keys, atomically.
    ///
    /// - Parameters:
    ///   - keys: Any number of primary keys.
    ///   - db: A write transaction.
    ///   - assignments: Returns the assignments for the table's columns; if empty, nothing is changed.
    /// - Returns: The number of existing rows.
    /// - Throws: As the method for one key; no row is changed then.
    @discardableResult
    public static func update(
        keys: some Sequence<Key>,
        in db: borrowing some Writing & ~Copyable,
        _ assignments: (Columns) -> [Assignment]
    ) throws -> Int {
        try db.inPart { db in
            var count = 0
            for key in try distinct(keys) where try update(key, in: db, assignments) { count += 1 }
            return count
        }
    }

    /// Writes some columns of a record, after its validation, to the row with a key.
    ///
    /// - Parameter indices: The columns' indices in ``Record/columnNames``; if empty, nothing is changed.
    /// - Returns: False if there is no such row.
    static func update(
        _ record: RecordType, at key: Key, writing indices: Set<Int>, on connection: Connection
    ) throws -> Bool {
        try validateUpdate(record)
        let names = try schema.keyColumns().map(\.name)
        let left = RecordType.columnNames.indices.filter { !indices.contains($0) }
        let hasChange = indices.contains { Identifier.index(of: RecordType.columnNames[$0], in: names) == nil }
        guard hasChange else { return try isPresent(key, on: connection) }
        return try update(record, at: key, Operation.overwrite, except: left, on: connection)
    }

    @usableFromInline typealias Operation = TableStatements.Operation

    @inlinable
    static func update(_ record: RecordType, on connection: Connection) throws {
        guard let key = key(of: record) else { throw TableFailure.missingKey(schema) }
        try validateUpdate(record)
        guard try update(record, at: key, Operation.overwrite, on: connection) else {
            throw TableFailure.noSuchRow(schema)
        }
    }

    /// Writes a record, after its validation, to the row with a key.
    ///
    /// - Parameters:
    ///   - operation: The treatment of nil, and whether all columns are written.
    ///   - leftOut: The indices of columns that are not written.
    ///   - cached: Whether the operation and the indices form a key of the statement cache.
    ///   - part: The quoted name of the temporary table, for an in-memory row.
    /// - Returns: False if there is no such row.
    @inlinable
    static func update(
        _ record: RecordType,
        at key: Key,
        _ operation: Int,
        except leftOut: [Int] = [],
        cached: Bool = true,
        part: String? = nil,
        on connection: Connection
    ) throws -> Bool {
        // The record for an in-memory row has its version and its times already.
        guard part == nil, let upkeep = RecordType.upkeep else {
            return try updateRow(
                record, at: key, operation, except: leftOut, cached: cached, part: part, on: connection)
        }
        return try updateKept(
            record, upkeep, at: key, operation, except: leftOut, cached: cached, on: connection)
    }

    /// The same without the columns that the table keeps.
    @inlinable
    static func updateRow(
        _ record: RecordType,
        at key: Key,
        _ operation: Int,
        except leftOut: [Int],
        cached: Bool,
        part: String? = nil,
        on connection: Connection
    ) throws -> Bool {
        if connection.hasRecordsInMemory { try connection.checkDuplicatesInMemory(of: schema.name) }
        if part == nil,
            let references = try connection.referencesInList(Self.self, schema.name, Self.indices(of:))
        {
            let compared = references.filter { !leftOut.contains($0) }
            let whole = TableStatements.UpdateForm.listed([])
            for form in compared.isEmpty ? [whole] : [.listed(compared), whole]
            where try write(record, at: key, operation, except: leftOut, form, cached, on: connection) {
                return true
            }
        } else if try write(record, at: key, operation, except: leftOut, .single(part: part), cached, on: connection) {
            return true
        }
        if !connection.hasRecordsInMemory || part != nil { return false }
        return try updateInMemory(record, at: key, operation, except: leftOut, on: connection)
    }

    /// The sorted indices of columns among the record's.
    @usableFromInline
    static func indices(of names: [String]) -> [Int] {
        RecordType.columnNames.indices.filter { Identifier.index(of: RecordType.columnNames[$0], in: names) != nil }
    }

    /// Runs the statement that writes a record to the row with a key.
    @inlinable
    static func write(
        _ record: RecordType, at key: Key, _ operation: Int, except leftOut: [Int], _ form: TableStatements.UpdateForm,
        _ cached: Bool, on connection: Connection
    ) throws -> Bool {
        let statement = try connection.statement(cached ? OperationKey(Self.self, operation, leftOut, form) : nil) {
            try connection.prepareTable(schema)
            try connection.requireUniqueKey(of: schema)
            let keepingNil = operation == Operation.keep || operation == Operation.keepRest
            let statements = TableStatements(schema, RecordType.columnNames)
            let version = RecordType.upkeep?.versionIndex
            return (try statements.update(keepingNil: keepingNil, except: leftOut, form, version: version), [])
        }
        defer { statement.finish() }
        let bindings = Bindings(statement)
        try record.encode(to: bindings)
        try bind(key, to: bindings, at: statement.lastParameters(Key.columnCount))
        statement.dropUnsetParameters()
        try statement.run()
        return connection.changes > 0
    }
}

extension OperationKey {
    /// A cache key for an update of some of a record's columns; nil if there is none.
    @inlinable
    init?(_ type: Any.Type, _ operation: Int, _ leftOut: [Int], _ form: TableStatements.UpdateForm) {
        switch form {
        case .single(part: nil): self.init(type, operation, indices: leftOut)
        case .single: return nil
        case .listed(let compared):
            guard leftOut.allSatisfy({ $0 < 32 }), compared.allSatisfy({ $0 < 32 }) else { return nil }
            self.init(
                type, operation | TableStatements.Operation.listed, indices: leftOut + compared.map { $0 + 32 })
        }
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
