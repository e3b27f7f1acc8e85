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
                There is no page \(page) of \(size.map { "\($0)" } ?? "all") records: pages are counted from 0, and have a size that is not \
                negative.
                """)
        }
        guard let size else { return query }
        let (offset, isTooFar) = page.multipliedReportingOverflow(by: size)
        return query.limit(size, offset: isTooFar ? .max : offset)
    }

    /// Of the rows that have the same values, the one with the lowest key.
    private func onePerGroup(_ groups: [(Source.Columns) -> any SQLExpression]) throws -> Query {
        let keys = Source.schema.primaryKeys
        let column = keys.count == 1 ? Identifier.quote(keys[0].name) : "rowid"
        var grouped = QueryClauses()
        grouped.condition = clauses.condition
        grouped.groups = groups.map { $0(Source.columns).sql }
        let rows = grouped.sql(after: "SELECT min(\(column)) FROM \(Source.schema.quotedName)")
        return Query().where { _ in Condition("\(SQL(verbatim: column)) IN (\(rows))") }
    }
}
