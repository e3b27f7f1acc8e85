package import Strongroom

/// Runs a user's statement and prints its result.
package struct QueryRun: Sendable {
    /// The format of the result.
    package enum Form: Sendable, Equatable {
        case table
        case rows(RowFormat)
    }

    package var sql: String
    package var form = Form.table
    package var separator = UInt8(ascii: ",")
    /// Whether the statement may write. If not, it runs on a read-only connection.
    package var mayWrite = false
    /// The maximum number of rows in a table.
    package var limit = 1_000

    package init(_ sql: String) {
        self.sql = sql
    }

    /// The outcome of a run.
    package struct Outcome: Sendable, Equatable {
        /// The number of rows that were printed.
        package var rows = 0
        /// The number of changed rows, without those of triggers; nil for a statement that only reads.
        package var changed: Int?
        /// Whether there are rows that were not printed.
        package var isCut = false
        /// Whether the statement returns rows, even if there are none.
        package var givesRows = true

        package init(rows: Int = 0, changed: Int? = nil, isCut: Bool = false) {
            (self.rows, self.changed, self.isCut) = (rows, changed, isCut)
        }

        /// The number of changed rows, if it is to be reported.
        package var reportedChangeCount: Int? { givesRows && changed == 0 ? nil : changed }
    }

    /// Ends a query after enough rows.
    private struct Enough: Error {}

    /// Runs the statement.
    ///
    /// - Parameters:
    ///   - store: The database.
    ///   - console: The console for the rows.
    ///   - whenShown: Called before each batch of rows is printed.
    /// - Returns: The outcome.
    /// - Throws: ``OutputClosed``, unless the statement may write; ``CommandFailure`` with `readOnly` for a statement
    ///   that writes where only reads are allowed; errors of the store.
    package func run(
        on store: Store, to console: Console, whenShown: @escaping @Sendable () -> Void = {}
    ) async throws -> Outcome {
        guard mayWrite else {
            return try await CommandFailure.reportingReadOnly("The statement would write. Use --write to allow it.") {
                try await store.read(label: "query") { db in try show(console, in: db, whenShown) }
            }
        }
        return try await store.write(as: .immediate, label: "query") { db in
            var outcome = try show(console, in: db, whenShown)
            // Without the rows of triggers, such as those of a full-text index; the engine keeps the number for the
            // last statement that has changed rows.
            outcome.changed = db.changedRowsInTransaction == 0 ? 0 : db.changedRows
            return outcome
        }
    }

    private func show(
        _ console: Console, in db: borrowing some Reading & ~Copyable, _ whenShown: @escaping () -> Void
    ) throws -> Outcome {
        let query = SQL(stringLiteral: sql)
        let names = try db.columnNames(of: query)
        var outcome = Outcome()
        outcome.givesRows = !names.isEmpty
        switch form {
        case .rows(let format) where !names.isEmpty:
            var text = try RowText(format, names, of: sql, separator: separator) { part in
                whenShown()
                try heeding { try console.write(lines: part) }
            }
            try db.forEachRow(query) { row in
                try text.append(row)
                outcome.rows += 1
            }
            try text.flush()
        default:
            let stream = console[.output]
            var result = ResultTable(names, of: sql, limit: limit, width: stream.isTerminal ? stream.width : nil) {
                lines in
                whenShown()
                console.write(lines)
                try heeding { try console.checkOutput() }
            }
            do {
                // A statement that writes is run to its end nevertheless: otherwise it would be rolled back.
                try db.forEachRow(query) { row in
                    if try !result.append(row), !mayWrite { throw Enough() }
                }
            } catch is Enough {}
            if names.isEmpty { whenShown() } else { try result.finish() }
            outcome.rows = result.count
            outcome.isCut = result.isCut
        }
        return outcome
    }

    /// Writes output. If the reader has closed it, a query ends; a write would be rolled back, so it continues.
    private func heeding(_ output: () throws -> Void) throws {
        do {
            try output()
        } catch is OutputClosed where mayWrite {}
    }
}
