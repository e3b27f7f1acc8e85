/// The columns of a table in the file whose values have one spelling each; see ``Spelling``.
struct SpelledTable {
    typealias Column = (name: String, spelling: Spelling)

    private let connection: Connection
    private let name: String
    private let columns: [Column]

    init(_ connection: Connection, _ name: String, _ columns: [Column]) {
        (self.connection, self.name, self.columns) = (connection, name, columns)
    }

    private var quoted: String { "main.\(Identifier.quote(name))" }

    /// The numbers of the values that are not in the spelling of their column, without zeros.
    func counts() throws -> [SpellingCount] {
        guard !columns.isEmpty else { return [] }
        var counts = columns.map { _ in 0 }
        let list = columns.map { Identifier.quote($0.name) }.joined(separator: ", ")
        try connection.withOwnStatement("SELECT \(list) FROM \(quoted)") { statement in
            let row = Row(statement)
            while try statement.step() {
                for (index, column) in columns.enumerated() where try !row.isNull(at: index) {
                    // What is no text in UTF-8 has no spelling at all.
                    let isKept = (try? row.value(at: index)).map(column.spelling.isKept(by:)) ?? false
                    if !isKept { counts[index] += 1 }
                }
            }
        }
        return report(counts)
    }

    private func report(_ counts: [Int]) -> [SpellingCount] {
        zip(columns, counts).filter { $1 > 0 }.map { SpellingCount(table: name, column: $0.name, count: $1) }
    }
}

extension SpelledTable {
    /// A row with the values that are to be written.
    private typealias Change = (keys: [SQLValue], values: [(column: Int, value: SQLValue)])

    /// Rewrites the values that are in another spelling; triggers do not run.
    ///
    /// - Parameter isHistory: Whether what has no spelling stays as it is, instead of being an error.
    /// - Returns: The number of the rewritten values of each column, without zeros.
    @discardableResult
    func convert(isHistory: Bool = false) throws -> [SpellingCount] {
        guard try !self.counts().isEmpty else { return [] }
        let rowID = try connection.rowIDName(of: name)
        let keys = try rowID.map { [$0] } ?? connection.columnInfos(of: name).keys.map { Identifier.quote($0.name) }
        guard !keys.isEmpty else {
            throw connection.refusal(
                "The rows of table \"\(name)\" cannot be identified: it has neither a row id nor a key.")
        }
        var counts = columns.map { _ in 0 }
        try connection.withoutTriggers(of: name) {
            var last: Int64?
            repeat {
                try connection.checkTransaction()
                let slice = try slice(keys, behind: last, isByRowID: rowID != nil, isHistory: isHistory)
                for change in slice.changes {
                    try write(change, keys)
                    for value in change.values { counts[value.column] += 1 }
                }
                last = slice.last
            } while last != nil
        }
        try connection.adaptFullText(of: name, isFilled: false)
        return report(counts)
    }

    /// The changes to a thousand rows, and the last row id if there may be more rows.
    ///
    /// A table without row ids is processed in one go, since the columns may belong to its key.
    private func slice(
        _ keys: [String], behind last: Int64?, isByRowID: Bool, isHistory: Bool
    ) throws -> (changes: [Change], last: Int64?) {
        let list = (keys + columns.map { Identifier.quote($0.name) }).joined(separator: ", ")
        let behind = last.map { " WHERE \(keys[0]) > \($0)" } ?? ""
        let order = isByRowID ? " ORDER BY \(keys[0]) LIMIT 1000" : ""
        var changes: [Change] = []
        var (count, end): (Int, Int64?) = (0, nil)
        try connection.withOwnStatement("SELECT \(list) FROM \(quoted)\(behind)\(order)") { statement in
            let row = Row(statement)
            while try statement.step() {
                count += 1
                if isByRowID { end = try row.integer(at: 0) }
                var values: [(column: Int, value: SQLValue)] = []
                for (index, column) in columns.enumerated() where try !row.isNull(at: keys.count + index) {
                    let stored = try? row.value(at: keys.count + index)
                    if let stored, column.spelling.isKept(by: stored) { continue }
                    if let value = stored.flatMap(column.spelling.canonical) {
                        values.append((index, value))
                    } else if !isHistory {
                        throw connection.refusal(
                            """
                            \(subject(end)) has \(column.spelling.refusal) in column "\(column.name)"; correct it first.
                            """)
                    }
                }
                if !values.isEmpty { changes.append((try keys.indices.map { try row.value(at: $0) }, values)) }
            }
        }
        return (changes, isByRowID && count == 1000 ? end : nil)
    }

    private func write(_ change: Change, _ keys: [String]) throws {
        let values = change.values.map { "\(Identifier.quote(columns[$0.column].name)) = ?" }.joined(separator: ", ")
        let condition = keys.map { "\($0) IS ?" }.joined(separator: " AND ")
        do {
            try connection.withOwnStatement(
                "UPDATE OR ABORT \(quoted) SET \(values) WHERE \(condition)", change.values.map(\.value) + change.keys
            ) { try $0.run() }
        } catch let error as StrongroomError where error.code == .constraint {
            var rowID: Int64?
            if keys.count == 1, ColumnInfo.rowIDNames.contains(keys[0]) { rowID = change.keys[0].asInteger }
            let names = change.values.map { columns[$0.column].name }.listed
            var failure = StrongroomError(
                .constraint,
                """
                \(subject(rowID)) cannot have its value of \(names) in the library's spelling: \(error.message) If \
                another row has it already, merge the two first.
                """,
                database: connection.database, sql: error.sql, resultCode: error.resultCode)
            failure.constraint = error.constraint
            throw failure
        }
    }

    private func subject(_ rowID: Int64?) -> String {
        "\(rowID.map { "Row \($0)" } ?? "A row") of table \"\(name)\""
    }
}

extension Connection {
    /// Drops the triggers of a table, and creates them again after the work.
    func withoutTriggers(of table: String, _ work: () throws -> Void) throws {
        let triggers = try (schemaEntries() + schemaEntries(temporary: true))
            .filter { $0.kind == .trigger && Identifier.areSame($0.table, table) }
        for trigger in triggers { try run("DROP TRIGGER \(Identifier.quote(trigger.name))") }
        try work()
        for trigger in triggers { try run(trigger.creation) }
    }
}

extension Spelling {
    fileprivate var refusal: String {
        switch self {
        case .uuid: "a value that is no UUID"
        case .decimal: "a value that is no decimal number"
        case .date(let form): "a value that is no date in a spelling of the form \(form.name)"
        }
    }
}

extension Connection {
    /// The tables of the file with columns whose values have one spelling each: columns of such a declared type,
    /// and those of declared tables. Generated columns are left out.
    func spelledTables(_ declared: [TableSchema]) throws -> [SpelledTable] {
        try schemaEntries().filter { $0.kind == .table && CreateTableText($0.sql) != nil }.map { entry in
            let schema = declared.first { Identifier.areSame($0.name, entry.name) }
            return SpelledTable(self, entry.name, try spelledColumns(of: entry.name, schema?.columns ?? []))
        }
    }

    private func spelledColumns(of table: String, _ declared: [ColumnDefinition]) throws -> [SpelledTable.Column] {
        try columnInfos(of: table).filter { $0.generated == nil }.compactMap { info in
            let stored =
                DateForm(declaredType: info.declaredType).map { .date($0) }
                ?? (Identifier.areSame(info.declaredType, SortedDecimal.declaredType) ? Spelling.decimal : nil)
            let column = declared.first { Identifier.areSame($0.name, info.name) }
            return (stored ?? column?.spelling).map { (info.name, $0) }
        }
    }

    /// Rewrites the values of a table, and of its history, that are in another spelling than that of their column.
    func convertSpellings(of schema: TableSchema) throws -> [SpellingCount] {
        let columns = try spelledColumns(of: schema.name, schema.columns)
        let history = HistoryTable.name(of: schema.name)
        if let names = try historyColumns(history) {
            let recorded = columns.flatMap { column in
                [HistoryTable.keyName(of: column.name), HistoryTable.oldName(of: column.name)]
                    .filter { Identifier.index(of: $0, in: names) != nil }.map { ($0, column.spelling) }
            }
            _ = try SpelledTable(self, history, recorded).convert(isHistory: true)
        }
        return try SpelledTable(self, schema.name, columns).convert()
    }
}

/// The number of values of a column that are not in the one spelling that the library reads; see <doc:Types>.
public struct SpellingCount: Sendable, Hashable {
    /// The table.
    public let table: String
    /// The column.
    public let column: String
    /// The number of values.
    public let count: Int
}
