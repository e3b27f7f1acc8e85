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

extension SQLAggregate {
    /// Calls the aggregate in a query; rows with NULL for an argument that is not optional are left out.
    ///
    /// ```swift
    /// Product.group { $0.kind }.select { ($0.kind, median($0.price)) }
    /// ```
    ///
    /// - Parameter arguments: Columns or expressions of the arguments' types, optional or not; for stored forms of
    ///   dates and decimals, see the call of a ``SQLFunction``.
    public func callAsFunction<each Expression: SQLExpression>(
        _ arguments: repeat each Expression
    ) -> Computed<Result> where repeat (each Expression).Value.Unwrapped == (each Argument).Unwrapped {
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
            An argument of a function in Swift is stored with \(form?.words ?? "its form"), which SQL does not convert \
            exactly for the function; call it with the fetched values, or declare it with the stored type and call it \
            in SQL text.
            """)
    }
}
