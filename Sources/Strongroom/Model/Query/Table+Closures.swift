/// What the closures of a query make from the table's columns.
extension Table {
    /// A condition.
    @inlinable
    static func made(_ condition: (Columns) -> Condition) -> Condition {
        let scope = RunningScope(of: schema)
        return scope.end(condition(columns))
    }

    /// Orderings.
    @inlinable
    static func made(_ orderings: (Columns) -> [Ordering]) -> [Ordering] {
        let scope = RunningScope(of: schema)
        return scope.end(orderings(columns))
    }

    /// Expressions.
    static func made<each E: SQLExpression>(_ expressions: (Columns) -> (repeat each E)) -> [SQL] {
        let scope = RunningScope(of: schema)
        let made = expressions(columns)
        var list: [SQL] = []
        repeat list.append((each made).sql)
        return list.checked(scope.end())
    }

    /// Assignments.
    static func made(_ assignments: (Columns) -> [Assignment]) -> [Assignment] {
        let (made, nested) = QueryScope.run(schema, of: columns, assignments)
        guard let fault = nested?.fault(in: made.map(\.value)) else { return made }
        return made.map { Assignment(column: $0.column, value: SQL(failing: fault)) }
    }
}

extension [Ordering] {
    /// The orderings; if they are ambiguous, some that fail when the statement runs.
    func checked(_ nested: QueryScope?) -> [Ordering] {
        nested?.fault(in: map(\.expression)).map { [Ordering(failing: $0)] } ?? self
    }
}

extension [SQL] {
    /// The expressions; if they are ambiguous, some that fail when the statement runs.
    func checked(_ nested: QueryScope?) -> [SQL] {
        nested?.fault(in: self).map { [SQL](repeating: SQL(failing: $0), count: count) } ?? self
    }
}
