/// Adds, drops or changes a column of a table. Runs in the caller's savepoint.
struct ColumnChange {
    let connection: Connection
    let entries: [SchemaEntry]
    let table: SchemaEntry
    let text: CreateTableText

    init(_ connection: Connection, _ name: String) throws {
        try connection.checkTransaction()
        self.connection = connection
        entries = try connection.schemaEntries()
        table = try connection.tableEntry(name, in: entries)
        guard let text = CreateTableText(table.sql) else {
            throw connection.refusal("Table \"\(name)\" is virtual; only its module can change its columns.")
        }
        self.text = text
    }

    func refusal(_ message: String) -> StrongroomError { connection.refusal(message) }

    private func isKey(_ column: String) -> StrongroomError {
        refusal(
            """
            Column "\(column)" belongs to the primary key of table "\(table.name)"; make a new table and move the rows.
            """)
    }

    // MARK: Add

    func add(_ column: ColumnDefinition) throws {
        let sql = try column.sql()
        guard text.position(of: column.name) == nil else {
            throw connection.failure(.sql, "duplicate column name: \(column.name).")
        }
        guard !column.isPrimaryKey else {
            throw refusal(
                """
                Column "\(column.name)" cannot become the primary key of the existing table "\(table.name)"; \
                create a new table.
                """
            )
        }
        let hasDefault = (try column.defaultValue?.get()).map { $0 != .null } ?? false
        let isFilled = column.isNullable || hasDefault || column.generated != nil
        let hasRows = try connection.ownValue("SELECT 1 FROM \(Identifier.quote(table.name)) LIMIT 1") != nil
        guard isFilled || !hasRows else {
            throw refusal(
                """
                Column "\(column.name)" may not be NULL and has no default, but table "\(table.name)" has rows; give \
                it a default.
                """
            )
        }
        let needsRebuild =
            !isFilled || column.isUnique || column.check != nil || column.generated != nil
            || (column.references != nil && hasDefault)
        guard needsRebuild else {
            try connection.run("ALTER TABLE \(Identifier.quote(table.name)) ADD COLUMN \(sql)")
            return
        }
        var changed = text
        changed.add(sql)
        try rebuild(changed)
    }

    // MARK: Change

    func change(to column: ColumnDefinition) throws {
        let sql = try column.sql()
        let position = try position(of: column.name)
        let info = try self.info(of: column.name)
        guard !column.isPrimaryKey, info?.keyPosition == nil else {
            throw isKey(column.name)
        }
        try refuseOtherDates(info, column)
        var changed = text
        changed.replace(at: position, with: sql)
        let name = Identifier.quote(column.name)
        // Decimals that are converted to another type are converted as numbers, not as their stored texts or integers.
        let isSameForm = info.map { Identifier.areSame($0.declaredType, column.declaredType) } ?? false
        let digits = isSameForm ? nil : info?.decimalDigits.map { "(\($0))" }
        var value = digits ?? name
        if let scale = column.scale, !isSameForm, column.generated == nil {
            value = try scaledSource(value, column.name, scale)
        } else if column.generated == nil {
            try refuseLoss(value, column)
        }
        let sources = [(column: column.name, sql: try source(value, column))]
        if column.holdsDecimals, column.generated == nil {
            // The checks apply to the decimals, not to the previous values.
            try connection.withoutChecks(of: [table.name]) {
                try rebuild(changed, sources)
                try SpelledTable(connection, table.name, [(column.name, .decimal)]).convert()
            }
        } else {
            try rebuild(changed, sources)
        }
        if column.isIndexed {
            try connection.run(try TableIndex(of: column).sql(table: table.name, ifNotExists: true))
        }
        try refuseMisfits(name, column)
        let isStillFitting = isSameForm && (column.isNullable || info?.isNullable == false)
        try connection.breakHistory(of: table.name, unread: isStillFitting ? nil : column.name)
    }

    /// Adds AUTOINCREMENT to an integer primary key that is the row id.
    func keepKeys(_ column: ColumnDefinition) throws {
        var changed = text
        changed.replace(at: try position(of: column.name), with: try column.sql())
        // The key may be declared after the columns.
        if let constraint = changed.items.firstIndex(where: { item in
            CreateTableText.column(item) == nil && item.contains { $0.isWord("PRIMARY") }
        }) {
            changed.remove(at: constraint)
        }
        try rebuild(changed)
    }

    /// Throws if a change would give stored dates another meaning: from one ``DateForm`` to another, and between the
    /// seconds since 1970 and REAL, the type of dates without a form.
    private func refuseOtherDates(_ info: ColumnInfo?, _ column: ColumnDefinition) throws {
        guard let info, !Identifier.areSame(info.declaredType, column.declaredType) else { return }
        let isReal = Identifier.areSame(info.declaredType, StorageClass.real.rawValue)
        let stored = DateForm(declaredType: info.declaredType)
        guard stored != nil || (isReal && column.dateForm != nil),
            try connection.ownValue("SELECT 1 FROM \(Identifier.quote(table.name)) LIMIT 1") != nil
        else { return }
        throw refusal(
            """
            Column "\(column.name)" of table "\(table.name)" is declared as \(info.declaredType), and a change to \
            \(column.declaredType) does not convert its dates; add a new column, and fill it from the old one.
            """)
    }

    /// The SQL for a floating-point number with 15 significant digits, as the engine itself converts one to text before
    /// SQLite 3.53, which writes up to 17.
    static func digits(ofReal value: String) -> String { "printf('%!.15g', \(value))" }

    private func source(_ value: String, _ column: ColumnDefinition) throws -> String {
        // The engine converts values written to a numeric or text column, but stores a text in a BLOB column unchanged.
        let converted =
            switch column.valueType {
            case "blob": "CASE typeof(\(value)) WHEN 'text' THEN CAST(\(value) AS BLOB) ELSE \(value) END"
            case "text": "CASE typeof(\(value)) WHEN 'real' THEN \(Self.digits(ofReal: value)) ELSE \(value) END"
            default: value
            }
        guard !column.isNullable, let insteadOfNull = try column.defaultValue?.get(), insteadOfNull != .null else {
            return converted
        }
        return "ifnull(\(converted), \(insteadOfNull.literal))"
    }

    /// Throws if values in the changed column still have another type.
    private func refuseMisfits(_ name: String, _ column: ColumnDefinition) throws {
        guard column.generated == nil, let type = column.valueType else { return }
        try refuseRows(
            where: "typeof(\(name)) NOT IN ('null', '\(type)')", column,
            "contains what does not fit \(column.storageClass.rawValue)")
    }

    private func refuseRows(where condition: String, _ column: ColumnDefinition, _ fault: String) throws {
        let sql = "SELECT count(*) FROM \(Identifier.quote(table.name)) WHERE \(condition)"
        guard case .integer(let count)? = try connection.ownValue(sql), count > 0 else { return }
        throw refusal(
            """
            In \(count.counting("row")) of table "\(table.name)", column "\(column.name)" \(fault); change that first.
            """)
    }

    private func refuseLoss(_ name: String, _ column: ColumnDefinition) throws {
        // The number of digits that a floating-point number preserves.
        let digits = "length(replace(replace(ltrim(\(name), '-0.'), '.', ''), '-', ''))"
        let loss: String
        switch column.valueType {
        case "integer":
            // The column may have a collation that treats other texts as equal.
            loss = "typeof(\(name)) = 'text' AND CAST(CAST(\(name) AS INTEGER) AS TEXT) <> \(name) COLLATE BINARY"
        case "real":
            // The largest integer becomes a floating-point number out of range, which the engine converts back to the
            // largest integer.
            loss = """
                typeof(\(name)) = 'integer' AND (CAST(CAST(\(name) AS REAL) AS INTEGER) <> \(name) OR \(name) = \
                \(Int64.max)) OR typeof(\(name)) = 'text' AND (\(digits) > 15 OR ltrim(\(name), '+-') GLOB '0[0-9]*' \
                OR \(name) <> trim(\(name), char(9, 10, 11, 12, 13, 32)) COLLATE BINARY OR abs(CAST(\(name) AS REAL)) \
                > 1.797e308 OR CAST(\(name) AS REAL) = 0 AND ltrim(\(name), '+-0.') GLOB '[1-9]*')
                """
        case "text": loss = "typeof(\(name)) = 'real' AND CAST(\(Self.digits(ofReal: name)) AS REAL) <> \(name)"
        default: return
        }
        try refuseRows(where: loss, column, "contains what would change as \(column.storageClass.rawValue)")
    }

    // MARK: Drop

    func drop(_ column: String) throws {
        let position = try position(of: column)
        let info = try self.info(of: column)
        guard text.items.filter({ CreateTableText.column($0) != nil }).count > 1 else {
            throw refusal("Column \"\(column)\" is the only one of table \"\(table.name)\"; drop the table.")
        }
        guard info?.keyPosition == nil else {
            throw isKey(column)
        }
        var users = users(of: column, except: position)
        users += try foreignKeyUsers(of: column)
        try refuseDrop(of: column, users)
        var changed = text
        changed.remove(at: position)
        let broken = try connection.brokenObjects { try replace(changed) }
        try refuseDrop(of: column, broken.map { "\($0.entry.title) (\($0.message))" })
    }

    private func refuseDrop(of column: String, _ users: [String]) throws {
        guard !users.isEmpty else { return }
        var seen: Set<String> = []
        let list = users.filter { seen.insert($0).inserted }.joined(separator: ", ")
        throw refusal(
            """
            Column "\(column)" of table "\(table.name)" is needed by \(list); drop or change these first.
            """)
    }

    private func foreignKeyUsers(of column: String) throws -> [String] {
        let references = try connection.declaredReferences().joined()
        return references.filter { Identifier.areSame($0.parent, table.name) }.flatMap { key in
            zip(key.columns, key.parentColumns).filter { own, other in
                // The column's own reference to itself is dropped with it.
                Identifier.areSame(other, column)
                    && !(Identifier.areSame(key.child, table.name) && Identifier.areSame(own, column))
            }
            .map { own, _ in "a foreign key of table \"\(key.child)\" (column \"\(own)\")" }
        }
    }

    // MARK: Both

    func position(of column: String) throws -> Int {
        guard let position = text.position(of: column) else {
            throw connection.failure(
                .sql, "no such column: \(column) in table \"\(table.name)\".")
        }
        return position
    }

    func info(of column: String) throws -> ColumnInfo? {
        try connection.columnInfos(of: table.name).first { Identifier.areSame($0.name, column) }
    }

    func rebuild(_ changed: CreateTableText, _ sources: [(column: String, sql: String)] = []) throws {
        guard let first = try connection.brokenObjects(by: { try replace(changed, sources) }).first else { return }
        throw refusal("The change of table \"\(table.name)\" would break \(first.entry.title) (\(first.message)).")
    }
}

extension ColumnDefinition {
    /// The column's `typeof`; nil if its values may have any type.
    fileprivate var valueType: String? {
        guard !holdsEveryValue else { return nil }
        return switch storageClass {
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .blob: "blob"
        case .null: nil
        }
    }
}
