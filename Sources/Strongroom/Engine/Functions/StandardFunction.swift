import CSQLCipher
import Foundation

/// The function `strongroom_fit(value, type)`, through which a calculated value is assigned to a column.
///
/// The engine calculates with 64-bit integers and floating-point numbers, whatever the type of the column: 255 + 1
/// would be stored in a column of `UInt8`, and no query could read the row any more. See "Datatypes In SQLite",
/// section 4 (sqlite.org/datatype3.html).
enum FitFunction {
    static let name = "strongroom_fit"

    private typealias Conversion = @Sendable (SQLValue) throws -> SQLValue

    /// The types that were assigned to, by identity and by the name that stands in the SQL.
    private struct Types {
        var names: [ObjectIdentifier: String] = [:]
        var conversions: [String: Conversion] = [:]
    }

    private static let types = Locked(Types())

    /// The name of a type in SQL, by which the function finds the type.
    static func name<V: ColumnValue>(of type: V.Type) -> String {
        types.withLock { types in
            if let name = types.names[ObjectIdentifier(type)] { return name }
            let name = String(reflecting: type)
            types.names[ObjectIdentifier(type)] = name
            types.conversions[name] = conversion(to: type)
            return name
        }
    }

    static func call(_ arguments: FunctionArguments, _ calls: FunctionCalls) throws {
        // As the column would do: text that is a number becomes one.
        _ = sqlite3_value_numeric_type(arguments.values?[0])
        let row = Row(arguments)
        let name = try row.text(at: 1)
        guard let conversion = conversion(to: name) else {
            throw StrongroomError(.notAuthorized, "\(Self.name) is called by the library's own statements alone.")
        }
        try arguments.setResult(conversion(row.value(at: 0)))
    }

    private static func conversion(to name: String) -> Conversion? { types.withLock { $0.conversions[name] } }

    /// - Returns: Converts a value to what a column of the type stores.
    private static func conversion<V: ColumnValue>(to type: V.Type) -> Conversion {
        { value in
            if value == .null { return .null }
            let stored = stored(value, in: type)
            guard (try? V.read(stored)) != nil else { throw tooFar(type) }
            return stored
        }
    }

    private static func stored<V: ColumnValue>(_ value: SQLValue, in type: V.Type) -> SQLValue {
        guard case .real(let number) = value else { return value }
        // Rounded as arithmetic in Swift is; a number out of range would become infinite.
        if type == Float.self, Float(number).isFinite { return .real(Double(Float(number))) }
        // As the column would do, where the number is exact.
        if type.storageClass == .integer, let integer = Int64(exactly: number), abs(number) < exactlyBelow {
            return .integer(integer)
        }
        return value
    }

    /// 2⁵³: from here on, not every integer is a floating-point number.
    private static let exactlyBelow: Double = 9_007_199_254_740_992

    private static func tooFar<V: ColumnValue>(_ type: V.Type) -> StrongroomError {
        StrongroomError(
            .limit,
            """
            The result of a calculation does not fit into the type of its column, \(type), and no row was changed. \
            Leave out such rows by a condition, or give the column a type with a larger range.
            """)
    }
}

/// The function behind SQL's `text REGEXP pattern`, which the engine does not have itself: `regexp(pattern, text)`.
///
/// Patterns are those of Foundation's `NSRegularExpression`. A pattern that is the same for all rows is compiled once
/// for each run of a statement.
///
/// A search backtracks, so that its time may double with each letter of a text. Foundation reports its progress, every
/// few hundred microseconds, and the search ends there when the work is cancelled.
enum RegularExpression {
    static let name = "regexp"

    static func call(_ arguments: FunctionArguments, _ calls: FunctionCalls) throws {
        guard !arguments.hasNull(among: [0, 1]) else { return arguments.setNull() }
        var isMatching = false
        if let cached = sqlite3_get_auxdata(arguments.context, 0) {
            let expression = Unmanaged<NSRegularExpression>.fromOpaque(cached).takeUnretainedValue()
            isMatching = try matches(expression, text(arguments, at: 1), calls)
        } else {
            let expression = try compiled(text(arguments, at: 0))
            isMatching = try matches(expression, text(arguments, at: 1), calls)
            // The engine may release it at once, as for a pattern from a column.
            sqlite3_set_auxdata(arguments.context, 0, Unmanaged.passRetained(expression).toOpaque()) { cached in
                if let cached { Unmanaged<NSRegularExpression>.fromOpaque(cached).release() }
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
