import CSQLCipher
import Foundation

/// The function `strongroom_words(tokenizer, text)`, which the triggers of full-text indexes call: the words of a text
/// as the engine indexes them.
///
/// A program without it, such as another SQLCipher client, cannot change the indexed rows: its statements fail, and the
/// index stays correct.
enum WordsFunction {
    static let name = "strongroom_words"

    /// Registers the function.
    static func install(_ calls: FunctionCalls, on connection: OpaquePointer) -> Int32 {
        StandardFunction.install(name, calls, on: connection) { context, count, values in
            StandardFunction.run(context, count, values) { context, values, arguments, calls in
                let tokenizer = try calls.declared.tokenizer(of: arguments, values)
                if !WordsFunction.setASCIITerms(context, values[1], tokenizer) {
                    try arguments.setResult(WordsFunction.words(of: arguments, tokenizer))
                }
            }
        }
    }

    /// Writes the terms of an ASCII text into memory that the engine takes over, without a copy.
    ///
    /// - Returns: Whether there was a result: false for other texts and values.
    private static func setASCIITerms(
        _ context: OpaquePointer, _ value: OpaquePointer?, _ tokenizer: TextTokenizer
    ) -> Bool {
        guard tokenizer.hasPlainASCIITerms, sqlite3_value_type(value) == SQLITE_TEXT,
            let text = sqlite3_value_text(value)
        else { return false }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
        guard let memory = malloc(bytes.count + 1) else { return false }
        let terms = memory.assumingMemoryBound(to: UInt8.self)
        guard let count = ASCIITerms.write(bytes, into: terms) else {
            free(memory)
            return false
        }
        terms[count] = 0
        let start = UnsafeRawPointer(terms).assumingMemoryBound(to: CChar.self)
        sqlite3_result_text64(context, start, UInt64(count), { free($0) }, UInt8(SQLITE_UTF8))
        return true
    }

    private static func words(of arguments: FunctionArguments, _ tokenizer: TextTokenizer) throws -> Value {
        let text: String
        switch try Row(arguments).value(at: 1) {
        case .text(let value): text = value
        case .integer(let number): text = String(number)
        case .real(let number): text = String(number)
        case .null, .blob: return .text("")
        }
        return .text(tokenizer.terms(of: text))
    }
}

extension ConnectionFunctions {
    /// The tokenizer that an index names, the first argument.
    ///
    /// - Throws: ``StrongroomError`` with `missingFunction`.
    fileprivate func tokenizer(
        of arguments: FunctionArguments, _ values: FunctionArguments.Values
    ) throws -> TextTokenizer {
        if sqlite3_value_type(values[0]) == SQLITE_TEXT, let rule = sqlite3_value_text(values[0]) {
            let bytes = UnsafeRawBufferPointer(start: rule, count: Int(sqlite3_value_bytes(values[0])))
            // A few bytes compared are faster than a string made for each row.
            for builtIn in TextTokenizer.builtInRules where builtIn.rule.elementsEqual(bytes) {
                return builtIn.tokenizer
            }
        }
        return try tokenizer(Row(arguments).text(at: 0))
    }

    /// A tokenizer of the program's own.
    ///
    /// - Throws: ``StrongroomError`` with `missingFunction`.
    private func tokenizer(_ rule: String) throws -> TextTokenizer {
        if let found = tokenizers.first(where: { $0.rule == rule }) { return found }
        throw StrongroomError(
            .missingFunction,
            """
            A full-text index needs the tokenizer "\(rule)", which this program does not have. Declare it in \
            `tokenizers(for:)` of the configuration; if it is one of a newer release of Strongroom, use that release.
            """)
    }
}
