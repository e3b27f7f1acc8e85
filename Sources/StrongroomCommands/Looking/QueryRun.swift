package import Strongroom

/// Runs a statement that a person wrote and shows what it gives.
package struct QueryRun: Sendable {
    /// How the result is shown.
    package enum Form: Sendable, Equatable {
        case table
        case rows(RowFormat)
    }

    package var sql: String
    package var form = Form.table
    package var separator = UInt8(ascii: ",")
    /// Whether the statement may write. If not, the connection itself refuses it: it is one that can only read.
    package var mayWrite = false
    /// The rows that a table shows.
    package var limit = 1_000

    package init(_ sql: String) {
        self.sql = sql
    }

    /// What a run gave.
    package struct Outcome: Sendable, Equatable {
        /// The rows that were shown.
        package var rows = 0
        /// The rows that were changed; nil for a statement that only reads.
        package var changed: Int?
        /// Whether there are rows that were not shown.
        package var isCut = false
        /// Whether the statement gives rows, if only none.
        package var givesRows = true

        package init(rows: Int = 0, changed: Int? = nil, isCut: Bool = false) {
            (self.rows, self.changed, self.isCut) = (rows, changed, isCut)
        }

        /// The rows that were changed, where there is something to say of it.
        package var changedToTell: Int? { givesRows && changed == 0 ? nil : changed }
    }

    /// Ends a query of which enough has been seen.
    private struct Enough: Error {}

    /// Runs the statement.
    ///
    /// - Parameters:
    ///   - store: The database.
    ///   - console: Where the rows are shown.
    ///   - whenShown: Called before each part of them is.
    /// - Returns: What it gave.
    /// - Throws: ``OutputClosed``, but not where the statement may write; ``CommandFailure`` with `readOnly` for a
    ///   statement that writes where it may not; what the store throws.
    package func run(
        on store: Store, to console: Console, whenShown: @escaping @Sendable () -> Void = {}
    ) async throws -> Outcome {
        guard mayWrite else {
            return try await CommandFailure.tellingReadOnly("The statement would write. Give --write if it is to.") {
                try await store.read(label: "query") { db in try show(console, in: db, whenShown) }
            }
        }
        return try await store.write(as: .immediate, label: "query") { db in
            var outcome = try show(console, in: db, whenShown)
            outcome.changed = db.changedRowsInTransaction
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
            var result = ResultTable(names, of: sql, limit: limit)
            do {
                // A statement that writes is run to its end all the same: half of it would be undone.
                try db.forEachRow(query) { row in
                    if try !result.append(row), !mayWrite { throw Enough() }
                }
            } catch is Enough {}
            whenShown()
            if !names.isEmpty { result.show(on: console) }
            try heeding { try console.checkOutput() }
            outcome.rows = result.rows.count
            outcome.isCut = result.isCut
        }
        return outcome
    }

    /// Writes. What nobody reads any more ends a query; a write it would undo, so that goes on.
    private func heeding(_ output: () throws -> Void) throws {
        do {
            try output()
        } catch is OutputClosed where mayWrite {}
    }
}
