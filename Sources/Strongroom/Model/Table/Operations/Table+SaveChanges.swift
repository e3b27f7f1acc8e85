extension Table {
    /// Saves what has changed in a record since its row was read or last saved: what others have changed meanwhile in
    /// its other columns stays. Saves the whole record where its key is another one than before.
    ///
    /// - Parameters:
    ///   - record: The record; unchanged when saving fails.
    ///   - base: The record as its row is known to be.
    ///   - indices: Columns that are written anyway, by their indices in ``Record/columnNames``.
    ///   - whenDeleted: Called when there is no such row any more; throws to let the save fail, and returns to have the
    ///     whole record inserted.
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
            if !indices.isEmpty, let upkeep = RecordType.upkeep {
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
