extension Writing where Self: ~Copyable {
    /// The number of this transaction in histories; nil if it has not changed a table with a history yet.
    public var transactionNumber: Int64? {
        get throws { try _handle.connection.transactionNumber() }
    }

    /// Puts back the rows that a transaction has changed, in all tables with a history, as they were before it.
    ///
    /// ```swift
    /// let change = try Patient.changes(of: key, in: db).last
    /// if let number = change?.transaction { try db.undo(transaction: number) }
    /// ```
    ///
    /// The undoing is itself a change in the histories, which can be undone. Rows that have changed since are not
    /// overwritten: then nothing is undone. What no history has is not put back: the omitted columns of a row that was
    /// deleted, and the rows of tables without a history that a foreign key deleted or changed with it. See
    /// <doc:KeepingAHistory>.
    ///
    /// - Parameters:
    ///   - transaction: The number of the transaction; see ``RecordChange/transaction``.
    ///   - allowsLosses: Whether deleted rows are put back without what no history has.
    /// - Returns: The rows that were inserted, updated or deleted, by table, and what was not put back.
    /// - Throws: ``StrongroomError`` with `notUndoable` if rows have changed since, if a foreign key would delete or
    ///   change later rows, if deleted rows would come back without what no history has, if no history has a change of
    ///   the transaction, some were pruned, or the history was stopped or its table changed since; `tableDiffers` if a
    ///   history does not fit its table; `constraint` if the previous rows violate one.
    @discardableResult
    public func undo(transaction: Int64, allowingLosses allowsLosses: Bool = false) throws -> UndoReport {
        try savepoint { db in
            let undoing = try TransactionUndoing(transaction, on: db._handle.connection)
            return try undoing.run(allowingLosses: allowsLosses)
        }
    }
}

extension Reading where Self: ~Copyable {
    /// The number of the newest transaction that a history has, such as the one to undo next; an undoing is one, too.
    ///
    /// ```swift
    /// if let number = try db.lastTransaction(author: "ada") { try db.undo(transaction: number) }
    /// ```
    ///
    /// - Parameter author: The author of the transaction's newest change in a table; nil for any transaction.
    /// - Returns: The number; nil if no history has such a change.
    /// - Throws: ``StrongroomError`` with `tableDiffers` if a history does not fit its table.
    public func lastTransaction(author: String? = nil) throws -> Int64? {
        let connection = _handle.connection
        let isWanted = author == nil ? "" : " AND author = ?"
        let newest = try StoredHistory.all(on: connection).compactMap { history in
            let sql = """
                SELECT transaction_id FROM main.\(history.quotedName) WHERE transaction_id IS NOT NULL\(isWanted) \
                ORDER BY change DESC LIMIT 1
                """
            return try connection.ownRows(sql, author.map { [.text($0)] } ?? []).first?[0].asInteger
        }
        return newest.max()
    }
}

/// What undoing a transaction has put back, and what it could not.
public struct UndoReport: Sendable, Equatable {
    /// The number of rows that were inserted, updated or deleted, by table.
    public internal(set) var rows: [String: Int] = [:]
    /// The columns that the histories omit, by table, of the tables with such rows. They keep their present values; in
    /// a row that is inserted again they have their default or are NULL.
    public internal(set) var omittedColumns: [String: [String]] = [:]
    /// The tables without a history that reference rows which the transaction has deleted, by `ON DELETE CASCADE`,
    /// `SET NULL` or `SET DEFAULT`: their rows that were deleted or changed with them are not put back.
    public internal(set) var tablesWithoutHistory: [String] = []

    /// The number of rows that were inserted, updated or deleted.
    public var count: Int { rows.values.reduce(0, +) }
}

extension UndoReport {
    /// A description of what is not put back, for an error; nil if nothing is lost.
    fileprivate var losses: String? {
        let columns = omittedColumns.sorted { $0.key < $1.key }.map { table, columns in
            "the history of table \"\(table)\" omits \(columns.listed)"
        }
        let all =
            columns + tablesWithoutHistory.map { "table \"\($0)\" has no history, and references a deleted row" }
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}

struct TransactionUndoing {
    let connection: Connection
    let transaction: Int64
    private let histories: [StoredHistory]

    /// - Throws: ``StrongroomError`` with `notUndoable` if changes of the transaction were pruned.
    init(_ transaction: Int64, on connection: Connection) throws {
        self.connection = connection
        self.transaction = transaction
        histories = try StoredHistory.all(on: connection)
        guard !histories.isEmpty else { return }
        let pruned = try connection.ownValue(
            "SELECT name FROM \(PrunedHistory.table) WHERE pruned >= ? LIMIT 1", .integer(transaction))
        if let name = pruned?.asText {
            throw connection.failure(
                .notUndoable,
                """
                Changes of transaction \(transaction), or of later ones, were pruned from "\(name)", or the history \
                was stopped or its table changed since then, so that the transaction cannot be undone completely.
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
            throw connection.failure(
                .notUndoable,
                """
                Transaction \(transaction) was not undone, since rows have changed after it: \
                \(conflicts.joined(separator: "; ")). Undo the later transactions first.
                """)
        }
        guard !steps.isEmpty else {
            throw connection.failure(
                .notUndoable, "No history has a change of transaction \(transaction), so nothing was undone.")
        }
        var report = try lostReport(steps)
        if let losses = report.losses, !allowsLosses {
            throw connection.failure(
                .notUndoable,
                """
                Transaction \(transaction) was not undone, since rows would come back without what was deleted with \
                them: \(losses). Keep histories of all of it, or call `undo` with `allowingLosses: true`.
                """)
        }
        report.rows = try putBack(steps)
        for step in steps where !step.history.others.isEmpty {
            report.omittedColumns[step.history.table] = step.history.others
        }
        return report
    }

    /// What the transaction may have deleted and no history has.
    private func lostReport(_ steps: [Step]) throws -> UndoReport {
        var report = UndoReport()
        let restored = try steps.filter { step in
            try step.previous != nil && !step.history.isPresent(step.key, on: connection)
        }.map(\.history)
        for history in restored where !history.others.isEmpty { report.omittedColumns[history.table] = history.others }
        let references = try connection.declaredReferences().joined().filter(\.isActing)
        let recorded = Set(histories.map { SQLName($0.table) })
        var deleted = Set(restored.map { SQLName($0.table) })
        var waiting = Array(deleted)
        while let parent = waiting.popLast() {
            for reference in references where SQLName(reference.parent) == parent {
                let child = SQLName(reference.child)
                // Of a table with a history, the deleted rows are known.
                guard !recorded.contains(child), !report.tablesWithoutHistory.contains(reference.child) else {
                    continue
                }
                report.tablesWithoutHistory.append(reference.child)
                if reference.onDelete == .cascade, deleted.insert(child).inserted { waiting.append(child) }
            }
        }
        report.tablesWithoutHistory.sort()
        return report
    }

    private static let maxNamed = 10

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
        let previous = history.quotedOld.map { "entry.\($0)" }
        // The first change of each row in the transaction has the values from before it.
        let sql = """
            SELECT kind, (\(later)), change, \((keys + previous).joined(separator: ", ")) FROM \(name) AS entry \
            WHERE transaction_id = ?1 AND NOT EXISTS (\(earlier)) ORDER BY change
            """
        return try connection.ownRows(sql, [.integer(transaction)]).map { row in
            let key = Array(row[3..<3 + keys.count])
            let before = row[0] == .text("insert") ? nil : Array(row[(3 + keys.count)...])
            let step = Step(history: history, change: row[2].asInteger ?? 0, key: key, previous: before)
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
        let restored = steps.reversed().filter { $0.previous != nil }
        try restore(restored)
        for step in restored { count[step.history.table, default: 0] += 1 }
        let references = try UndoneReferences(last, on: connection)
        for step in last {
            guard case .none = try references.effect(ofDeleting: step) else {
                throw conflict(step, with: step.history.table)
            }
            count[step.history.table, default: 0] += try delete(step)
        }
        if !hadViolations, connection.hasDeferredViolations { try connection.checkForeignKeys() }
        return count
    }

    /// The rows to delete: those that rows reference which are restored are deleted last.
    private func deletions(_ steps: [Step]) throws -> (last: [Step], first: [Step]) {
        let references = try UndoneReferences(steps, on: connection)
        var (last, first) = ([Step](), [Step]())
        for step in steps.reversed() where step.previous == nil {
            switch try references.effect(ofDeleting: step) {
            case .none: first.append(step)
            case .onRestored: last.append(step)
            case .onOthers(let table): throw conflict(step, with: table)
            }
        }
        return (last, first)
    }

    private func conflict(_ step: Step, with table: String) -> StrongroomError {
        connection.failure(
            .notUndoable,
            """
            Transaction \(transaction) was not undone: rows of table "\(table)" reference a row that it has inserted \
            into table "\(step.history.table)", and would be deleted or changed with it. Undo the transactions that \
            wrote them, or delete them, first.
            """)
    }
}

struct UndoneReferences {
    private let connection: Connection
    private let references: [DeclaredReference]
    private let histories: [SQLName: StoredHistory]
    /// The rows that are undone, by table and key: whether they are deleted, or restored.
    private let isDeleted: [SQLName: [[SQLValue]: Bool]]

    /// What a deletion would do to the rows that reference the deleted one.
    enum Effect {
        /// Nothing that is not undone anyway.
        case none
        /// Rows that the undoing restores would be deleted or changed: restore them before.
        case onRestored
        /// Rows of a table that are not undone would be deleted or changed.
        case onOthers(table: String)
    }

    init(_ steps: [TransactionUndoing.Step], on connection: Connection) throws {
        self.connection = connection
        references = try connection.declaredReferences().joined().filter(\.isActing)
        let tables = Dictionary(grouping: steps) { SQLName($0.history.table) }
        histories = tables.compactMapValues { $0.first?.history }
        isDeleted = tables.mapValues { steps in
            Dictionary(steps.map { ($0.key, $0.previous == nil) }) { first, _ in first }
        }
    }

    func effect(ofDeleting step: TransactionUndoing.Step) throws -> Effect {
        var effect = Effect.none
        for reference in references where Identifier.areSame(reference.parent, step.history.table) {
            for key in try children(reference, of: step) {
                switch isDeleted[SQLName(reference.child)]?[key] {
                case true?: continue
                case false?: effect = .onRestored
                case nil: return .onOthers(table: reference.child)
                }
            }
        }
        return effect
    }

    /// The keys of the rows that reference a row; one value for a row of a table that is not undone.
    private func children(
        _ reference: DeclaredReference, of step: TransactionUndoing.Step
    ) throws -> [[SQLValue]] {
        let parent = step.history
        let primaryKey = try connection.columnInfos(of: parent.table).keys.map(\.name)
        let columns = reference.parentColumns.isEmpty ? primaryKey : reference.parentColumns
        let same = zip(columns, reference.columns).map {
            "parent.\(Identifier.quote($0)) = child.\(Identifier.quote($1))"
        }
        let own = parent.keyNames.enumerated().map { "parent.\(Identifier.quote($1)) = ?\($0 + 1)" }
        let keys = histories[SQLName(reference.child)]?.keyNames.map { "child.\(Identifier.quote($0))" } ?? ["1"]
        let sql = """
            SELECT \(keys.joined(separator: ", ")) FROM main.\(parent.quotedTable) AS parent \
            JOIN main.\(Identifier.quote(reference.child)) AS child ON \(same.joined(separator: " AND ")) \
            WHERE \(own.joined(separator: " AND "))\(keys == ["1"] ? " LIMIT 1" : "")
            """
        return try connection.ownRows(sql, step.key)
    }
}
