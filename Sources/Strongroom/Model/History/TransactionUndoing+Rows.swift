/// Gives rows the values from before a transaction, in an order in which the values of unique columns are free.
extension TransactionUndoing {
    struct Step {
        let history: StoredHistory
        /// The number of the transaction's first change of the row.
        let change: Int64
        let key: [SQLValue]
        /// The values before the transaction; nil if it inserted the row.
        let previous: [SQLValue]?
        /// The values of the columns that the history does not keep, of a row that was deleted for a moment.
        var others: [SQLValue] = []
        /// Whether the values of its unique columns have been freed.
        var isParked = false
    }

    func restore(_ steps: [Step]) throws {
        var rest = steps
        while !rest.isEmpty {
            var refused: [Step] = []
            var failure: StrongroomError?
            for step in rest {
                do {
                    try restore(step)
                } catch let error as StrongroomError where error.constraint?.isOfUniqueness == true {
                    // Another row still has a value that this one had.
                    refused.append(step)
                    failure = failure ?? error
                }
            }
            if let failure, refused.count == rest.count { try park(&refused, failure) }
            rest = refused
        }
    }

    private func restore(_ step: Step) throws {
        guard let previous = step.previous else { return }
        guard try !step.history.isPresent(step.key, on: connection) else {
            return try update(step, previous, advancesVersion: true)
        }
        let history = step.history
        let columns = history.keyNames + history.kept + (step.others.isEmpty ? [] : history.others)
        let parameters = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let sql = """
            INSERT OR ABORT INTO main.\(history.quotedTable) \
            (\(columns.map(Identifier.quote).joined(separator: ", "))) VALUES (\(parameters))
            """
        try run(sql, step.key + advanced(step, previous) + step.others)
        try link(step)
    }

    /// The previous values with a version that the row has not had.
    private func advanced(_ step: Step, _ previous: [SQLValue]) throws -> [SQLValue] {
        let history = step.history
        guard let version = history.version, let index = Identifier.index(of: version, in: history.kept) else {
            return previous
        }
        let column = history.quotedOld[index]
        let sql = """
            SELECT max(\(column)) FROM main.\(history.quotedName) \
            WHERE \(history.entryCondition) AND typeof(\(column)) = 'integer'
            """
        let newest = try connection.ownRows(sql, step.key).first?[0].asInteger
        guard newest != .max, newest != nil || previous[index] == .null else { return previous }
        var values = previous
        // The column was added after the row was deleted: each of the row's updates was one of the history's changes.
        values[index] = .integer(try (newest ?? history.lastChange(on: connection)) + 1)
        return values
    }

    /// Lets the history of a row that was inserted again continue with that of the deleted one.
    private func link(_ step: Step) throws {
        let history = step.history
        let own = "\(history.entryCondition) AND kind = 'insert'"
        let newest = "SELECT max(change) FROM main.\(history.quotedName) WHERE \(own)"
        guard let number = try connection.ownRows(newest, step.key).first?[0].asInteger,
            let end = try history.lifetimes(on: connection).end(of: step.key, from: step.change), end < number
        else { return }
        try connection.run(
            "UPDATE main.\(history.quotedName) SET moved = ? WHERE change = ?", .integer(end), .integer(number))
    }

    private func update(_ step: Step, _ values: [SQLValue], advancesVersion: Bool) throws {
        let history = step.history
        // The key, too: the column's collation may treat another form of it as equal.
        let given = zip(history.keyNames + history.kept, step.key + values).filter { column, _ in
            history.version.map { !Identifier.areSame($0, column) } ?? true
        }
        var assignments = given.enumerated().map { "\(Identifier.quote($1.0)) = ?\($0 + 1)" }
        if advancesVersion, let version = history.version.map(Identifier.quote) {
            // A number that the row has not had, also where it has none.
            let last = "(SELECT max(change) FROM main.\(history.quotedName))"
            assignments.append("\(version) = coalesce(\(version), \(last), 0) + 1")
        }
        try run(
            """
            UPDATE OR ABORT main.\(history.quotedTable) SET \(assignments.joined(separator: ", ")) \
            WHERE \(history.rowCondition)
            """, given.map(\.1))
    }

    private func run(_ sql: String, _ values: [SQLValue]) throws {
        try connection.withOwnStatement(sql, values) { try $0.run() }
    }

    // MARK: Values that rows have exchanged

    /// Frees the unique values of one of the rows: it gets those that it had during the transaction, or is deleted
    /// for a moment.
    ///
    /// - Parameter failure: What is thrown if none can.
    private func park(_ steps: inout [Step], _ failure: StrongroomError) throws {
        for index in steps.indices where !steps[index].isParked {
            let step = steps[index]
            guard try step.history.isPresent(step.key, on: connection), try update(toMeantime: step) else { continue }
            steps[index].isParked = true
            return
        }
        for index in steps.indices where !steps[index].isParked {
            let step = steps[index]
            guard try step.history.isPresent(step.key, on: connection), try mayDelete(step) else { continue }
            steps[index].others = try others(step)
            _ = try delete(step)
            steps[index].isParked = true
            return
        }
        throw failure
    }

    /// Gives a row values that it had during the transaction.
    private func update(toMeantime step: Step) throws -> Bool {
        let history = step.history
        let (first, second) = (history.quotedKeys.count + 1, history.quotedKeys.count + 2)
        let sql = """
            SELECT \(history.quotedOld.joined(separator: ", ")) FROM main.\(history.quotedName) \
            WHERE \(history.entryCondition) AND transaction_id = ?\(first) AND change > ?\(second) \
            AND kind <> 'insert' ORDER BY change
            """
        guard !history.quotedOld.isEmpty else { return false }
        for values in try connection.ownRows(sql, step.key + [.integer(transaction), .integer(step.change)]) {
            do {
                try update(step, values, advancesVersion: false)
                return true
            } catch let error as StrongroomError where error.constraint?.isOfUniqueness == true {
                continue
            }
        }
        return false
    }

    private func others(_ step: Step) throws -> [SQLValue] {
        let history = step.history
        guard !history.others.isEmpty else { return [] }
        let columns = history.others.map(Identifier.quote).joined(separator: ", ")
        let sql = "SELECT \(columns) FROM main.\(history.quotedTable) WHERE \(history.rowCondition)"
        return try connection.ownRows(sql, step.key).first ?? []
    }

    func delete(_ step: Step) throws -> Int {
        try run("DELETE FROM main.\(step.history.quotedTable) WHERE \(step.history.rowCondition)", step.key)
        return connection.changes
    }

    /// Whether a row can be deleted for a moment: no other row would be deleted or changed with it.
    private func mayDelete(_ step: Step) throws -> Bool {
        guard try !hasTriggers(step.history.table) else { return false }
        let effect = try UndoneReferences([], on: connection).effect(ofDeleting: step)
        return if case .none = effect { true } else { false }
    }

    /// Whether a table has triggers of the program, which a deletion or an insertion would run.
    private func hasTriggers(_ table: String) throws -> Bool {
        let own = HistoryTable.triggerNames(of: table)
        return try connection.schemaEntries().contains { entry in
            entry.kind == .trigger && Identifier.areSame(entry.table, table)
                && Identifier.index(of: entry.name, in: own) == nil && !entry.name.hasPrefix("strongroom_")
        }
    }
}

extension ConstraintFailure {
    fileprivate var isOfUniqueness: Bool { kind == .unique || kind == .primaryKey }
}
