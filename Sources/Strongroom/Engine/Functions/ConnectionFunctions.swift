import CSQLCipher

/// The functions and collations in Swift that connections of a database have.
struct ConnectionFunctions: Sendable {
    private(set) var functions: [_FunctionDefinition] = []
    private(set) var collations: [Collation] = []
    private(set) var tokenizers: [TextTokenizer] = []

    /// No functions.
    init() {}

    /// Functions and collations of a configuration.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` for a name that cannot be used or is used twice.
    init(_ functions: [any DatabaseFunction], _ collations: [Collation], _ tokenizers: [TextTokenizer] = []) throws {
        for tokenizer in tokenizers where !tokenizer.isBuiltIn {
            try tokenizer.checkName()
            guard !self.tokenizers.contains(where: { $0.name == tokenizer.name }) else {
                throw Self.declaredTwice(tokenizer.name, "tokenizer")
            }
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
            guard !isTwice else { throw Self.declaredTwice(definition.name, "function") }
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
            guard !self.collations.contains(where: { Identifier.areSame($0.name, collation.name) }) else {
                throw Self.declaredTwice(collation.name, "collation")
            }
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

    /// The functions that neither indexes nor checks may call.
    var nondeterministic: [_FunctionDefinition] { functions.filter { !$0.isDeterministic } }

    /// The most that every supported engine accepts.
    private static let maxArguments = 100
    /// The longest name of a function, in bytes.
    private static let longestName = 255

    private static func check(_ name: String, _ what: String) throws {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
            default: false
            }
        }
        let isNumber = name.utf8.first.map { (0x30...0x39).contains($0) } ?? true
        guard isPlain, !isNumber, name.utf8.count <= longestName else {
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

    private static func declaredTwice(_ name: String, _ what: String) -> StrongroomError {
        StrongroomError(.invalidName, "The configuration has the \(what) \"\(name)\" twice; give one another name.")
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
