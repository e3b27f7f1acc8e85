extension Query {
    /// The query's rows, and all rows that follow from them step by step (a recursive common table expression).
    ///
    /// ```swift
    /// let below = try Ward.where { $0.name == "Surgery" }
    ///     .recursively { found, ward in ward.parent == found.id }
    ///     .order { $0.name.ascending }
    ///     .fetch(in: db)
    /// ```
    ///
    /// Each row is found once, so cycles end. The result can be refined, counted, updated and deleted like every query.
    /// See SQLite's documentation, "The WITH Clause", section 3 (sqlite.org/lang_with.html).
    ///
    /// - Parameter step: Makes the condition by which a row follows from one that is found, from the columns of both.
    /// - Returns: The query of all rows; its order and limit are those that are set on it.
    /// - Throws: ``StrongroomError`` with `notDeclared` for a table without a primary key, and as ``select(_:)``.
    public func recursively(
        _ step: (_ found: JoinedColumns<Source>, _ next: JoinedColumns<Source>) -> Condition
    ) throws -> Query {
        let keys = try Source.schema.keyColumns()
        let number = QueryScope.depth
        let (found, next) = ("found\(number)", "next\(number)")
        let columns = (JoinedColumns<Source>(alias: found), JoinedColumns<Source>(alias: next))
        let (made, nested) = QueryScope.run(
            nil, others: [Source.schema], aliases: [found, next], of: columns, { columns in step(columns.0, columns.1) }
        )
        let condition = nested?.fault(in: [made.sql]).map(Condition.init(failing:)) ?? made
        let table = Source.schema.quotedName
        let names = Source.schema.columns.map { Identifier.quote($0.name) }
        func list(_ prefix: String, _ names: [String]) -> String {
            names.map { prefix + $0 }.joined(separator: ", ")
        }
        let start = try resolved()
        var rows = SQL(verbatim: "WITH RECURSIVE \(found) (\(list("", names))) AS (")
        if start.hasLimit { rows.append(text: "SELECT * FROM (") }
        rows.append(start.sql(after: "SELECT \(list("", names)) FROM \(table)", isSorted: start.hasLimit))
        if start.hasLimit { rows.append(text: ")") }
        rows.append(text: " UNION SELECT \(list(next + ".", names)) FROM \(found) JOIN \(table) AS \(next) ON ")
        rows.append(condition.sql)
        let keyNames = keys.map { Identifier.quote($0.name) }
        rows.append(text: ") SELECT \(list("", keyNames)) FROM \(found)")
        rows.require(Source.schema.required)
        let left = SQL(verbatim: keyNames.count > 1 ? "(\(list("", keyNames)))" : keyNames[0])
        var query = Query()
        query.clauses.add(Condition("\(left) IN (\(rows))"))
        return query
    }
}
