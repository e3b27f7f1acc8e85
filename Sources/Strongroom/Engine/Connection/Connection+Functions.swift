import CSQLCipher
import Foundation

extension Connection {
    /// Registers what every connection has: the regular expression, and the collations of locales on their first use.
    func installStandardFunctions() throws {
        let standard: [(name: String, count: Int, call: RegisteredFunction.Body)] = [
            (RegularExpression.name, 2, RegularExpression.call), (WordsFunction.name, 2, WordsFunction.call),
            (FitFunction.name, 2, FitFunction.call), (ScoreFunction.name, 3, ScoreFunction.call),
        ]
        let areInstalled = standard.allSatisfy {
            RegisteredFunction.install($0.name, count: $0.count, functions, on: pointer, $0.call) == SQLITE_OK
        }
        guard areInstalled, RegisteredCollation.installLocales(on: pointer) == SQLITE_OK else {
            throw failure("The connection could not be set up")
        }
    }

    func install(_ declared: ConnectionFunctions) throws {
        self.declared = declared
        functions.tokenizers = declared.tokenizers
        for function in declared.functions {
            let body = function.body
            let result = RegisteredFunction.install(
                function.name, count: function.argumentCount, isDeterministic: function.isDeterministic, functions,
                on: pointer
            ) { arguments, _ in try body(arguments) }
            guard result == SQLITE_OK else {
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
    func functionError(sql: String) -> StrongroomError? {
        guard let message = sqlite3_errmsg(pointer).map({ String(cString: $0) }) else { return nil }
        if let missing = MissingName(message) { return missing.error(sql: sql, database: database) }
        if let error = virtualTableError(message, sql: sql) { return error }
        guard message.contains("non-deterministic functions prohibited in ") else { return nil }
        return notDeterministic(declared.nondeterministic.first(where: [SQLToken](sql: sql).calls), sql: sql)
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
        let candidates = declared.nondeterministic
        guard !candidates.isEmpty else { return }
        let checks = [SQLToken](sql: sql).expressions(after: "CHECK")
        guard let called = candidates.first(where: checks.calls) else { return }
        throw notDeterministic(called, sql: sql)
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

/// The functions and collations in Swift that connections of a database have.
struct ConnectionFunctions: Sendable {
    private(set) var functions: [_FunctionDefinition] = []
    private(set) var collations: [Collation] = []
    private(set) var tokenizers: [TextTokenizer] = []

    init() {}

    init(_ functions: [any DatabaseFunction], _ collations: [Collation], _ tokenizers: [TextTokenizer] = []) throws {
        for tokenizer in tokenizers where !tokenizer.isBuiltIn {
            try tokenizer.checkName()
            let isTwice = self.tokenizers.contains { $0.name == tokenizer.name }
            try Self.refuse(tokenizer.name, "tokenizer", isTwice: isTwice)
            self.tokenizers.append(tokenizer)
        }
        for definition in functions.map(\._definition) {
            try Self.check(definition.name, "function")
            guard definition.argumentCount <= Self.maxArguments else {
                throw StrongroomError(
                    .limit,
                    """
                    The function "\(definition.name)" has \(definition.argumentCount) arguments; the engine calls \
                    functions with at most \(Self.maxArguments).
                    """)
            }
            let isTwice = self.functions.contains {
                $0.argumentCount == definition.argumentCount && Identifier.areSame($0.name, definition.name)
            }
            try Self.refuse(definition.name, "function", isTwice: isTwice)
            guard try !EngineNames.hasFunction(definition.name) else {
                throw StrongroomError(
                    .invalidName,
                    "The engine has a function \"\(definition.name)\" itself; give yours another name.")
            }
            self.functions.append(definition)
        }
        for collation in collations {
            // One of the engine's, or of a locale.
            guard collation.order != nil else { continue }
            try Self.check(collation.name, "collation")
            let isTwice = self.collations.contains { Identifier.areSame($0.name, collation.name) }
            try Self.refuse(collation.name, "collation", isTwice: isTwice)
            guard !EngineNames.hasCollation(collation.name) else {
                throw StrongroomError(
                    .invalidName,
                    """
                    The collation "\(collation.name)" has the name of one of the engine, or of a locale's; give yours \
                    another name.
                    """)
            }
            self.collations.append(collation)
        }
    }

    /// The names of the functions that neither indexes nor checks may call.
    var nondeterministic: [String] { functions.filter { !$0.isDeterministic }.map(\.name) }

    /// The most that every supported engine accepts.
    private static let maxArguments = 100
    private static let longestName = 255

    private static func check(_ name: String, _ what: String) throws {
        let isNumber = name.utf8.first.map { (0x30...0x39).contains($0) } ?? true
        guard name.utf8.allSatisfy(\.isOfPlainName), !isNumber, name.utf8.count <= longestName else {
            throw StrongroomError(
                .invalidName,
                """
                The name of a \(what) consists of letters A to Z, digits and "_", does not begin with a digit, and has \
                1 to \(longestName) bytes; give it another name.
                """)
        }
        guard !name.asciiFolded.hasPrefix("strongroom_"), !name.asciiFolded.hasPrefix("sqlite_") else {
            throw StrongroomError(
                .invalidName, "The name of the \(what) \"\(name)\" is reserved; give it another name.")
        }
    }

    private static func refuse(_ name: String, _ what: String, isTwice: Bool) throws {
        guard isTwice else { return }
        throw StrongroomError(
            .invalidName, "The configuration has the \(what) \"\(name)\" twice; give one another name.")
    }
}

/// The names of functions and collations that the engine has itself.
enum EngineNames {
    private static let known = Locked<[String: Bool]>([:])

    /// Determined once for each name.
    static func hasFunction(_ name: String) throws -> Bool {
        let folded = name.asciiFolded
        // The library provides it, and a program may replace it.
        if folded == RegularExpression.name { return false }
        if let known = known.withLock({ $0[folded] }) { return known }
        let probe = try Connection(path: ":memory:", mode: .create, database: ":memory:")
        defer { probe.close() }
        // With a wrong number of arguments the engine reports another error.
        let objection = probe.objection(to: "SELECT \(Identifier.quote(name))(NULL)")
        let isKnown = objection.flatMap({ MissingName($0) }) == nil
        known.withLock { $0[folded] = isKnown }
        return isKnown
    }

    static func hasCollation(_ name: String) -> Bool {
        ["BINARY", "NOCASE", "RTRIM"].contains { $0.isSameName(as: name) }
            || name.asciiFolded.hasPrefix(LocaleCollation.prefix)
    }
}

extension Connection {
    /// Runs work that reads a file's structure although functions or collations that its schema needs are missing: they
    /// are replaced until the work is done, functions by one whose result is NULL, collations by the order of bytes.
    ///
    /// What depends on their results is wrong in the work. Nothing may be written.
    ///
    /// - Parameter work: Called again, with the missing names, each time it fails because another one is missing.
    func withStandIns<T>(_ work: (_ missing: [MissingName]) throws -> T) throws -> T {
        var missing: [MissingName] = []
        defer { for name in missing { setStandIn(for: name, isInstalled: false) } }
        while true {
            do {
                return try work(missing)
            } catch let error as StrongroomError {
                guard let name = error.missing, !missing.contains(name), setStandIn(for: name, isInstalled: true)
                else { throw error }
                missing.append(name)
            }
        }
    }

    /// Installs or removes a stand-in. Statements that were prepared with it are prepared again.
    @discardableResult
    func setStandIn(for missing: MissingName, isInstalled: Bool) -> Bool {
        let result =
            switch missing.kind {
            case .function where isInstalled:
                sqlite3_create_function_v2(
                    pointer, missing.name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | RegisteredFunction.trusted, nil,
                    { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
            case .function:
                sqlite3_create_function_v2(pointer, missing.name, -1, SQLITE_UTF8, nil, nil, nil, nil, nil)
            case .collation where isInstalled:
                // Texts that differ are compared by their bytes.
                RegisteredCollation.install(missing.name, isTotal: true, on: pointer) { _, _ in .orderedSame }
            case .collation:
                sqlite3_create_collation_v2(pointer, missing.name, SQLITE_UTF8, nil, nil, nil)
            }
        return result == SQLITE_OK
    }
}
