import CSQLCipher
import Foundation

/// The function behind SQL's `text REGEXP pattern`, which the engine does not have itself: `regexp(pattern, text)`.
///
/// Patterns are those of Foundation's `NSRegularExpression`. A pattern that is the same for all rows is compiled once
/// for each run of a statement.
///
/// A search backtracks, so that its time may double with each letter of a text. Foundation reports its progress, every
/// few hundred microseconds, and the search ends there when the work is cancelled.
enum RegularExpression {
    static let name = "regexp"

    /// Registers the function.
    static func install(_ calls: FunctionCalls, on connection: OpaquePointer) -> Int32 {
        StandardFunction.install(name, calls, on: connection) { context, count, values in
            StandardFunction.run(context, count, values) { context, _, arguments, calls in
                do {
                    try RegularExpression.match(context, arguments, calls)
                } catch let error as StrongroomError {
                    throw error.located(inFunction: RegularExpression.name)
                }
            }
        }
    }

    private static func match(
        _ context: OpaquePointer, _ arguments: FunctionArguments, _ calls: FunctionCalls
    ) throws {
        guard !arguments.hasNull(among: [0, 1]) else { return arguments.setNull() }
        var isMatching = false
        if let kept = sqlite3_get_auxdata(context, 0) {
            let expression = Unmanaged<NSRegularExpression>.fromOpaque(kept).takeUnretainedValue()
            isMatching = try matches(expression, text(arguments, at: 1), calls)
        } else {
            let expression = try compiled(text(arguments, at: 0))
            isMatching = try matches(expression, text(arguments, at: 1), calls)
            // The engine may release it at once, as for a pattern from a column.
            sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(expression).toOpaque()) { kept in
                if let kept { Unmanaged<NSRegularExpression>.fromOpaque(kept).release() }
            }
        }
        try arguments.setResult(isMatching)
    }

    /// A number is compared as text, as by LIKE.
    private static func text(_ arguments: FunctionArguments, at index: Int) throws -> String {
        switch try Row(arguments).value(at: index) {
        case .integer(let number): String(number)
        case .real(let number): String(number)
        default: try Row(arguments).text(at: index)
        }
    }

    /// - Throws: `CancellationError` if the work is cancelled during the search; ``StrongroomError`` with `limit` if
    ///   the search is given up.
    private static func matches(
        _ expression: NSRegularExpression, _ text: String, _ calls: FunctionCalls
    ) throws -> Bool {
        var (isMatching, isCancelled, isGivenUp) = (false, false, false)
        let range = NSRange(location: 0, length: text.utf16.count)
        expression.enumerateMatches(in: text, options: [.reportProgress, .reportCompletion], range: range) {
            match, flags, stop in
            if match != nil { isMatching = true }
            if calls.isCancelled { isCancelled = true }
            // The backtracking needs more memory than ICU's limit.
            if flags.contains(.internalError) { isGivenUp = true }
            if isMatching || isCancelled || isGivenUp { stop.pointee = true }
        }
        if isMatching { return true }
        if isCancelled { throw CancellationError() }
        guard !isGivenUp else {
            throw StrongroomError(
                .limit,
                """
                The regular expression needs too much memory for one of the texts. Repeat sets instead of groups, as \
                in [ab]* for (a|b)*, and no group that is itself repeated, as in (a+)+.
                """)
        }
        return false
    }

    /// Compiles a pattern.
    ///
    /// - Throws: ``StrongroomError`` with `invalidPredicate`. It does not contain the pattern, which may be the value
    ///   of a row.
    static func compiled(_ pattern: String) throws -> NSRegularExpression {
        do {
            return try NSRegularExpression(pattern: pattern)
        } catch {
            throw StrongroomError(
                .invalidPredicate,
                """
                The pattern is no regular expression. Check its parentheses, brackets and backslashes; the syntax is \
                that of Foundation's NSRegularExpression.
                """)
        }
    }
}
