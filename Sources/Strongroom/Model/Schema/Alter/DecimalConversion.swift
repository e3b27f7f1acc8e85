extension Connection {
    /// Declares TEXT columns as DECIMAL_TEXT columns, with their defaults in that form.
    func declareDecimals(_ columns: [String], of table: String) throws {
        let entry = try tableEntry(table, in: try schemaEntries())
        guard var text = CreateTableText(entry.sql) else {
            throw ColumnChange.refusal("Table \"\(table)\" is virtual; only its module can change its columns.", self)
        }
        let infos = try columnInfos(of: table)
        for column in columns {
            guard let info = infos.first(where: { Identifier.areSame($0.name, column) }) else {
                throw StrongroomError(.sql, "no such column: \(column) in table \"\(table)\".", database: database)
            }
            let types = ["text", "varchar", "char", "clob", SortedDecimal.declaredType.asciiFolded]
            guard types.contains(info.declaredType.asciiFolded) else {
                throw ColumnChange.refusal(
                    """
                    Column "\(column)" of table "\(table)" is declared as "\(info.declaredType)", not as TEXT; change \
                    it with `db.changeColumn(_:in:)`, which converts the values.
                    """, self)
            }
            guard text.sortDecimals(of: column) else {
                throw ColumnChange.refusal(
                    """
                    The default of column "\(column)" of table "\(table)" is not a decimal number \
                    (\(info.defaultSQL ?? "")); change it with `db.changeColumn(_:in:)`, which converts the \
                    values.
                    """, self)
            }
        }
        guard text.sql != entry.sql else { return }
        try rewriteSchema([SchemaEntry(kind: .table, name: entry.name, table: entry.table, sql: text.sql)])
    }

    /// Converts the values of columns to the DECIMAL_TEXT form; triggers do not run.
    ///
    /// - Parameter report: Called with the number of processed rows of a column and the total.
    func sortDecimals(_ columns: [String], of table: String, _ report: (Int, Int) throws -> Void) throws {
        let entries = try schemaEntries()
        let isWithoutRowID = CreateTableText(try tableEntry(table, in: entries).sql)?.isWithoutRowID ?? false
        let computed = try columnInfos(of: table).filter { $0.generated != nil }.map(\.name)
        func isComputed(_ column: String) -> Bool { computed.contains { Identifier.areSame($0, column) } }
        func conversion(_ column: String) throws -> DecimalConversion {
            try DecimalConversion(self, table, column, isWithoutRowID: isWithoutRowID)
        }
        try withoutTriggers(of: table, entries) {
            for column in columns where !isComputed(column) { try conversion(column).run(report) }
        }
        for column in columns where isComputed(column) { try conversion(column).requireNone() }
        try adaptFullText(of: table, isFilled: false)
    }

    /// Drops the triggers of a table, and creates them again after the work.
    func withoutTriggers(of table: String, _ entries: [SchemaEntry], _ work: () throws -> Void) throws {
        let triggers = (entries + (try schemaEntries(temporary: true)))
            .filter { $0.kind == .trigger && Identifier.areSame($0.table, table) }
        for trigger in triggers { try run("DROP TRIGGER \(Identifier.quote(trigger.name))") }
        try work()
        for trigger in triggers { try run(trigger.creation) }
    }
}

/// Converts the decimals of one column.
struct DecimalConversion {
    private let connection: Connection
    private let table: String
    private let column: String
    /// The columns that identify a row: its row id, or its primary key.
    private let keys: [String]
    private let isByRowID: Bool
    private let title: String

    init(_ connection: Connection, _ table: String, _ column: String, isWithoutRowID: Bool) throws {
        self.connection = connection
        self.table = Identifier.quote(table)
        self.column = Identifier.quote(column)
        let infos = try connection.columnInfos(of: table)
        let rowID = isWithoutRowID ? nil : infos.freeRowIDName
        isByRowID = rowID != nil
        keys = rowID.map { [$0] } ?? infos.filter { $0.keyPlace != nil }.map { Identifier.quote($0.name) }
        title = "column \"\(column)\" of table \"\(table)\""
    }

    func run(_ report: (Int, Int) throws -> Void) throws {
        let condition = SortedDecimal.isOther(column)
        let counted = try connection.ownValue("SELECT count(*) FROM \(table) WHERE \(condition)")
        guard case .integer(let count)? = counted, count > 0 else { return }
        guard !keys.isEmpty else {
            throw StrongroomError(
                .schemaChange, "The rows of \(title) cannot be identified: the table has neither a row id nor a key.",
                database: connection.database)
        }
        let list = keys.joined(separator: ", ")
        var (done, last): (Int, Int64?) = (0, nil)
        while true {
            // A key is processed in one go, since the column may belong to it.
            let behind = last.map { " AND \(keys[0]) > \($0)" } ?? ""
            let slice = isByRowID ? " ORDER BY \(keys[0]) LIMIT 1000" : ""
            let rows = try connection.ownRows(
                "SELECT \(column), \(list) FROM \(table) WHERE \(condition)\(behind)\(slice)")
            for row in rows { try convert(row) }
            done += rows.count
            try report(done, Int(count))
            guard isByRowID, rows.count == 1000, case .integer(let rowID)? = rows.last?[1] else { return }
            last = rowID
        }
    }

    /// Throws for values in another form that cannot be rewritten, those of generated columns.
    func requireNone() throws {
        let condition = SortedDecimal.isOther(column)
        guard
            let row = try connection.ownRows(
                "SELECT \((["1"] + keys).joined(separator: ", ")) FROM \(table) WHERE \(condition) LIMIT 1"
            ).first
        else { return }
        throw StrongroomError(
            .schemaChange,
            """
            \(subject(row)) has a value in \(title), which is generated, that is not a decimal in the sortable form; \
            drop the column, or compute it from a column of decimals.
            """,
            database: connection.database)
    }

    private func subject(_ row: [Value]) -> String {
        isByRowID ? row[1].asInteger.map { "Row \($0)" } ?? "A row" : "A row"
    }

    private func convert(_ row: [Value]) throws {
        let digits: String? =
            switch row[0] {
            case .text(let text): text
            case .integer(let number): String(number)
            default: nil
            }
        guard let stored = digits.flatMap({ SortedDecimal.stored($0) }) else {
            throw StrongroomError(
                .schemaChange, "\(subject(row)) contains no decimal number in \(title); correct it first.",
                database: connection.database)
        }
        let condition = keys.map { "\($0) IS ?" }.joined(separator: " AND ")
        try connection.withOwnStatement(
            "UPDATE \(table) SET \(column) = ? WHERE \(condition)", [.text(stored)] + row.dropFirst()
        ) { try $0.run() }
    }
}
