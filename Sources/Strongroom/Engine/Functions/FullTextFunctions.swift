import CSQLCipher
import Foundation

/// The function `strongroom_score(matchinfo, parameters, sizes)`, which ranks the rows of an FTS4 index as FTS5's
/// `bm25` ranks those of an FTS5 index.
///
/// The first argument is the result of `matchinfo(…, 'pcy')`; see "FTS3 and FTS4 Extensions", section 4.3
/// (sqlite.org/fts3.html). The second one comes from ``parameters(averageLength:weights:importances:)``. The third one
/// is the row's value in `…_docsize`: `matchinfo(…, 'l')` would read it without a check. The formula is
/// that of "FTS5 Extension", section 5.1.1 (sqlite.org/fts5.html), with a positive result.
enum ScoreFunction {
    static let name = "strongroom_score"

    /// What does not depend on the row.
    static func parameters(averageLength: Double, weights: [Double], importances: [Double]) -> SQLValue {
        let numbers = [averageLength] + weights + importances
        return .blob(numbers.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { [UInt8]($0) } })
    }

    /// The importance of a phrase, as FTS5 computes it.
    static func importance(of rows: Int, among all: Int) -> Double {
        let importance = log((Double(all - rows) + 0.5) / (Double(rows) + 0.5))
        return importance > 0 ? importance : 1e-6
    }

    static func call(_ arguments: FunctionArguments, _ calls: FunctionCalls) throws {
        guard let info = bytes(arguments.values?[0]), let parameters = bytes(arguments.values?[1]) else {
            return arguments.setNull()
        }
        let sizes = bytes(arguments.values?[2])
        guard let score = score(Info(bytes: info), Parameters(bytes: parameters), sizes) else {
            throw FullTextNumbers.damage
        }
        sqlite3_result_double(arguments.context, score)
    }

    /// The numbers of `matchinfo`, which are read where the engine has them: a search calls the function for each row.
    private struct Info {
        let bytes: UnsafeRawBufferPointer

        var count: Int { bytes.count / 4 }

        subscript(index: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)) }
    }

    private struct Parameters {
        let bytes: UnsafeRawBufferPointer

        var count: Int { bytes.count / 8 }

        subscript(index: Int) -> Double {
            let pattern = bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
            return Double(bitPattern: UInt64(littleEndian: pattern))
        }
    }

    /// - Returns: Nil if the arguments do not fit.
    private static func score(
        _ info: Info, _ parameters: Parameters, _ sizes: UnsafeRawBufferPointer?
    ) -> Double? {
        guard info.count >= 2 else { return nil }
        let (phrases, columns) = (info[0], info[1])
        guard phrases < info.count, columns < info.count, info.count == 2 + phrases * columns,
            parameters.count == 1 + columns + phrases, let sizes
        else { return nil }
        var (length, count) = (0, 0)
        let areNumbers = FullTextNumbers.forEach(in: sizes) { size in
            length += size
            count += 1
        }
        guard areNumbers, count == columns else { return nil }
        let relative = 1 - 0.75 + 0.75 * Double(length) / parameters[0]
        var score = 0.0
        for phrase in 0..<phrases {
            var frequency = 0.0
            for column in 0..<columns {
                let hits = info[2 + phrase * columns + column]
                frequency += parameters[1 + column] * Double(hits)
            }
            score += parameters[1 + columns + phrase] * (frequency * 2.2) / (frequency + 1.2 * relative)
        }
        return score
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard let start = sqlite3_value_blob(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}

/// The function `strongroom_words(tokenizer, text)`, which the triggers of full-text indexes call: the terms of a text
/// as the engine indexes them.
///
/// A program without it, such as another SQLCipher client, cannot change the indexed rows: its statements fail, and the
/// index stays correct.
enum WordsFunction {
    static let name = "strongroom_words"

    static func call(_ arguments: FunctionArguments, _ calls: FunctionCalls) throws {
        let tokenizer = try calls.tokenizer(of: arguments)
        if !setASCIITerms(arguments.context, arguments.values?[1], tokenizer) {
            try arguments.setResult(terms(of: arguments, tokenizer))
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

    private static func terms(of arguments: FunctionArguments, _ tokenizer: TextTokenizer) throws -> SQLValue {
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

extension FunctionCalls {
    /// The tokenizer that an index names, the first argument.
    fileprivate func tokenizer(of arguments: FunctionArguments) throws -> TextTokenizer {
        let value = arguments.values?[0]
        if sqlite3_value_type(value) == SQLITE_TEXT, let rule = sqlite3_value_text(value) {
            let bytes = UnsafeRawBufferPointer(start: rule, count: Int(sqlite3_value_bytes(value)))
            // Comparing a few bytes is faster than creating a string for each row.
            for builtIn in TextTokenizer.builtInRules where builtIn.rule.elementsEqual(bytes) {
                return builtIn.tokenizer
            }
        }
        let rule = try Row(arguments).text(at: 0)
        if let found = tokenizers.first(where: { $0.rule == rule }) { return found }
        throw StrongroomError(
            .missingFunction,
            """
            A full-text index needs the tokenizer "\(rule)", which this program does not have. Declare it in \
            `tokenizers(for:)` of the configuration; if it is one of a newer release of Strongroom, use that release.
            """)
    }
}

/// Numbers as FTS4 stores them in its tables `…_docsize` and `…_stat`: seven bits a byte, the lowest first. See "FTS3
/// and FTS4 Extensions", section 9 (sqlite.org/fts3.html).
///
/// The engine (SQLite 3.15.2 of SQLCipher 3.4.1) reads as many as it expects, also past the end of the value, and ends
/// the process at an empty one.
enum FullTextNumbers {
    /// Calls a closure for each number.
    ///
    /// - Returns: Whether the bytes are numbers to their end, each below 2⁴².
    @inline(__always)
    static func forEach(in bytes: some Sequence<UInt8>, _ body: (Int) -> Void) -> Bool {
        var (number, shift) = (0, 0)
        for byte in bytes {
            number |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 {
                body(number)
                (number, shift) = (0, 0)
            } else if shift >= 42 {
                return false
            }
        }
        return shift == 0
    }

    /// - Returns: The numbers; nil for bytes that are not so many numbers.
    static func numbers(_ bytes: some Sequence<UInt8>, count: Int) -> [Int]? {
        var numbers: [Int] = []
        guard forEach(in: bytes, { numbers.append($0) }), numbers.count == count else { return nil }
        return numbers
    }

    /// The error for a full-text index with other numbers.
    static var damage: StrongroomError {
        StrongroomError(
            .damaged,
            """
            A full-text index has invalid lengths of texts. Rebuild it by `rebuildFullText(of:)`, or run \
            `strongroom reindex`.
            """)
    }
}
