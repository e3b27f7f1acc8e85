import CEngine

extension Rival {
    /// Reads all entries into the records that Strongroom makes, with the calls that a program would write by hand: no
    /// class of a value is checked, and invalid UTF-8 is repaired.
    func fetchEntries() throws -> [Entry] {
        try run("BEGIN DEFERRED")
        defer { try? run("COMMIT") }
        let sql = #"SELECT "id", "name", "size", "score", "digest", "note" FROM "entry" ORDER BY "id""#
        return try fetch(sql) { statement in
            Entry(
                id: sqlite3_column_int64(statement, 0),
                name: Self.text(statement, 1) ?? "",
                size: sqlite3_column_int64(statement, 2),
                score: sqlite3_column_double(statement, 3),
                digest: Self.bytes(statement, 4),
                note: Self.text(statement, 5))
        }
    }

    /// All rows of a query, by a statement that is prepared for it.
    @inline(__always)
    func fetch<Record>(_ sql: String, _ make: (OpaquePointer) -> Record) throws -> [Record] {
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v2(connection, sql, -1, &prepared, nil))
        defer { sqlite3_finalize(prepared) }
        guard let statement = prepared else { return [] }
        var records: [Record] = []
        while true {
            let result = sqlite3_step(statement)
            guard result == SQLITE_ROW else {
                try check(result == SQLITE_DONE ? SQLITE_OK : result)
                return records
            }
            records.append(make(statement))
        }
    }

    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
        guard let start = sqlite3_column_text(statement, column) else { return nil }
        let length = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
    }

    private static func bytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(statement, column)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
