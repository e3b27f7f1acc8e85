extension SQLFunction {
    /// Calls the function in a query.
    ///
    /// ```swift
    /// Note.where { slug($0.title) == "first-note" }
    /// ```
    ///
    /// - Parameter arguments: Columns or expressions of the arguments' types; a value is one as
    ///   `Computed("\(value)")`.
    public func callAsFunction<each Expression: SQLExpression>(
        _ arguments: repeat each Expression
    ) -> Computed<Result> where repeat (each Expression).Value == each Argument {
        var list = SQL(reserving: 64)
        repeat list.appendArgument((each arguments).sql)
        return Computed(function: Identifier.quote(definition.name), list)
    }

    /// Calls the function in a query, with arguments that may be NULL; the result is NULL if one of an argument that is
    /// not optional is.
    ///
    /// - Parameter arguments: Columns or expressions of the arguments' types, optional or not.
    @_disfavoredOverload
    public func callAsFunction<each Expression: SQLExpression>(
        _ arguments: repeat each Expression
    ) -> Computed<Result.Unwrapped?> where repeat (each Expression).Value.Unwrapped == (each Argument).Unwrapped {
        var list = SQL(reserving: 64)
        repeat list.appendArgument((each arguments).sql)
        return Computed(function: Identifier.quote(definition.name), list)
    }
}

extension SQLAggregate {
    /// Calls the aggregate in a query; rows with NULL for an argument that is not optional are left out.
    ///
    /// ```swift
    /// Product.group { $0.kind }.select { ($0.kind, median($0.price)) }
    /// ```
    ///
    /// - Parameter arguments: Columns or expressions of the arguments' types, optional or not.
    public func callAsFunction<each Expression: SQLExpression>(
        _ arguments: repeat each Expression
    ) -> Computed<Result> where repeat (each Expression).Value.Unwrapped == (each Argument).Unwrapped {
        var list = SQL(reserving: 64)
        repeat list.appendArgument((each arguments).sql)
        return Computed(function: Identifier.quote(definition.name), list)
    }
}

extension SQL {
    fileprivate mutating func appendArgument(_ argument: SQL) {
        if !text.isEmpty { append(text: ", ") }
        append(argument)
    }
}
