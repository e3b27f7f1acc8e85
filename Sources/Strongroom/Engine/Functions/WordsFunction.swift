import CSQLCipher

/// The function `strongroom_words(tokenizer, text)`, which the triggers of full-text indexes call: the words of a text
/// as the engine indexes them.
///
/// A program without it, such as another SQLCipher client, cannot change the indexed rows: its statements fail, and the
/// index stays correct.
enum WordsFunction {
    static let name = "strongroom_words"

    /// Registers the function.
    static func install(_ calls: FunctionCalls, on connection: OpaquePointer) -> Int32 {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | RegisteredFunction.trusted
        return sqlite3_create_function_v2(
            connection, name, 2, flags, Unmanaged.passRetained(calls).toOpaque(),
            { context, count, values in
                guard let context, let values, let calls = sqlite3_user_data(context) else { return }
                Unmanaged<FunctionCalls>.fromOpaque(calls)._withUnsafeGuaranteedRef { calls in
                    calls.run(context) {
                        let arguments = FunctionArguments(context, values, count)
                        try arguments.setResult(WordsFunction.words(of: arguments, calls.declared))
                    }
                }
            }, nil, nil,
            { calls in
                if let calls { Unmanaged<FunctionCalls>.fromOpaque(calls).release() }
            })
    }

    private static func words(of arguments: FunctionArguments, _ declared: ConnectionFunctions) throws -> Value {
        let row = Row(arguments)
        let text: String
        switch try row.value(at: 1) {
        case .text(let value): text = value
        case .integer(let number): text = String(number)
        case .real(let number): text = String(number)
        case .null, .blob: return .text("")
        }
        return .text(try declared.tokenizer(row.text(at: 0)).terms(of: text))
    }
}

extension ConnectionFunctions {
    /// The tokenizer that an index names.
    ///
    /// - Throws: ``StrongroomError`` with `missingFunction`.
    func tokenizer(_ rule: String) throws -> TextTokenizer {
        if let found = TextTokenizer.builtInByRule[rule] { return found }
        if let found = tokenizers.first(where: { $0.rule == rule }) { return found }
        throw StrongroomError(
            .missingFunction,
            """
            A full-text index needs the tokenizer "\(rule)", which this program does not have. Declare it in \
            `tokenizers(for:)` of the configuration; if it is one of a newer release of Strongroom, use that release.
            """)
    }
}
