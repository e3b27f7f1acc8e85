extension Table {
    /// Saves a record: updates the row with its key, or inserts a new row if there is none or the record has no key.
    ///
    /// The record follows its row: it gets the key, the version and the times that the table keeps. A record that the
    /// table marks for deletion is deleted instead, by its key (``RecordHooks/deletesOnSave(_:)``). With `only` no hook
    /// runs, and a marked record is written.
    ///
    /// ```swift
    /// var contact = Contact(name: "Ada", email: "ada@example.org")
    /// try Contact.save(&contact, in: db)              // inserted; contact.id is known now
    /// try Contact.save(&contact, .by(\.email), in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record; nil is written as NULL to an existing row, and as the column's default to a new one.
    ///     Unchanged if saving fails.
    ///   - rule: The row, and the columns that are written to it if it exists.
    ///   - cascading: Whether its parents and children are saved, too; see ``Relations``.
    ///   - db: A write transaction.
    /// - Returns: The outcome.
    /// - Throws: ``StrongroomError`` with `constraint`, `valueNotStorable`, `staleRecord` if the row has another
    ///   version than the record (see ``KeptColumn``), `missingKey` if the key is nil and keys of its type are not
    ///   generated, `otherStore` if a cascade reaches a table of another database, what the ``WriteRule`` names, or
    ///   `invalidRule` for a rule that `cascading` or a marked record does not allow; errors of the validations and the
    ///   ``hooks``. The save is rolled back.
    @inlinable
    @discardableResult
    public static func save(
        _ record: inout RecordType, _ rule: WriteRule<Self> = .key, cascading: Bool = false,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Saved {
        let connection = db._handle.connection
        guard rule.isKey, !cascading, hooks == nil else { return try save(&record, rule, cascading, on: connection) }
        return try saveRow(&record, on: connection)
    }

    /// Saves a list of records, atomically. Records without a key are inserted in batches, as by
    /// `insert(contentsOf:in:)`.
    ///
    /// - Parameters:
    ///   - records: The records, in the order in which they are written; unchanged if saving fails.
    ///   - rule: The row of each, and the columns that are written to it if it exists.
    ///   - cascading: Whether their parents and children are saved, too; see ``Relations``.
    ///   - db: A write transaction.
    /// - Returns: The outcome for each record.
    /// - Throws: As the method for one record; nothing is changed then.
    @inlinable
    @discardableResult
    public static func save(
        contentsOf records: inout [RecordType], _ rule: WriteRule<Self> = .key, cascading: Bool = false,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Saved] {
        let connection = db._handle.connection
        if cascading {
            try rule.requireKey("cascading")
            return try saveTrees(&records, on: connection)
        }
        try rule.requireOneRow()
        let plan = try WritePlan(rule, on: connection)
        let before = records
        do {
            guard rule.only == nil, let hooks else { return try saveList(&records, plan, on: connection) }
            try plan.requireUnmarked(records, hooks)
            // Hooks run only once.
            return try connection.inSavepoint {
                try save(&records, hooks, on: connection) { try saveList(&$0, plan, on: connection) }
            }
        } catch {
            records = before
            throw error
        }
    }

    @usableFromInline
    static func save(
        _ record: inout RecordType, _ rule: WriteRule<Self>, _ cascading: Bool, on connection: Connection
    ) throws -> Saved {
        if cascading {
            try rule.requireKey("cascading")
            return try saveTree(&record, on: connection)
        }
        try rule.requireOneRow()
        let plan = try WritePlan(rule, on: connection)
        guard rule.only == nil, let hooks else { return try saveRow(&record, plan, on: connection) }
        try plan.requireUnmarked([record], hooks)
        return try save(&record, hooks, on: connection) { record in try saveRow(&record, plan, on: connection) }
    }

    @inlinable
    static func saveRow(_ record: inout RecordType, on connection: Connection) throws -> Saved {
        try saveRow(&record, WritePlan(.key, on: connection), on: connection)
    }

    @inlinable
    static func saveRow(
        _ record: inout RecordType, _ plan: WritePlan<Self>, on connection: Connection
    ) throws -> Saved {
        let row = try write(record, plan, on: connection)
        guard try plan.leftOut.isEmpty || row.outcome == .inserted || !writesNone(except: plan.leftOut) else {
            setKey(row.key, of: &record)
            return row.outcome
        }
        adopt(row.key, row.outcome, in: &record, on: connection)
        return row.outcome
    }

    @inlinable
    static func saveList(
        _ records: inout [RecordType], _ plan: WritePlan<Self>, on connection: Connection
    ) throws -> [Saved] {
        let before = records
        return try connection.inList(of: records.count) {
            // A list that failed in the faster way is written once more.
            records = before
            return try saveRows(&records, plan, on: connection)
        }
    }

    /// Saves records; if one fails, those before it have been saved.
    @inlinable
    static func saveRows(
        _ records: inout [RecordType], _ plan: WritePlan<Self>, on connection: Connection
    ) throws -> [Saved] {
        var outcomes: [Saved] = []
        outcomes.reserveCapacity(records.count)
        var next = records.startIndex
        while next < records.endIndex {
            var end = next
            while end < records.endIndex, isNew(records[end], plan) { end += 1 }
            guard end > next + 1 else {
                outcomes.append(try saveRow(&records[next], plan, on: connection))
                next += 1
                continue
            }
            let keys = try insert(contentsOf: records[next..<end], on: connection)
            for (index, key) in keys.enumerated() {
                adopt(key, .inserted, in: &records[next + index], on: connection)
            }
            outcomes.append(contentsOf: repeatElement(.inserted, count: end - next))
            next = end
        }
        return outcomes
    }

    /// Whether a rule inserts a record without a search.
    @inlinable
    static func isNew(_ record: RecordType, _ plan: WritePlan<Self>) -> Bool {
        plan.row == .insert || plan.row == .key && key(of: record) == nil
    }

    // MARK: With hooks

    /// - Parameter write: Writes the row and sets the record's key.
    static func save(
        _ record: inout RecordType, _ hooks: RecordHooks<RecordType>, on connection: Connection,
        write: (inout RecordType) throws -> Saved
    ) throws -> Saved {
        guard !hooks.isMarked(record) else { return try deleteMarked(record, hooks, on: connection) }
        return try withHooks(&record, hooks, on: connection, write: write)
    }

    /// - Parameter write: Writes the rows of the records that are not marked, and sets their keys.
    @usableFromInline
    static func save(
        _ records: inout [RecordType], _ hooks: RecordHooks<RecordType>, on connection: Connection,
        write: (inout [RecordType]) throws -> [Saved]
    ) throws -> [Saved] {
        let db = WriteTransaction(connection)
        var outcomes = [Saved](repeating: .deleted, count: records.count)
        var indices: [Int] = []
        for index in records.indices {
            if hooks.isMarked(records[index]) {
                _ = try deleteMarked(records[index], hooks, on: connection)
            } else {
                try hooks.willSave(&records[index], in: db)
                indices.append(index)
            }
        }
        var kept = indices.map { records[$0] }
        let saved = try write(&kept)
        for (index, outcome) in zip(indices, saved) { outcomes[index] = outcome }
        for (index, record) in zip(indices, kept) {
            records[index] = record
            try hooks.didSave(record, in: db)
        }
        return outcomes
    }

    private static func deleteMarked(
        _ record: RecordType, _ hooks: RecordHooks<RecordType>, on connection: Connection
    ) throws -> Saved {
        if let key = key(of: record) { _ = try delete(record, key, hooks, on: connection) }
        return .deleted
    }

    @usableFromInline
    static func delete(
        _ record: RecordType, _ key: Key, _ hooks: RecordHooks<RecordType>, on connection: Connection
    ) throws -> Bool {
        try connection.inSavepoint {
            let db = WriteTransaction(connection)
            try hooks.willDelete(record, in: db)
            guard try delete(key, in: db) else { return false }
            try hooks.didDelete(record, in: db)
            return true
        }
    }
}

extension Table {
    /// Saves what has changed in a record since its row was read or last saved: what others have changed meanwhile in
    /// its other columns stays. Saves the full record where its key is another one than before.
    ///
    /// - Parameters:
    ///   - record: The record; unchanged when saving fails.
    ///   - base: The record as its row is known to be.
    ///   - indices: Columns that are written anyway, by their indices in ``Record/columnNames``.
    ///   - whenDeleted: Called when there is no such row any more; throws to let the save fail, and returns to have the
    ///     full record inserted.
    ///   - db: A write transaction.
    /// - Returns: What was done, and the indices of the columns that were written.
    /// - Throws: As `save(_:_:cascading:in:)`; what `whenDeleted` throws.
    package static func save(
        _ record: inout RecordType, changedSince base: RecordType, writing indices: Set<Int>,
        whenDeleted: () throws -> Void, in db: borrowing WriteTransaction
    ) throws -> (saved: Saved, indices: Set<Int>) {
        guard let key = key(of: base), try isSame(Self.key(of: record), key) else {
            return (try save(&record, in: db), Set(RecordType.columnNames.indices))
        }
        let connection = db._handle.connection
        var written = indices
        guard let hooks else {
            let saved = try write(&record, at: key, base, &written, whenDeleted, on: connection)
            return (saved, written)
        }
        let saved = try save(&record, hooks, on: connection) { record in
            try write(&record, at: key, base, &written, whenDeleted, on: connection)
        }
        return (saved, written)
    }

    private static func write(
        _ record: inout RecordType, at key: Key, _ base: RecordType, _ indices: inout Set<Int>,
        _ whenDeleted: () throws -> Void, on connection: Connection
    ) throws -> Saved {
        indices.formUnion(try record.columns(differingFrom: base))
        if try update(record, at: key, writing: indices, on: connection) {
            if !indices.isEmpty, let upkeep = RecordType._upkeep {
                follow(.updated, upkeep, in: &record, on: connection)
                indices.formUnion(upkeep.alwaysWritten)
            }
            return .updated
        }
        try whenDeleted()
        indices.formUnion(RecordType.columnNames.indices)
        return try saveRow(&record, on: connection)
    }
}

/// Writes of full records with the table's ``Table/hooks``: the same for `insert`, `update`, `upsert` and `save`.
extension Table {
    /// Writes a record between the calls of its hooks, atomically; the record is unchanged after an error.
    @usableFromInline
    static func withHooks<T>(
        _ record: inout RecordType, _ hooks: RecordHooks<RecordType>, on connection: Connection,
        write: (inout RecordType) throws -> T
    ) throws -> T {
        var written = record
        let outcome = try connection.inSavepoint { () throws -> T in
            let db = WriteTransaction(connection)
            try hooks.willSave(&written, in: db)
            let outcome = try write(&written)
            try hooks.didSave(written, in: db)
            return outcome
        }
        record = written
        return outcome
    }

    /// Writes a list of records between the calls of their hooks, atomically: `willSave` for each, then the rows, then
    /// `didSave` for each.
    @usableFromInline
    static func withHooks<T>(
        contentsOf records: some Sequence<RecordType>, _ hooks: RecordHooks<RecordType>, on connection: Connection,
        write: (inout ContiguousArray<RecordType>) throws -> T
    ) throws -> T {
        var written = ContiguousArray(records)
        return try connection.inSavepoint {
            let db = WriteTransaction(connection)
            for index in written.indices { try hooks.willSave(&written[index], in: db) }
            let outcome = try write(&written)
            for record in written { try hooks.didSave(record, in: db) }
            return outcome
        }
    }
}
