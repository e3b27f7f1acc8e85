extension ColumnChange {
    /// Converts the numbers in a column to scaled integers; the column's constraints are kept.
    ///
    /// - Parameter report: Called with the number of processed rows and the total.
    func scale(_ column: String, to scale: DecimalScale, _ report: (Int, Int) throws -> Void) throws {
        let position = try position(of: column)
        guard let info = try info(of: column), info.keyPlace == nil, info.generated == nil else {
            throw refusal(
                """
                Column "\(column)" of table "\(table.name)" is generated or belongs to the primary key; create a new \
                table and move the rows.
                """)
        }
        guard !Identifier.areSame(info.declaredType, scale.declaredType) else { return }
        guard let item = CreateTableText.withScaledDecimals(text.items[position], scale, info.declaredType) else {
            throw refusal(
                """
                The default of column "\(column)" of table "\(table.name)" is not a decimal number that fits the scale \
                \(scale.digits) (\(info.defaultSQL ?? "")); change it with `db.changeColumn(_:in:)`, which \
                converts the values.
                """)
        }
        var changed = text
        changed.replace(at: position, with: item.sql)
        let value = info.decimalDigits.map { "(\($0))" } ?? Identifier.quote(column)
        try rebuild(changed, [(column: column, sql: try scaledSource(value, column, scale, report))])
    }

    /// The SQL that converts a column's numbers to scaled integers.
    ///
    /// - Parameter value: The SQL for the current value: a number or its digits.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a value that is not a number or does not fit; the message
    ///   names the row.
    func scaledSource(
        _ value: String, _ column: String, _ scale: DecimalScale, _ report: (Int, Int) throws -> Void
    ) throws -> String {
        // A floating-point number is converted by its decimal representation, if that is the same number.
        let digits = "(CASE typeof(\(value)) WHEN 'real' THEN \(Self.digits(ofReal: value)) ELSE \(value) END)"
        let isRounded = "typeof(\(value)) = 'real' AND CAST(\(Self.digits(ofReal: value)) AS REAL) <> \(value)"
        let rowID = text.isWithoutRowID ? nil : try connection.columnInfos(of: table.name).freeRowIDName
        let rows = "FROM \(Identifier.quote(table.name)) WHERE \(Identifier.quote(column)) IS NOT NULL"
        let total = try connection.ownValue("SELECT count(*) \(rows)")?.asInteger ?? 0
        let order = rowID.map { " ORDER BY \($0)" } ?? ""
        let sql = "SELECT \(digits), \(isRounded), \(rowID ?? "NULL") \(rows)\(order)"
        try connection.withOwnStatement(sql) { statement in
            let row = Row(statement)
            var done = 0
            while try statement.step() {
                if let fault = try Self.misfit(row, scale) {
                    let rowName = try row.value(at: 2).asInteger.map { "Row \($0)" } ?? "A row"
                    throw refusal(
                        """
                        \(rowName) contains \(fault) in column "\(column)" of table "\(table.name)"; correct it \
                        first, or use another scale.
                        """)
                }
                done += 1
                if done.isMultiple(of: 1000) { try report(done, Int(total)) }
            }
            try report(done, Int(total))
        }
        return scale.scaled(digits)
    }

    /// Why the value of a row cannot be converted to an integer with a scale; nil if it can.
    private static func misfit(_ row: borrowing Row, _ scale: DecimalScale) throws -> String? {
        guard try row.integer(at: 1) == 0 else {
            return "a floating-point number with more than 15 digits"
        }
        return switch try row.value(at: 0) {
        case .integer(let number): scale.misfit(String(number))
        case .text(let text): scale.misfit(text)
        case .blob: "bytes"
        case .real, .null: "no decimal number"
        }
    }
}
