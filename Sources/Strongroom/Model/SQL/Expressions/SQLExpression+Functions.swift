/// The number of rows of a query or of each group.
///
/// ```swift
/// Contact.group { $0.city }.select { ($0.city, RowCount()) }
/// ```
public struct RowCount: SQLExpression {
    /// The number is an `Int`.
    public typealias Value = Int

    /// `count(*)`.
    public var sql: SQL { "count(*)" }

    /// The number of rows.
    public init() {}
}

extension SQLExpression {
    /// The number of rows in which the value is not NULL.
    public func count() -> Computed<Int> { Computed(function: "count", sql) }

    /// The number of distinct values, without NULL.
    public func countDistinct() -> Computed<Int> { Computed("count(DISTINCT \(sql))") }

    /// The smallest value, or nil if there is none.
    public func min() -> Computed<Value.Unwrapped?> { Computed(function: "min", sql, form: sql.form) }

    /// The largest value, or nil if there is none.
    public func max() -> Computed<Value.Unwrapped?> { Computed(function: "max", sql, form: sql.form) }
}

extension SQLExpression where Value: NumericColumnValue {
    /// The sum of the values, or nil if there is none; of small integers it is an `Int`. A sum of integers that exceeds
    /// 64 bits is an error.
    public func sum() -> Computed<Value.Sum?> { Computed(function: "sum", sql) }

    /// The mean of the values, or nil if there is none.
    public func average() -> Computed<Double?> { Computed(function: "avg", sql) }
}

extension SQLExpression {
    /// The value, or a default in place of NULL.
    public static func ?? (left: Self, right: Value.Unwrapped) -> Computed<Value.Unwrapped>
    where Value.Unwrapped: ColumnValue {
        var arguments = SQL(reserving: 64)
        arguments.append(left.sql)
        arguments.append(text: ", ")
        arguments.append { try left.sql.stored(right) }
        return Computed(function: "ifnull", arguments, form: left.sql.form)
    }
}

extension SQLExpression where Value: TextColumnValue {
    /// The text with the letters A to Z in lower case.
    public func lowercased() -> Computed<Value> { Computed(function: "lower", sql) }

    /// The text with the letters a to z in upper case.
    public func uppercased() -> Computed<Value> { Computed(function: "upper", sql) }

    /// The number of Unicode scalars in the text, up to the first NUL.
    public func length() -> Computed<Int?> { Computed(function: "length", sql) }
}

extension SQLExpression where Value: TextColumnValue {
    /// Whether a regular expression matches a part of the text; with `^` and `$`, the entire text.
    ///
    /// ```swift
    /// Contact.where { $0.email.matches("^[a-z.]+@example\\.(com|org)$") }
    /// ```
    ///
    /// In SQL this is `email REGEXP pattern`, which every connection of the library has; other programs do not. All
    /// rows of the table are read, since no index helps. NULL matches nothing.
    ///
    /// - Parameters:
    ///   - pattern: A regular expression as for Foundation's `NSRegularExpression`. The query throws `invalidPredicate`
    ///     if it is none.
    ///   - ignoringCase: Whether upper and lower case are the same, in every script.
    public func matches(_ pattern: String, ignoringCase: Bool = false) -> Condition {
        let pattern = ignoringCase ? "(?i)" + pattern : pattern
        var condition = SQL(reserving: sql.text.utf8.count + 16)
        condition.append(sql)
        condition.append(text: " REGEXP ")
        condition.append(value: pattern)
        do {
            _ = try RegularExpression.compiled(pattern)
        } catch {
            if let error = error as? StrongroomError { condition.fail(error) }
        }
        return Condition(condition)
    }

    /// The text with a collating sequence, for an order or a comparison.
    ///
    /// ```swift
    /// Person.order { $0.name.collated(.locale("sv")).ascending }
    /// ```
    ///
    /// - Parameter collation: One of the engine's, of a locale, or of the configuration; statements with another one
    ///   throw `missingCollation`.
    public func collated(_ collation: Collation) -> Computed<Value> {
        Computed("\(sql)\(SQL(verbatim: collation.sql))")
    }
}

extension SQLFunction {
    /// Calls the function in a query.
    ///
    /// ```swift
    /// Note.where { slug($0.title) == "first-note" }
    /// ```
    ///
    /// - Parameter arguments: Columns or expressions of the arguments' types; a value is one as
    ///   `Computed("\(value)")`. Dates that are stored as other numbers than those of `Date` are converted. With dates
    ///   that are stored as text, or decimals with a scale, running the query throws ``StrongroomError`` with
    ///   `notTranslatable`.
    public func callAsFunction<each Expression: SQLExpression>(
        _ arguments: repeat each Expression
    ) -> Computed<Result> where repeat (each Expression).Value == each Argument {
        var list = SQL(reserving: 64)
        repeat list.appendArgument((each arguments).sql)
        return Computed(function: Identifier.quote(_definition.name), list)
    }

    /// Calls the function in a query, with arguments that may be NULL; the result is NULL if one of an argument that is
    /// not optional is.
    ///
    /// - Parameter arguments: Columns or expressions of the arguments' types, optional or not; for stored forms of
    ///   dates and decimals, see the call of a ``SQLFunction``.
    @_disfavoredOverload
    public func callAsFunction<each Expression: SQLExpression>(
        _ arguments: repeat each Expression
    ) -> Computed<Result.Unwrapped?> where repeat (each Expression).Value.Unwrapped == (each Argument).Unwrapped {
        var list = SQL(reserving: 64)
        repeat list.appendArgument((each arguments).sql)
        return Computed(function: Identifier.quote(_definition.name), list)
    }
}

extension SQL {
    /// Appends an argument in the form of its type, which is the one that the function reads.
    fileprivate mutating func appendArgument(_ argument: SQL) {
        if !text.isEmpty { append(text: ", ") }
        switch argument.form {
        case nil: append(argument)
        case .date(.since1970(.milliseconds)): append("(\(argument) / 1000.0 - 978307200.0)" as SQL)
        case .date(.since1970): append("(\(argument) - 978307200.0)" as SQL)
        case .date, .decimal:
            append(argument)
            fail(Self.otherForm(argument.form))
        }
    }

    private static func otherForm(_ form: StoredForm?) -> StrongroomError {
        StrongroomError(
            .notTranslatable,
            """
            An argument of a function in Swift is stored with \(form?.title ?? "its form"), which SQL does not convert \
            exactly for the function; call it with the fetched values, or declare it with the stored type and call it \
            in SQL text.
            """)
    }
}
