import CSQLCipher

extension Connection {
    /// Registers what every connection has: the regular expression, and the collations of locales on their first use.
    func installStandardFunctions() throws {
        guard RegularExpression.install(functions, on: pointer) == SQLITE_OK,
            WordsFunction.install(functions, on: pointer) == SQLITE_OK,
            FitFunction.install(functions, on: pointer) == SQLITE_OK,
            ScoreFunction.install(functions, on: pointer) == SQLITE_OK,
            RegisteredCollation.installLocales(on: pointer) == SQLITE_OK
        else { throw failure("The connection could not be set up") }
    }

    /// Registers functions and collations in Swift.
    func install(_ declared: ConnectionFunctions) throws {
        functions.declared = declared
        for function in declared.functions {
            guard RegisteredFunction.install(function, functions, on: pointer) == SQLITE_OK else {
                throw failure("The function \"\(function.name)\" could not be registered")
            }
        }
        for collation in declared.collations {
            guard let order = collation.order else { continue }
            guard RegisteredCollation.install(collation.name, on: pointer, order) == SQLITE_OK else {
                throw failure("The collation \"\(collation.name)\" could not be registered")
            }
        }
    }

    /// The error of a statement that the engine has not accepted, if it is about a function, a collation or a module of
    /// virtual tables.
    ///
    /// - Parameter sql: The statement.
    func functionError(sql: String) -> StrongroomError? {
        guard let message = sqlite3_errmsg(pointer).map({ String(cString: $0) }) else { return nil }
        if let missing = MissingName(message) { return missing.error(sql: sql, database: database) }
        if let error = virtualTableError(message, sql: sql) { return error }
        guard message.contains("non-deterministic functions prohibited in ") else { return nil }
        let called = functions.declared.nondeterministic.first { [SQLToken](sql: sql).calls($0.name) }
        return notDeterministic(called?.name, sql: sql)
    }

    /// The error of a statement, if the engine cannot use one of the file's virtual tables.
    func virtualTableError(_ message: String, sql: String) -> StrongroomError? {
        let missing = "no such module: "
        if message.hasPrefix(missing) {
            return StrongroomError(
                .notSupported,
                """
                The linked engine does not have the module "\(message.dropFirst(missing.count))" for virtual tables. \
                Link an engine that has it; or, if the file has a virtual table of it, drop that with such an engine, \
                a full-text index by `stopFullText(of:)`.
                """,
                database: database, sql: sql)
        }
        guard message.contains("invalid fts5 file format") else { return nil }
        return StrongroomError(
            .newerSchema,
            """
            The file has a full-text index of a newer form of FTS5 than the linked engine knows. Link SQLCipher 4.6 or \
            later (SQLite 3.42), or drop the index with it, by `stopFullText(of:)`.
            """,
            database: database, sql: sql)
    }

    /// Refuses a CHECK constraint that calls a function which is not declared deterministic: the engine refuses that in
    /// indexes only.
    func refuseChecks(in sql: String) throws {
        let candidates = functions.declared.nondeterministic
        guard !candidates.isEmpty else { return }
        let checks = [SQLToken](sql: sql).expressions(after: "CHECK")
        guard let called = candidates.first(where: { checks.calls($0.name) }) else { return }
        throw notDeterministic(called.name, sql: sql)
    }

    private func notDeterministic(_ name: String?, sql: String) -> StrongroomError {
        let what = name.map { "the function \"\($0)\", which is" } ?? "a function that is"
        return StrongroomError(
            .notDeterministic,
            """
            An index, a check or a generated column calls \(what) not deterministic. If its result depends on its \
            arguments alone, declare it with `deterministic: true`; if not, store its result in a column.
            """,
            database: database, sql: sql)
    }
}

extension [SQLToken] {
    /// Whether a function is called in the SQL.
    func calls(_ name: String) -> Bool {
        indices.contains { self[$0].isNamed(name) && significant(after: $0)?.isSign("(") ?? false }
    }

    /// The expressions in parentheses after a keyword: after CHECK those of the constraints of a table, after AS those
    /// of its generated columns.
    func expressions(after keyword: String) -> [SQLToken] {
        var found: [SQLToken] = []
        var depth = 0
        var isInside = false
        for (index, token) in enumerated() {
            if !isInside {
                isInside = token.isWord(keyword) && significant(after: index)?.isSign("(") ?? false
                continue
            }
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            found.append(token)
            if depth == 0, token.isSign(")") { isInside = false }
        }
        return found
    }
}
