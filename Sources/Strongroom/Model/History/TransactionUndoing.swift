/// Puts back the rows that a transaction has changed.
struct TransactionUndoing {
    private let connection: Connection
    private let transaction: Int64
    private let histories: [StoredHistory]

    private typealias Step = RowRestoring.Step

    /// - Throws: ``StrongroomError`` with `notUndoable` if changes of the transaction were pruned.
    init(_ transaction: Int64, on connection: Connection) throws {
        self.connection = connection
        self.transaction = transaction
        histories = try StoredHistory.all(on: connection)
        guard !histories.isEmpty else { return }
        let pruned = try connection.ownValue(
            "SELECT name FROM \(PrunedHistory.table) WHERE pruned >= ? LIMIT 1", .integer(transaction))
        if let name = pruned?.asText {
            throw error(
                .notUndoable,
                """
                Changes of transaction \(transaction), or of later ones, were pruned from "\(name)", or the history \
                was stopped or its table changed since then, so that the transaction cannot be undone as a whole.
                """)
        }
    }

    /// - Parameter allowsLosses: Whether rows are put back without what no history has.
    func run(allowingLosses allowsLosses: Bool) throws -> UndoReport {
        var conflicts: [String] = []
        var steps: [Step] = []
        for history in histories {
            let found = try changedRows(of: history)
            let later = found.compactMap(\.later)
            if !later.isEmpty {
                let list = later.prefix(Self.maxNamed).map(String.init).joined(separator: ", ")
                let rest = later.count > Self.maxNamed ? " and \(later.count - Self.maxNamed) more" : ""
                let rows = later.count.counting("row")
                conflicts.append("\(rows) of table \"\(history.table)\" (changes \(list)\(rest))")
            }
            steps += found.map(\.step)
        }
        guard conflicts.isEmpty else {
            throw error(
                .notUndoable,
                """
                Transaction \(transaction) was not undone, since rows have changed after it: \
                \(conflicts.joined(separator: "; ")). Undo the later transactions first.
                """)
        }
        guard !steps.isEmpty else {
            throw error(.notUndoable, "No history has a change of transaction \(transaction), so nothing was undone.")
        }
        let losses = try losses(steps)
        if let words = losses.words, !allowsLosses {
            throw error(
                .notUndoable,
                """
                Transaction \(transaction) was not undone, since rows would come back without what was deleted with \
                them: \(words). Keep histories of all of it, or call `undo` with `allowingLosses: true`.
                """)
        }
        var report = UndoReport(rows: try putBack(steps), tablesWithoutHistory: losses.tables)
        for step in steps where !step.history.others.isEmpty {
            report.omittedColumns[step.history.table] = step.history.others
        }
        return report
    }

    /// What the transaction may have deleted and no history has.
    private func losses(_ steps: [Step]) throws -> UndoLosses {
        let deleted = try steps.filter { step in
            try step.former != nil && !step.history.isPresent(step.key, on: connection)
        }
        return try UndoLosses(deleted.map(\.history), among: histories, connection)
    }

    /// The most changes that a message names for a table.
    private static let maxNamed = 10

    private func error(_ code: StrongroomError.Code, _ message: String) -> StrongroomError {
        StrongroomError(code, message, database: connection.database)
    }

    /// The rows that the transaction has changed, with the number of a later change.
    private func changedRows(of history: StoredHistory) throws -> [(step: Step, later: Int64?)] {
        let name = "main.\(history.quotedName)"
        let same = history.quotedKeys.map { "other.\($0) IS entry.\($0)" }.joined(separator: " AND ")
        let earlier = """
            SELECT 1 FROM \(name) AS other WHERE \(same) AND other.change < entry.change AND other.transaction_id = ?1
            """
        let later = """
            SELECT max(other.change) FROM \(name) AS other WHERE \(same) AND other.change > entry.change \
            AND other.transaction_id IS NOT ?1
            """
        let keys = history.quotedKeys.map { "entry.\($0)" }
        let former = history.quotedFormer.map { "entry.\($0)" }
        // The first change of each row in the transaction has the values from before it.
        let sql = """
            SELECT kind, (\(later)), change, \((keys + former).joined(separator: ", ")) FROM \(name) AS entry \
            WHERE transaction_id = ?1 AND NOT EXISTS (\(earlier)) ORDER BY change
            """
        return try connection.ownRows(sql, .integer(transaction)).map { row in
            let key = Array(row[3..<3 + keys.count])
            let former = row[0] == .text("insert") ? nil : Array(row[(3 + keys.count)...])
            let step = Step(history: history, change: row[2].asInteger ?? 0, key: key, former: former)
            return (step, row[1].asInteger)
        }
    }

    /// Deletes rows first, so that values of unique columns are free, and checks references at the end.
    ///
    /// - Returns: The number of changed rows by table.
    private func putBack(_ steps: [Step]) throws -> [String: Int] {
        let wasDeferring = connection.defersForeignKeys
        // Those of the transaction before are checked by its commit.
        let hadViolations = connection.hasDeferredViolations
        let (last, first) = try deletions(steps)
        try connection.run("PRAGMA defer_foreign_keys = ON")
        // Also after a failure, which the program may handle.
        defer { if !wasDeferring { try? connection.run("PRAGMA defer_foreign_keys = OFF") } }
        var count: [String: Int] = [:]
        for step in first { count[step.history.table, default: 0] += try delete(step) }
        let restoring = RowRestoring(transaction: transaction, connection: connection) { [self] step in
            guard try !hasTriggers(step.history.table) else { return false }
            let references = try UndoneReferences(deleting: [], restoring: [], on: connection)
            guard case .none = try references.effect(ofDeleting: step.key, from: step.history) else { return false }
            return true
        }
        let restored = steps.reversed().filter { $0.former != nil }
        try restoring.run(restored)
        for step in restored { count[step.history.table, default: 0] += 1 }
        let references = try self.references(last)
        for step in last {
            guard case .none = try references.effect(ofDeleting: step.key, from: step.history) else {
                throw conflict(step, with: step.history.table)
            }
            count[step.history.table, default: 0] += try delete(step)
        }
        if !hadViolations, connection.hasDeferredViolations { try connection.checkForeignKeys() }
        return count
    }

    /// Whether a table has triggers of the program, which a deletion or an insertion would run.
    private func hasTriggers(_ table: String) throws -> Bool {
        let own = HistoryTable.triggerNames(of: table)
        return try connection.schemaEntries().contains { entry in
            entry.kind == .trigger && Identifier.areSame(entry.table, table)
                && Identifier.index(of: entry.name, in: own) == nil && !entry.name.hasPrefix("strongroom_")
        }
    }

    /// The rows to delete: those that rows reference which are restored are deleted last.
    ///
    /// - Throws: ``StrongroomError`` with `notUndoable` if rows that are not undone would be deleted or changed.
    private func deletions(_ steps: [Step]) throws -> (last: [Step], first: [Step]) {
        let references = try self.references(steps)
        var (last, first) = ([Step](), [Step]())
        for step in steps.reversed() where step.former == nil {
            switch try references.effect(ofDeleting: step.key, from: step.history) {
            case .none: first.append(step)
            case .onRestored: last.append(step)
            case .onOthers(let table): throw conflict(step, with: table)
            }
        }
        return (last, first)
    }

    private func references(_ steps: [Step]) throws -> UndoneReferences {
        let (deleted, restored) = (steps.filter { $0.former == nil }, steps.filter { $0.former != nil })
        return try UndoneReferences(
            deleting: deleted.map { ($0.history, $0.key) }, restoring: restored.map { ($0.history, $0.key) },
            on: connection)
    }

    private func conflict(_ step: Step, with table: String) -> StrongroomError {
        error(
            .notUndoable,
            """
            Transaction \(transaction) was not undone: rows of table "\(table)" reference a row that it has inserted \
            into table "\(step.history.table)", and would be deleted or changed with it. Undo the transactions that \
            wrote them, or delete them, first.
            """)
    }

    private func delete(_ step: Step) throws -> Int {
        let sql = "DELETE FROM main.\(step.history.quotedTable) WHERE \(step.history.rowCondition)"
        try connection.withOwnStatement(sql, step.key) { try $0.run() }
        return connection.changes
    }
}
