extension Query {
    /// The query as the objects of a type are asked for: sorted, one row for each group, one page.
    func objects(
        _ orderings: [(Source.Columns) -> Ordering], _ groups: [(Source.Columns) -> any SQLExpression] = [],
        page: Int = 0, size: Int? = nil
    ) throws -> Query {
        var query = groups.isEmpty ? self : try onePerGroup(groups)
        for ordering in orderings { query = query.order(ordering) }
        if orderings.isEmpty, Source.schema.hasKey { query = try query.orderedByKey(descending: false) }
        guard page >= 0, size.map({ $0 >= 0 }) ?? (page == 0) else {
            throw StrongroomError(
                .limit,
                """
                There is no page \(page) of \(size.map { "\($0)" } ?? "all") records: pages are counted from 0, and \
                have a size that is not negative.
                """)
        }
        guard let size else { return query }
        let (offset, isTooFar) = page.multipliedReportingOverflow(by: size)
        return query.limit(size, offset: isTooFar ? .max : offset)
    }

    /// Of the rows that have the same values, the one with the lowest key.
    private func onePerGroup(_ groups: [(Source.Columns) -> any SQLExpression]) throws -> Query {
        let keys = try Source.schema.keyColumns().map { Identifier.quote($0.name) }
        var grouped = QueryClauses()
        grouped.condition = clauses.condition
        grouped.groups = groups.map { $0(Source.columns).sql }
        guard keys.count > 1 else {
            let rows = grouped.sql(after: "SELECT min(\(keys[0])) FROM \(Source.schema.quotedName)")
            return Query().where { _ in Condition("\(SQL(verbatim: keys[0])) IN (\(rows))") }
        }
        return Query().where { _ in Self.lowest(of: grouped, by: keys) }
    }

    /// The rows of a key of several columns that have none of their group before them.
    private static func lowest(of grouped: QueryClauses, by keys: [String]) -> Condition {
        let places = grouped.groups.indices
        var rows = SQL(verbatim: "SELECT ")
        for (place, key) in keys.enumerated() { rows.append(text: "\(key) AS k\(place), ") }
        for place in places {
            rows.append(grouped.groups[place])
            rows.append(text: " AS g\(place)\(place == places.last ? "" : ", ")")
        }
        rows.append(text: " FROM \(Source.schema.quotedName)")
        if let condition = grouped.condition { rows.append(" WHERE \(condition.sql)" as SQL) }
        func list(_ name: String) -> String { keys.indices.map { "\(name).k\($0)" }.joined(separator: ", ") }
        let same = places.map { "b.g\($0) IS a.g\($0) AND " }.joined()
        let isBefore = SQL(verbatim: "\(same)(\(list("b"))) < (\(list("a")))")
        return Condition(
            """
            (\(SQL(verbatim: keys.joined(separator: ", ")))) IN (SELECT \(SQL(verbatim: list("a"))) FROM (\(rows)) AS \
            a WHERE NOT EXISTS (SELECT 1 FROM (\(rows)) AS b WHERE \(isBefore)))
            """)
    }
}
