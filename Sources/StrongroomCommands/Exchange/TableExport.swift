package import Strongroom

/// Writes the rows of a table, or of a query, as text.
package struct TableExport: Sendable {
    /// The rows to export.
    package enum Source: Sendable {
        /// All rows of a table or a view, with all columns.
        case table(String)
        /// The rows of a query.
        case query(String)
    }

    package var source: Source
    package var format: RowFormat
    package var separator = UInt8(ascii: ",")

    package init(_ source: Source, _ format: RowFormat) {
        self.source = source
        self.format = format
    }

    /// Writes the rows of one snapshot.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - write: Called with complete lines.
    ///   - progress: Called with the number of written rows and the total, for which a table's rows are counted first;
    ///     the total is 0 for a view or a query. Nil if no progress is needed.
    /// - Returns: The number of rows.
    /// - Throws: ``CommandFailure`` with `noSuchTable`, with `readOnly` for a query that writes, with `notFinite`,
    ///   `notExact` and `twoColumnsOfOneName` for values that the format cannot represent; errors of the store and of
    ///   `write`.
    package func run(
        from store: Store, write: @escaping @Sendable (String) throws -> Void,
        progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) async throws -> Int {
        try await CommandFailure.reportingReadOnly("The query would write, but an export is read-only.") {
            try await store.read(label: "export") { db in
                let sql = try query(in: db)
                let names = try db.columnNames(of: sql)
                var text = try RowText(format, names, of: sql.text, separator: separator, write: write)
                let total = try progress == nil ? 0 : rowCount(in: db)
                let columns = try reimportedColumns(in: db)
                var count = 0
                try db.forEachRow(sql) { row in
                    for (index, column) in columns.enumerated() {
                        guard let column, try !column.preserves(row.content(at: index)) else { continue }
                        try check(row.valueInDigits(at: index), in: column, row: count + 1)
                    }
                    try text.append(row)
                    count += 1
                    if count.isMultiple(of: 256) { progress?(count, total) }
                }
                try text.flush()
                progress?(count, total)
                return count
            }
        }
    }

    private func query(in db: borrowing ReadTransaction) throws -> SQL {
        switch source {
        case .query(let text): return SQL(stringLiteral: text)
        case .table(let table):
            try requireTable(table, in: db)
            var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: 0)
            for (index, column) in try db.columns(of: table).filter({ !$0.isHidden }).enumerated() {
                sql.appendLiteral(index == 0 ? "SELECT " : ", ")
                guard column.declaredType.uppercased() == SortedDecimal.declaredType else {
                    sql.appendInterpolation(name: column.name)
                    continue
                }
                // The digits, which an import accepts.
                sql.appendInterpolation(SortedDecimal.digits(of: column.name))
                sql.appendLiteral(" AS ")
                sql.appendInterpolation(name: column.name)
            }
            sql.appendLiteral(" FROM ")
            sql.appendInterpolation(name: table)
            return SQL(stringInterpolation: sql)
        }
    }

    /// The columns of a table whose values CSV must preserve according to the declared type; nil for one that an import
    /// skips. Empty for JSON, which preserves types, and for a view or a query, into which nothing is imported.
    private func reimportedColumns(in db: borrowing ReadTransaction) throws -> [ImportColumn?] {
        guard format == .csv, case .table(let table) = source, try db.hasTable(table) else { return [] }
        return try db.columns(of: table).filter { !$0.isHidden }.map { $0.generated == nil ? ImportColumn($0) : nil }
    }

    private func check(_ value: SQLValue, in column: ImportColumn, row: Int) throws {
        guard column.confuses(value) else { return }
        let found =
            switch value {
            case .null: "NULL"
            case .integer: "an integer"
            case .real: "a floating-point number"
            case .text: "a text"
            case .blob: "bytes"
            }
        throw CommandFailure(
            "notExact",
            """
            Row \(row) has \(found) in the column "\(column.name)", which does not match its declared type: a CSV \
            import would read another value. Export as JSON Lines (--format jsonl), which preserves types; or use \
            --query, if the rows are not to be imported again.
            """, .dataError)
    }

    /// The number of rows of a table; 0 for a view or a query, which might take as long to count as to export.
    private func rowCount(in db: borrowing ReadTransaction) throws -> Int {
        guard case .table(let table) = source else { return 0 }
        guard try db.hasTable(table) else { return 0 }
        return try db.value("SELECT count(*) FROM \(name: table)", as: Int.self) ?? 0
    }

    private func requireTable(_ table: String, in db: borrowing ReadTransaction) throws {
        do {
            _ = try db.columns(of: table)
        } catch let error as StrongroomError where error.code == .sql {
            // A view exists even if its table does not.
            let found = try db.value(
                "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = \(table) COLLATE NOCASE",
                as: Int.self)
            throw found == nil ? CommandFailure.noSuchTable(table) : error
        }
    }
}
