/// What the closures of a join make from the tables' columns.
extension Join {
    func made(_ condition: (Columns) -> Condition) -> Condition {
        let (made, nested) = content.run(columns, condition)
        return nested?.fault(in: [made.sql]).map(Condition.init(failing:)) ?? made
    }

    func made(_ orderings: (Columns) -> [Ordering]) -> [Ordering] {
        let (made, nested) = content.run(columns, orderings)
        return made.checked(nested)
    }

    func made<each E: SQLExpression>(_ expressions: (Columns) -> (repeat each E)) -> [SQL] {
        let scope = content.begin()
        let made = expressions(columns)
        var list: [SQL] = []
        repeat list.append((each made).sql)
        return list.checked(scope.end())
    }
}
