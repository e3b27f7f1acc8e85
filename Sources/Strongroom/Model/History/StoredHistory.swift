/// A history that a file keeps, and the table that it is of, without their Swift types.
struct StoredHistory: KeyedHistory {
    let table: String
    let keyNames: [String]
    /// The names of the other columns whose previous values are kept.
    let kept: [String]
    /// The other columns, whose values are not kept.
    let others: [String]
    /// The column that counts a row's updates.
    let version: String?
    /// The columns of the key's values in the history, quoted.
    let quotedKeys: [String]
    /// The columns of the previous values in the history, quoted.
    let quotedOld: [String]

    var quotedName: String { Identifier.quote(HistoryTable.name(of: table)) }
    var quotedTable: String { Identifier.quote(table) }
    /// The condition for the entries of the row with the key in the parameters.
    var entryCondition: String { RowLifetimes.condition(quotedKeys) }

    /// The histories that the file keeps: those with triggers.
    static func all(on connection: Connection) throws -> [StoredHistory] {
        try connection.schemaEntries().compactMap { entry in
            guard entry.kind == .trigger,
                entry.tokens.contains(where: { $0.isNamed(AuthorTable.name) }),
                Identifier.areSame(entry.name, HistoryTable.triggerName("delete", of: entry.table))
            else { return nil }
            return try StoredHistory(entry, connection)
        }
    }

    /// - Parameter trigger: The trigger that records deletions: it says which column is kept where.
    private init(_ trigger: SchemaEntry, _ connection: Connection) throws {
        table = trigger.table
        let recorded = Self.recorded(trigger)
        let present = try connection.columnInfos(of: trigger.table)
        let needed = [HistoryTable.moved] + recorded.map(\.stored)
        let isKey = { (column: String) in column.hasPrefix(HistoryTable.keyName(of: "")) }
        let keys = recorded.filter { isKey($0.stored) }
        let ofTable = present.keys.map(\.name)
        guard !keys.isEmpty, Identifier.areSame(keys.map(\.column), ofTable),
            try connection.historyColumns(HistoryTable.name(of: trigger.table), with: needed) != nil,
            recorded.allSatisfy({ Identifier.index(of: $0.column, in: present.map(\.name)) != nil })
        else {
            throw connection.failure(
                .tableDiffers,
                """
                The history of table "\(trigger.table)" does not fit the table as it is now; call `keepHistory(of:)` \
                with the table's schema, or stop the history with `stopHistory(of:)`.
                """)
        }
        let plain = present.filter { $0.generated == nil }.map(\.name)
        let kept = recorded.filter { !isKey($0.stored) && Identifier.index(of: $0.column, in: plain) != nil }
        keyNames = keys.map(\.column)
        self.kept = kept.map(\.column)
        let all = keyNames + self.kept
        others = plain.filter { Identifier.index(of: $0, in: all) == nil }
        version = recorded.first(where: \.isVersion)?.column
        quotedKeys = keys.map { Identifier.quote($0.stored) }
        quotedOld = kept.map { Identifier.quote($0.stored) }
    }

    /// The columns that a trigger records, with those of the history; empty if it has another form.
    private static func recorded(_ trigger: SchemaEntry) -> [(column: String, stored: String, isVersion: Bool)] {
        let tokens = trigger.tokens.filter { $0.kind != .space }
        guard let values = tokens.lastIndex(where: { $0.isWord("VALUES") }),
            let start = tokens[..<values].lastIndex(where: { $0.isSign("(") })
        else { return [] }
        let stored = tokens[start..<values].compactMap(\.name).dropFirst(HistoryTable.ownColumns.count - 1)
        let columns = tokens.indices.compactMap { index -> (name: String, isVersion: Bool)? in
            guard index > values + 2, tokens[index - 1].isSign("."), tokens[index - 2].isNamed("old") else {
                return nil
            }
            return tokens[index].name.map { ($0, tokens[index - 3].isSign("+")) }
        }
        guard stored.count == columns.count else { return [] }
        return zip(columns, stored).map { (column: $0.name, stored: $1, isVersion: $0.isVersion) }
    }

    /// The number of the newest change; 0 if there is none.
    func lastChange(on connection: Connection) throws -> Int64 {
        guard case .integer(let last)? = try connection.ownValue("SELECT max(change) FROM main.\(quotedName)") else {
            return 0
        }
        return last
    }

    /// Erases the history of the rows that were deleted after a change, and of no other row that had their keys.
    ///
    /// - Parameter key: The key of a row whose history is not erased.
    func eraseDeleted(since last: Int64, except key: [SQLValue]?, on connection: Connection) throws {
        // A row whose key has changed goes on. The newest first: an earlier deletion is where the next row begins.
        let sql = """
            SELECT change, \(quotedKeys.joined(separator: ", ")) FROM main.\(quotedName) AS entry \
            WHERE change > ?1 AND kind = 'delete' \
            AND NOT EXISTS (SELECT 1 FROM main.\(quotedName) AS next WHERE next.moved = entry.change)\
            \(key == nil ? "" : " AND NOT (\(RowLifetimes.condition(quotedKeys, from: 2)))") ORDER BY change DESC
            """
        let deleted = try connection.ownRows(sql, [.integer(last)] + (key ?? []))
        let lifetimes = lifetimes(on: connection)
        for row in deleted {
            _ = try lifetimes.eraseLifetime(of: Array(row.dropFirst()), through: row[0].asInteger ?? 0)
        }
    }
}

/// The rows that a history has had, each from its insertion to its deletion: a key can be used for several rows, one
/// after another, and a row can have several keys.
struct RowLifetimes {
    let history: String
    /// The columns of the key's values, quoted.
    let keys: [String]
    let connection: Connection

    /// Which of the rows that had a key are meant.
    enum Part {
        /// Those of rows that were deleted, and do not continue under another key.
        case deleted
        /// Those of ``deleted`` up to a deletion; if there is none, those that continue under another key.
        case through(_ deletion: Int64)
        /// Those of ``deleted`` and of the present row; if there is none, those that continue under another key.
        case all
    }

    struct Deletion {
        let change: Int64
        /// Whether the row exists, under another key or since it was put back.
        let isContinued: Bool
    }

    /// What an erasure or a pruning has removed.
    struct Removal {
        var count = 0
        /// The newest transaction with a removed change.
        var transaction: Int64?

        fileprivate mutating func add(_ other: Removal) {
            count += other.count
            transaction = [transaction, other.transaction].compactMap(\.self).max()
        }
    }

    private func condition() -> String { Self.condition(keys) }

    /// The condition for the entries of the row with the key in the parameters.
    static func condition(_ keys: [String], from parameter: Int = 1) -> String {
        keys.enumerated().map { "\($1) IS ?\(parameter + $0)" }.joined(separator: " AND ")
    }

    /// The deletions of a key's rows, oldest first.
    func deletions(of key: [SQLValue]) throws -> [Deletion] {
        let sql = """
            SELECT change, EXISTS (SELECT 1 FROM main.\(history) AS next WHERE next.moved = entry.change) \
            FROM main.\(history) AS entry WHERE kind = 'delete' AND \(condition()) ORDER BY change
            """
        return try connection.ownRows(sql, key).compactMap { row in
            row[0].asInteger.map { Deletion(change: $0, isContinued: row[1] == .integer(1)) }
        }
    }

    /// The number of the first deletion of a key's row after a change; nil if there is none.
    func deletion(of key: [SQLValue], after change: Int64) throws -> Int64? {
        let own = "change > ?\(keys.count + 1) AND kind = 'delete' AND \(condition())"
        let sql = "SELECT min(change) FROM main.\(history) WHERE \(own)"
        return try connection.ownRows(sql, key + [.integer(change)]).first?[0].asInteger
    }

    /// The change that deleted the row that had a key before a change; nil while it exists.
    func end(of key: [SQLValue], from change: Int64) throws -> Int64? {
        var (key, start, end) = (key, change, Int64?.none)
        while let deletion = try deletion(of: key, after: start - 1) {
            end = deletion
            let next = "SELECT change, \(keys.joined(separator: ", ")) FROM main.\(history) WHERE moved = ?"
            guard let moved = try connection.ownRows(next, [.integer(deletion)]).first, let number = moved[0].asInteger
            else { break }
            (key, start) = (Array(moved.dropFirst()), number)
        }
        return end
    }

    /// Removes the changes of rows, also those under previous keys of the rows.
    @discardableResult
    func erase(_ key: [SQLValue], _ part: Part) throws -> Removal {
        let deletions = try deletions(of: key)
        var ends = deletions
        switch part {
        case .deleted: break
        case .through(let deletion): ends = deletions.filter { $0.change <= deletion }
        case .all:
            if try hasChanges(of: key, after: deletions.last?.change ?? 0) {
                ends.append(Deletion(change: .max, isContinued: false))
            }
        }
        let ended = ends.filter { !$0.isContinued }
        if case .deleted = part { ends = ended }
        if !ended.isEmpty { ends = ended }
        var removal = Removal()
        for end in ends.reversed() { removal.add(try eraseLifetime(of: key, through: end.change)) }
        return removal
    }

    private func hasChanges(of key: [SQLValue], after change: Int64) throws -> Bool {
        let sql = "SELECT 1 FROM main.\(history) WHERE \(condition()) AND change > ?\(keys.count + 1) LIMIT 1"
        return try !connection.ownRows(sql, key + [.integer(change)]).isEmpty
    }

    /// Removes the changes of the row that a deletion ended, or of the present one, from its insertion on.
    func eraseLifetime(of key: [SQLValue], through last: Int64) throws -> Removal {
        var removal = Removal()
        var next = Optional((key: key, last: last))
        let (first, second) = (keys.count + 1, keys.count + 2)
        while let (key, last) = next {
            let before = """
                SELECT max(change) FROM main.\(history) WHERE kind = 'delete' AND \(condition()) AND change < ?\(first)
                """
            let start = try connection.ownRows(before, key + [.integer(last)]).first?[0].asInteger ?? 0
            let own = "FROM main.\(history) WHERE \(condition()) AND change > ?\(first) AND change <= ?\(second)"
            let values = key + [.integer(start), .integer(last)]
            let found = try connection.ownRows("SELECT max(transaction_id), min(moved) \(own)", values).first
            try connection.withOwnStatement("DELETE \(own)", values) { try $0.run() }
            removal.add(Removal(count: connection.changes, transaction: found?[0].asInteger))
            next = try found?[1].asInteger.flatMap { moved in
                let sql = "SELECT \(keys.joined(separator: ", ")) FROM main.\(history) WHERE change = ?"
                return try connection.ownRows(sql, [.integer(moved)]).first.map { ($0, moved) }
            }
        }
        return removal
    }

    // MARK: Pruning

    /// Removes the oldest changes, up to the last one that a time precedes.
    func prune(before limit: String) throws -> Removal {
        let kept = try connection.ownValue(
            "SELECT change FROM main.\(history) WHERE at >= \(limit) ORDER BY change LIMIT 1")
        let own = "FROM main.\(history) WHERE change < ?"
        let first = SQLValue.integer(kept?.asInteger ?? .max)
        let newest = try connection.ownValue("SELECT max(transaction_id) \(own)", first)
        try connection.run("DELETE \(own)", first)
        return Removal(count: connection.changes, transaction: newest?.asInteger)
    }

    /// Removes the changes of each key beyond a number, where the key has changes after a given one.
    func prune(most: Int, after change: Int64) throws -> Removal {
        var removal = Removal()
        let list = keys.joined(separator: ", ")
        let changed = try connection.ownRows(
            "SELECT DISTINCT \(list) FROM main.\(history) WHERE change > ?", [.integer(change)])
        let own = "FROM main.\(history) WHERE \(condition())"
        let parameter = keys.count + 1
        for key in changed {
            let sql = "SELECT change \(own) ORDER BY change DESC LIMIT 1 OFFSET ?\(parameter)"
            let last = try connection.ownRows(sql, key + [.integer(Int64(most))]).first?[0].asInteger
            guard let last else { continue }
            let values = key + [.integer(last)]
            let beyond = "\(own) AND change <= ?\(parameter)"
            let newest = try connection.ownRows("SELECT max(transaction_id) \(beyond)", values).first?[0].asInteger
            let moved = try connection.ownRows("SELECT moved \(beyond) AND moved IS NOT NULL", values)
            try connection.withOwnStatement("DELETE \(beyond)", values) { try $0.run() }
            removal.add(Removal(count: connection.changes, transaction: newest))
            // Older changes of the row, under a previous key.
            for number in moved.compactMap({ $0[0].asInteger }) {
                let previous = "SELECT \(list) FROM main.\(history) WHERE change = ?"
                guard let key = try connection.ownRows(previous, [.integer(number)]).first else { continue }
                removal.add(try eraseLifetime(of: key, through: number))
            }
        }
        return removal
    }
}

/// A history of rows that have keys: as a table declares it, or as the file keeps it.
protocol KeyedHistory {
    var quotedName: String { get }
    var quotedTable: String { get }
    var keyNames: [String] { get }
    /// The columns of the key's values in the history, quoted.
    var quotedKeys: [String] { get }
}

extension KeyedHistory {
    /// The condition for the table's row with the key in the parameters.
    var rowCondition: String {
        keyNames.enumerated().map { "\(Identifier.quote($1)) = ?\($0 + 1)" }.joined(separator: " AND ")
    }

    func isPresent(_ key: [SQLValue], on connection: Connection) throws -> Bool {
        try !connection.ownRows("SELECT 1 FROM main.\(quotedTable) WHERE \(rowCondition)", key).isEmpty
    }

    func lifetimes(on connection: Connection) -> RowLifetimes {
        RowLifetimes(history: quotedName, keys: quotedKeys, connection: connection)
    }
}

extension HistoryTable: KeyedHistory {
    var quotedTable: String { table.quotedName }
    var keyNames: [String] { keys.map(\.name) }
}
