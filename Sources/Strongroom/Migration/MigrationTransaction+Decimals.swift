extension MigrationTransaction {
    /// Writes the decimals of a table in the form that sorts, where an older version of the library has stored plain
    /// digits, and declares their columns as `DECIMAL_TEXT`.
    ///
    /// ```swift
    /// Migration("5") { db in try db.convertDecimals(of: Receipt.self) }
    /// ```
    ///
    /// A thousand rows at a time, which tells how far it has come; triggers do not run. Without this the first use of
    /// such a table fails with `schemaChange`. ``Migrator/automatic(tables:removingColumns:)`` does it by itself. A
    /// column that is converted already stays as it is.
    ///
    /// - Parameter table: A table with properties of the type `Decimal`.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a text that is no decimal number, naming the row;
    ///   `constraint` when two values of a unique column are the same number; `sql` when there is no such table or
    ///   column; `CancellationError` as ``report(_:of:)``.
    public func convertDecimals<Source: Table>(of table: Source.Type) throws {
        for column in Source.schema.decimals { try convertDecimals(in: column.name, of: Source.schema.name) }
    }

    /// Converts one column.
    func convertDecimals(in column: String, of table: String) throws {
        let connection = handle.connection
        connection.recorder?.note("convert decimals of \(table): \(column)")
        // How many slices there are depends on the rows.
        let recorder = connection.recorder
        connection.recorder = nil
        defer { connection.recorder = recorder }
        try savepoint { db in
            let entries = try connection.schemaEntries()
            let entry = try connection.tableEntry(table, in: entries)
            let info = try connection.columnInfos(of: table).first { Identifier.areSame($0.name, column) }
            guard let info, var text = CreateTableText(entry.sql) else {
                throw StrongroomError(
                    .sql, "no such column: \(column) in table «\(table)».", database: connection.database)
            }
            if !Identifier.areSame(info.declaredType, SortedDecimal.declaredType) {
                guard ["text", "varchar", "char", "clob"].contains(info.declaredType.asciiFolded) else {
                    throw StrongroomError(
                        .schemaChange,
                        """
                        Column «\(column)» of table «\(table)» is declared as «\(info.declaredType)», not as TEXT; change \
                        it with `db.changeColumn(_:in:)` first.
                        """,
                        database: connection.database)
                }
                text.retype(column, SortedDecimal.declaredType)
                try connection.rewriteSchema([
                    SchemaEntry(kind: .table, name: entry.name, table: entry.table, sql: text.sql)
                ])
            }
            try withoutTriggers(of: table, entries) {
                try DecimalConversion(
                    connection, table, column, info, isWithoutRowID: text.isWithoutRowID
                ).run { try self.report($0, of: $1) }
            }
        }
    }

    private func withoutTriggers(of table: String, _ entries: [SchemaEntry], _ work: () throws -> Void) throws {
        let connection = handle.connection
        let triggers = (entries + (try connection.schemaEntries(temporary: true)))
            .filter { $0.kind == .trigger && Identifier.areSame($0.table, table) }
        for trigger in triggers { try connection.run("DROP TRIGGER \(Identifier.quote(trigger.name))") }
        try work()
        for trigger in triggers { try connection.run(trigger.creation) }
    }
}

/// Rewrites the decimals of one column.
private struct DecimalConversion {
    private let connection: Connection
    private let table: String
    private let column: String
    /// What a row is known by: its row id, or its primary key.
    private let keys: [String]
    private let isByRowID: Bool
    private let title: String

    init(
        _ connection: Connection, _ table: String, _ column: String, _ info: ColumnInfo, isWithoutRowID: Bool
    ) throws {
        self.connection = connection
        self.table = Identifier.quote(table)
        self.column = Identifier.quote(column)
        let infos = try connection.columnInfos(of: table)
        let names = Set(infos.map(\.name.asciiFolded))
        let rowID = isWithoutRowID ? nil : ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
        isByRowID = rowID != nil
        keys = rowID.map { [$0] } ?? infos.filter { $0.keyPlace != nil }.map { Identifier.quote($0.name) }
        title = "column «\(column)» of table «\(table)»"
    }

    func run(_ report: (Int, Int) throws -> Void) throws {
        let condition = SortedDecimal.isOther(column)
        let counted = try connection.ownValue("SELECT count(*) FROM \(table) WHERE \(condition)")
        guard case .integer(let count)? = counted, count > 0 else { return }
        guard !keys.isEmpty else {
            throw StrongroomError(
                .schemaChange, "The rows of \(title) have neither a row id nor a key to find them by.",
                database: connection.database)
        }
        let list = keys.joined(separator: ", ")
        var (done, last): (Int, Int64?) = (0, nil)
        while true {
            // By key all at once: the column may belong to it.
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

    private func convert(_ row: [Value]) throws {
        let digits: String? =
            switch row[0] {
            case .text(let text): text
            case .integer(let number): String(number)
            default: nil
            }
        guard let stored = digits.flatMap({ SortedDecimal.stored($0) }) else {
            let place = isByRowID ? row[1].asInteger.map { "Row \($0)" } ?? "A row" : "A row"
            throw StrongroomError(
                .schemaChange, "\(place) holds no decimal number in \(title); correct it first.",
                database: connection.database)
        }
        let condition = keys.map { "\($0) IS ?" }.joined(separator: " AND ")
        try connection.withOwnStatement(
            "UPDATE \(table) SET \(column) = ? WHERE \(condition)", [.text(stored)] + row.dropFirst()
        ) { try $0.run() }
    }
}
