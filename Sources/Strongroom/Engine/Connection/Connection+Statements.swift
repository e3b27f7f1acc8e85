import CSQLCipher

extension Connection {
    /// Runs the library's own SQL, without the restrictions on user SQL.
    func run(_ sql: String, _ values: SQLValue...) throws {
        try withOwnStatement(sql, values) { try $0.run() }
    }

    /// The first column of the first row of the library's own SQL, or nil if there is no row.
    func ownValue(_ sql: String, _ values: SQLValue...) throws -> SQLValue? {
        try withOwnStatement(sql, values) { statement in
            try statement.step() ? Row(statement).value(at: 0) : nil
        }
    }

    func ownRows(_ sql: String, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
        try withOwnStatement(sql, values) { statement in
            var rows: [[SQLValue]] = []
            while try statement.step() {
                let row = Row(statement)
                rows.append(try (0..<row.count).map { try row.value(at: $0) })
            }
            return rows
        }
    }

    func run(_ statement: TransactionStatement) throws {
        try withOwn(statement) { try $0.run() }
    }

    func withOwnStatement<T>(_ sql: String, _ values: [SQLValue] = [], _ body: (Statement) throws -> T) throws -> T {
        try withOwnStatement({ try ownStatements.statement(for: sql, prepare: prepare) }, values, body)
    }

    func withOwn<T>(_ statement: TransactionStatement, _ body: (Statement) throws -> T) throws -> T {
        try withOwnStatement({ try ownStatements.statement(statement, prepare: prepare) }, [], body)
    }

    @inline(__always)
    private func withOwnStatement<T>(
        _ find: () throws -> Statement, _ values: [SQLValue], _ body: (Statement) throws -> T
    ) throws -> T {
        // Also while it runs: the engine prepares a statement again after a change of the schema.
        try trusting {
            let statement = try find()
            defer { statement.finish() }
            if !observers.isEmpty { try observers.willRun(statement, isOwn: true) }
            if statement.keepsHistory { try recordAuthor() }
            if !statement.tables.writes.isEmpty {
                try copyOpenRows(beforeWritingTo: statement.tables.writes)
                transaction.tables.writes.formUnion(statement.tables.writes)
            }
            for (index, value) in values.enumerated() {
                try Bindings(statement).bind(value, at: index)
            }
            return try body(statement)
        }
    }

    /// Runs the library's own SQL without the restrictions on user SQL.
    func trusting<T>(_ body: () throws -> T) rethrows -> T {
        let wasTrusting = authorizer.isTrusting
        authorizer.isTrusting = true
        defer { authorizer.isTrusting = wasTrusting }
        return try body()
    }

    /// A statement for SQL that a user wrote, restricted by the authorizer.
    @usableFromInline
    func statement(_ sql: String) throws -> Statement {
        try checkTransaction()
        return try recordUse(of: statements.statement(for: sql, prepare: prepare))
    }

    /// A statement for a table's operation. Its text, and what an insert binds instead of NULL, are computed only when
    /// it is prepared.
    ///
    /// - Parameter key: The operation; nil for one that has no key and is cached by its text.
    @usableFromInline
    func statement(_ key: OperationKey?, make: () throws -> (sql: String, defaults: [SQLValue])) throws -> Statement {
        try checkTransaction()
        if let key {
            if let statement = statements.latest(for: key) { return try recordUse(of: statement) }
            if let statement = statements.free(for: key) { return try recordUse(of: statement) }
        }
        // The cache is not being changed meanwhile: a table may be created here, by statements of its own.
        let (sql, defaults) = try make()
        let statement = try key == nil ? statements.statement(for: sql, prepare: prepare) : prepare(sql)
        statement.parameters.pointee.defaults = defaults
        statement.isOperation = true
        if let key { statements.insert(statement, for: key) }
        return try recordUse(of: statement)
    }

    /// A statement for a table's query, found by the parts of its text that differ from those of the table's other
    /// queries.
    func statement(of key: OperationKey, condition: String, rest: String, make: () -> String) throws -> Statement {
        try checkTransaction()
        if let statement = statements.latest(for: key, condition, rest) { return try recordUse(of: statement) }
        let statement = try statements.statement(for: make(), prepare: prepare)
        statements.record(key, condition, rest, statement)
        return try recordUse(of: statement)
    }

    func text(_ key: OperationKey, make: () -> String) -> String {
        statements.text(for: key, make: make)
    }

    /// Without this check, a statement after a rollback by the engine would commit by itself.
    func checkTransaction() throws {
        try cancellation.check()
        if transaction.state == .rolledBack { throw transactionEnded }
    }

    var transactionEnded: StrongroomError {
        StrongroomError(
            .transactionEnded,
            "The engine has rolled the transaction back after an earlier error; all of it was undone. Run it again.",
            database: database
        )
    }

    /// Called after a failed statement: some failures make the engine roll back the transaction.
    func recordFailure() {
        if transaction.state == .open, !isInTransaction { transaction.state = .rolledBack }
    }

    func forgetUserStatements() { statements.removeAll() }

    func clearStatements() {
        ownStatements.removeAll()
        statements.removeAll()
    }

    func prepare(_ sql: String) throws -> Statement {
        var prepared: OpaquePointer?
        authorizer.hasRefused = false
        let (result, rest) = sql.utf8CString.withUnsafeBufferPointer { text -> (Int32, Int) in
            var tail: UnsafePointer<CChar>?
            let result = sqlite3_prepare_v2(pointer, text.baseAddress, Int32(clamping: text.count), &prepared, &tail)
            guard let tail, let start = text.baseAddress else { return (result, 0) }
            return (result, tail - start)
        }
        let tables = authorizer.removeTables()
        // The engine may compute a function of constants now, and does not report its failure.
        _ = functions.removeFailure()
        guard result == SQLITE_OK else {
            guard authorizer.hasRefused else {
                throw functionError(sql: sql) ?? failure("The statement was not accepted", sql: sql)
            }
            // The rest may contain a key.
            let beginning = String(sql.unicodeScalars.prefix { !"=('\"".unicodeScalars.contains($0) })
            throw failure("The statement was not accepted", .notAuthorized, sql: "\(beginning)…")
        }
        guard let prepared else {
            throw StrongroomError(.sql, "The SQL is empty; write a statement.", database: database, sql: sql)
        }
        let statement = Statement(prepared, owner: self)
        statement.tables = tables
        statement.updateKeepsHistory()
        if statement.keepsHistory, !file.hasHistory {
            // It may replace rows, and has been prepared without the delete triggers for those.
            try allowHistoryOfReplacedRows()
            return try prepare(sql)
        }
        if !authorizer.isTrusting {
            try refuseChecks(in: sql)
            use.statementsPrepared += 1
        }
        guard !Self.hasContent(sql.utf8.dropFirst(rest)) else {
            throw StrongroomError(
                .sql,
                "The SQL has more than one statement; run one at a time.",
                database: database,
                sql: sql
            )
        }
        return statement
    }

    /// Whether anything but white space and semicolons follows the first statement.
    private static func hasContent(_ rest: Substring.UTF8View) -> Bool {
        rest.contains { byte in
            byte != UInt8(ascii: " ") && byte != UInt8(ascii: ";") && !(0x09...0x0D).contains(byte)
        }
    }
}

extension Connection {
    /// The integer result of the library's own SQL, which version 4 returns as text for some settings of an encrypted
    /// database; nil for another result.
    func numberIfReported(_ sql: String) throws -> Int64? {
        let value = try ownValue(sql)
        return value?.asInteger ?? value?.asText.flatMap { Int64($0) }
    }

    /// The integer result, or 0 for another one.
    func ownNumber(_ sql: String) throws -> Int64 { try numberIfReported(sql) ?? 0 }
}
