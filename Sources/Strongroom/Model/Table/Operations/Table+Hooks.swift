/// Writes of whole records with the table's ``Table/hooks``: the same for `insert`, `update`, `upsert` and `save`.
extension Table {
    /// Writes a record between the calls of its hooks, atomically.
    ///
    /// - Parameters:
    ///   - record: The record, with the changes that the hooks and the write make; unchanged after an error.
    ///   - write: Writes the row and sets the record's key.
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
    ///
    /// - Parameter write: Writes the rows and sets the records' keys.
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
