/// A history that a file keeps, and the table that it is of, without their Swift types.
struct StoredHistory: KeyedHistory {
    /// The table's name.
    let table: String
    /// The names of the key's columns in the table.
    let keyNames: [String]
    /// The names of the other columns whose former values are kept.
    let kept: [String]
    /// The other columns, whose values are not kept.
    let others: [String]
    /// The column that counts a row's updates.
    let version: String?
    /// The columns of the key's values in the history, quoted.
    let quotedKeys: [String]
    /// The columns of the former values in the history, quoted.
    let quotedFormer: [String]

    var name: String { HistoryTable.name(of: table) }
    var quotedName: String { Identifier.quote(name) }
    var quotedTable: String { Identifier.quote(table) }

    /// The histories that the file keeps: those with triggers.
    ///
    /// - Throws: ``StrongroomError`` with `tableDiffers` for one that does not fit its table.
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
        let own = try connection.columnInfos(of: HistoryTable.name(of: trigger.table)).map(\.name)
        let needed = HistoryTable.ownColumns + [HistoryTable.moved] + recorded.map(\.stored)
        let isKey = { (column: String) in column.hasPrefix(HistoryTable.keyName(of: "")) }
        let keys = recorded.filter { isKey($0.stored) }
        let ofTable = present.filter { $0.keyPlace != nil }.map(\.name)
        guard !keys.isEmpty, Identifier.areSame(keys.map(\.column), ofTable),
            needed.allSatisfy({ Identifier.index(of: $0, in: own) != nil }),
            recorded.allSatisfy({ Identifier.index(of: $0.column, in: present.map(\.name)) != nil })
        else {
            throw StrongroomError(
                .tableDiffers,
                """
                The history of table "\(trigger.table)" does not fit the table as it is now; call `keepHistory(of:)` \
                with the table's schema, or stop the history with `stopHistory(of:)`.
                """,
                database: connection.database)
        }
        let plain = present.filter { $0.generated == nil }.map(\.name)
        let kept = recorded.filter { !isKey($0.stored) && Identifier.index(of: $0.column, in: plain) != nil }
        keyNames = keys.map(\.column)
        self.kept = kept.map(\.column)
        let all = keyNames + self.kept
        others = plain.filter { Identifier.index(of: $0, in: all) == nil }
        version = recorded.first(where: \.isVersion)?.column
        quotedKeys = keys.map { Identifier.quote($0.stored) }
        quotedFormer = kept.map { Identifier.quote($0.stored) }
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
    func eraseDeleted(since last: Int64, except key: [Value]?, on connection: Connection) throws {
        let condition = quotedKeys.enumerated().map { "\($1) IS ?\($0 + 2)" }.joined(separator: " AND ")
        // A row whose key has changed goes on. The newest first: an earlier deletion is where the next life begins.
        let sql = """
            SELECT change, \(quotedKeys.joined(separator: ", ")) FROM main.\(quotedName) AS entry \
            WHERE change > ?1 AND kind = 'delete' \
            AND NOT EXISTS (SELECT 1 FROM main.\(quotedName) AS next WHERE next.moved = entry.change)\
            \(key == nil ? "" : " AND NOT (\(condition))") ORDER BY change DESC
            """
        let deleted = try connection.rows(sql, [.integer(last)] + (key ?? []))
        let lives = lives(on: connection)
        for row in deleted {
            _ = try lives.eraseLife(of: Array(row.dropFirst()), through: row[0].asInteger ?? 0)
        }
    }
}
