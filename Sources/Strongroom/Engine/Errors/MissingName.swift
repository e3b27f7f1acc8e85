/// A function or collation that a statement needs and the connection does not have.
struct MissingName: Sendable, Hashable {
    enum Kind: Sendable {
        case function, collation
    }

    let kind: Kind
    let name: String

    /// The engine's messages, up to the name.
    private static let messages: [(beginning: String, kind: Kind)] = [
        ("no such function: ", .function), ("unknown function: ", .function),
        ("no such collation sequence: ", .collation),
    ]

    /// - Parameters:
    ///   - message: The engine's error message; nil results for another error.
    ///   - isWhole: Whether the message has nothing before these words, as at run time, where it may quote a value.
    ///     When a statement is prepared, the name of a damaged schema's object may precede them.
    init?(_ message: String, isWhole: Bool = false) {
        for (beginning, kind) in Self.messages {
            guard let range = message.firstRange(of: beginning), !isWhole || range.lowerBound == message.startIndex
            else { continue }
            var name = message[range.upperBound...]
            if name.hasSuffix("()") { name.removeLast(2) }
            self.init(kind: kind, name: String(name))
            return
        }
        return nil
    }

    private init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }

    /// The error of a statement.
    func error(sql: String?, database: String) -> StrongroomError {
        let (what, property): (String, String) =
            switch kind {
            case .function: ("function", "functions(for:)")
            case .collation: ("collation", "collations(for:)")
            }
        var error = StrongroomError(
            kind == .function ? .missingFunction : .missingCollation,
            """
            The statement, or an index, check, trigger or view that it uses, needs the \(what) "\(name)", which \
            neither the engine nor the configuration has. Declare it in `\(property)` of the configuration, or \
            correct its name.
            """,
            database: database, sql: sql, resultCode: ResultCode(extended: 1))
        error.missing = self
        return error
    }
}
