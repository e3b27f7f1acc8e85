import Strongroom

extension Query {
    /// The query for objects of a type: sorted, one row per group, one page.
    func objects(
        _ orderings: [(Source.Columns) -> Ordering], _ groups: [(Source.Columns) -> any SQLExpression] = [],
        page: Int = 0, size: Int? = nil
    ) throws -> Query {
        var query = groups.isEmpty ? self : try onePerGroup(groups)
        for ordering in orderings { query = query.order { ordering($0) } }
        if orderings.isEmpty, Source.schema.hasKey { query = try query.orderedByKey(descending: false) }
        guard page >= 0, size.map({ $0 >= 0 }) ?? (page == 0) else {
            throw StrongroomError(
                .invalidArgument,
                """
                There is no page \(page) of \(size.map { "\($0)" } ?? "all") records: pages are counted from 0, and \
                have a size that is not negative.
                """)
        }
        guard let size else { return query }
        let (offset, isTooFar) = page.multipliedReportingOverflow(by: size)
        return query.limit(size, offset: isTooFar ? .max : offset)
    }

    /// Of the rows with equal values, the one with the lowest key.
    private func onePerGroup(_ groups: [(Source.Columns) -> any SQLExpression]) throws -> Query {
        let keys = try Source.schema.keyColumns().map { "\(name: $0.name)" as SQL }
        let groups = groups.map { $0(Source.columns).sql }
        guard keys.count > 1 else {
            var rows: SQL = "SELECT min(\(keys[0])) FROM \(name: Source.schema.name)"
            if let condition { rows.append(" WHERE \(condition.sql)" as SQL) }
            for (index, group) in groups.enumerated() {
                rows.append(text: index == 0 ? " GROUP BY " : ", ")
                rows.append(group)
            }
            let lowest = rows
            return Query().where { _ in Condition("\(keys[0]) IN (\(lowest))") }
        }
        let lowest = lowest(of: groups, by: keys)
        return Query().where { _ in lowest }
    }

    /// The rows, with a key of several columns, for which no row of the same group has a lower key.
    private func lowest(of groups: [SQL], by keys: [SQL]) -> Condition {
        var rows: SQL = "SELECT "
        for (index, key) in keys.enumerated() {
            rows.append(key)
            rows.append(text: " AS k\(index), ")
        }
        for (index, group) in groups.enumerated() {
            rows.append(group)
            rows.append(text: " AS g\(index)\(index == groups.count - 1 ? "" : ", ")")
        }
        rows.append(" FROM \(name: Source.schema.name)" as SQL)
        if let condition { rows.append(" WHERE \(condition.sql)" as SQL) }
        func list(_ name: String) -> String { keys.indices.map { "\(name).k\($0)" }.joined(separator: ", ") }
        var columns = SQL(verbatim: "")
        for (index, key) in keys.enumerated() {
            if index > 0 { columns.append(text: ", ") }
            columns.append(key)
        }
        let same = groups.indices.map { "b.g\($0) IS a.g\($0) AND " }.joined()
        let isBefore = SQL(verbatim: "\(same)(\(list("b"))) < (\(list("a")))")
        return Condition(
            """
            (\(columns)) IN (SELECT \(SQL(verbatim: list("a"))) FROM (\(rows)) AS a WHERE NOT EXISTS (SELECT 1 FROM \
            (\(rows)) AS b WHERE \(isBefore)))
            """)
    }
}
