extension ColumnChange {
    /// The SQL that converts a column's numbers to scaled integers.
    ///
    /// - Parameter value: The SQL for the current value: a number or its digits.
    func scaledSource(_ value: String, _ column: String, _ scale: DecimalScale) throws -> String {
        // A floating-point number is converted by its decimal representation, if that is the same number.
        let digits = "(CASE typeof(\(value)) WHEN 'real' THEN \(Self.digits(ofReal: value)) ELSE \(value) END)"
        let isRounded = "typeof(\(value)) = 'real' AND CAST(\(Self.digits(ofReal: value)) AS REAL) <> \(value)"
        let rowID = try connection.rowIDName(of: table.name)
        let rows = "FROM \(Identifier.quote(table.name)) WHERE \(Identifier.quote(column)) IS NOT NULL"
        let order = rowID.map { " ORDER BY \($0)" } ?? ""
        let sql = "SELECT \(digits), \(isRounded), \(rowID ?? "NULL") \(rows)\(order)"
        try connection.withOwnStatement(sql) { statement in
            let row = Row(statement)
            while try statement.step() {
                guard let fault = try Self.misfit(row, scale) else { continue }
                let rowName = try row.value(at: 2).asInteger.map { "Row \($0)" } ?? "A row"
                throw refusal(
                    """
                    \(rowName) contains \(fault) in column "\(column)" of table "\(table.name)"; correct it first, or \
                    use another scale.
                    """)
            }
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

extension Connection {
    /// Disables the CHECK constraints while the rows of tables are converted, and verifies them afterwards.
    ///
    /// In nested calls, the outermost one verifies.
    func withoutChecks(of tables: [String], _ body: () throws -> Void) throws {
        guard try ownValue("PRAGMA ignore_check_constraints") == .integer(0) else { return try body() }
        try run("PRAGMA ignore_check_constraints = ON")
        let result = Result { try body() }
        do {
            try run("PRAGMA ignore_check_constraints = OFF")
        } catch {
            // Without the checks, nothing more may be written.
            transaction.state = .rolledBack
            throw error
        }
        try result.get()
        for table in tables { try requireChecks(of: table) }
    }

    /// The first ten row ids of a query and the number of the others, or the number of its rows; nil if it has none.
    ///
    /// - Parameters:
    ///   - id: The name of the row id, if the table has one.
    ///   - rest: The query without its columns.
    func rowNumbers(_ id: String?, _ rest: String) throws -> String? {
        guard case .integer(let count)? = try ownValue("SELECT count(*) \(rest)"), count > 0 else { return nil }
        guard let id else { return "\(count)" }
        let rows = try ownRows("SELECT \(id) \(rest) ORDER BY \(id) LIMIT 10").compactMap { $0[0].asInteger }
        let more = Int(count) - rows.count
        return rows.map { "\($0)" }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    private func requireChecks(of table: String) throws {
        guard let text = CreateTableText(try tableEntry(table, in: try schemaEntries()).sql) else { return }
        let id = try rowIDName(of: table)
        for check in text.checks {
            guard let found = try rowNumbers(id, "FROM \(Identifier.quote(table)) WHERE NOT \(check)") else { continue }
            var failure = self.failure(
                .constraint,
                """
                CHECK constraint failed: \(check). It applies to the stored form of decimals; declare another one with \
                `db.changeColumn(_:in:)`, or correct the rows. Rows that violate it in table "\(table)": \(found).
                """)
            failure.constraint = ConstraintFailure(kind: .check, table: table)
            throw failure
        }
    }
}

extension SortedDecimal {
    /// The SQL for the digits of a column's values.
    package static func digits(of column: String) -> SQL {
        """
        CASE WHEN substr(\(name: column), 1, 1) = 'p' THEN substr(\(name: column), 6) WHEN substr(\(name: column), 1, \
        2) = '-n' THEN substr(\(name: column), instr(\(name: column), '~') + 1) ELSE \(name: column) END
        """
    }
}

extension DecimalScale {
    /// The SQL for the digits of an expression that is an integer with the scale, without trailing zeros.
    func digits(of value: String) -> String {
        guard digits > 0 else { return "CAST(\(value) AS TEXT)" }
        let sign = "CASE WHEN \(value) < 0 THEN '-' ELSE '' END"
        let fraction = "substr('\(zeros)' || abs(\(value) % \(factor)), -\(digits))"
        let text = "\(sign) || abs(\(value) / \(factor)) || '.' || \(fraction)"
        return "CASE typeof(\(value)) WHEN 'integer' THEN rtrim(rtrim(\(text), '0'), '.') ELSE \(value) END"
    }

    /// The SQL for the scaled integer of an expression that is a number or its digits, which must fit.
    func scaled(_ value: String) -> String {
        let point = "instr(\(value), '.')"
        let fraction = "substr(substr(\(value), \(point) + 1) || '\(zeros)', 1, \(digits))"
        return """
            CASE \(point) WHEN 0 THEN CAST(\(value) || '\(zeros)' AS INTEGER) ELSE CAST(substr(\(value), 1, \(point) - \
            1) || \(fraction) AS INTEGER) END
            """
    }

    private var zeros: String { String(repeating: "0", count: digits) }
}

extension ColumnInfo {
    /// The SQL for the digits of the column's decimals; nil for a column without decimals.
    var decimalDigits: String? {
        if Identifier.areSame(declaredType, SortedDecimal.declaredType) { return SortedDecimal.digits(of: name).text }
        return DecimalScale(declaredType: declaredType)?.digits(of: Identifier.quote(name))
    }
}
