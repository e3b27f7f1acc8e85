import Strongroom
import StrongroomCommands
import StrongroomTesting

extension Value {
    /// The number as SQL has it.
    var literal: String {
        switch self {
        case .integer(let number): String(number)
        case .real(let number): String(number)
        default: "NULL"
        }
    }
}

/// A store with a table of each kind of column, and names that are hard to quote.
struct Shop {
    let temporary: TemporaryStore
    var store: Store { temporary.store }

    init() async throws {
        temporary = try await TemporaryStore()
        try await store.write { db in
            try db.execute(
                """
                CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, photo BLOB, code TEXT UNIQUE,
                    isOld BOOLEAN, anything, size DECIMAL(9,2), CHECK (price IS NULL OR price >= 0))
                """)
            try db.execute("CREATE TABLE `we\"ird``name; DROP TABLE item` (`a``b` TEXT, `c\"d` INTEGER, `select` TEXT)")
        }
    }

    /// Runs an import.
    func bring(
        _ text: String, into table: String = "item", _ format: RowFormat = .csv,
        _ change: (inout TableImport) -> Void = { _ in }
    ) async throws -> TableImport.Report {
        try await bring(Array(text.utf8), into: table, format, change)
    }

    /// Runs an import.
    func bring(
        _ bytes: [UInt8], into table: String = "item", _ format: RowFormat = .csv,
        _ change: (inout TableImport) -> Void = { _ in }
    ) async throws -> TableImport.Report {
        var run = TableImport(table, format)
        change(&run)
        return try await run.run(into: store, from: { ByteSource(bytes, portion: 7) })
    }

    /// What an export writes.
    func exported(_ source: TableExport.Source, _ format: RowFormat) async throws -> String {
        let text = Locked("")
        _ = try await TableExport(source, format).run(from: store, write: { part in text.withLock { $0 += part } })
        return text.withLock { $0 }
    }

    /// The rows of a query.
    func rows(_ sql: String) async throws -> [[Value]] {
        try await store.read { db in
            var rows: [[Value]] = []
            try db.forEachRow(SQL(stringLiteral: sql)) { row in
                var values: [Value] = []
                for index in 0..<row.count { values.append(try row.value(at: index)) }
                rows.append(values)
            }
            return rows
        }
    }
}
