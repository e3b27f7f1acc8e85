extension Connection {
    /// Disables the CHECK constraints while the rows of tables are converted, and verifies them afterwards.
    ///
    /// In nested calls, the outermost one verifies.
    ///
    /// - Throws: ``StrongroomError`` with `constraint`; the message names rows that violate a check.
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

    private func requireChecks(of table: String) throws {
        guard let text = CreateTableText(try tableEntry(table, in: try schemaEntries()).sql) else { return }
        let id = text.isWithoutRowID ? nil : try columnInfos(of: table).freeRowIDName
        for check in text.checks {
            let rest = "FROM \(Identifier.quote(table)) WHERE NOT \(check)"
            guard case .integer(let count)? = try ownValue("SELECT count(*) \(rest)"), count > 0 else { continue }
            let rows = try id.map { try ownRows("SELECT \($0) \(rest) ORDER BY \($0) LIMIT 10") } ?? []
            let list = rows.compactMap { $0[0].asInteger }.map { "\($0)" }.joined(separator: ", ")
            let more = Int(count) - rows.count
            let found = rows.isEmpty ? "\(count)" : "\(list)\(more > 0 ? " and \(more) more" : "")"
            var failure = StrongroomError(
                .constraint,
                """
                CHECK constraint failed: \(check). It applies to the stored form of decimals; declare another one with \
                `db.changeColumn(_:in:)`, or correct the rows. Rows that violate it in table "\(table)": \(found).
                """,
                database: database)
            failure.constraint = ConstraintFailure(
                kind: .check, table: table, columns: [], parentTable: nil, name: nil)
            throw failure
        }
    }
}
