/// A question to one full-text index, as SQL.
///
/// FTS4 and FTS5 have different query languages. What both can say is one MATCH; anything else is composed in SQL of
/// questions that both can say, so that the answers are equal.
struct NumberedSearch {
    /// The name of the virtual table.
    let table: String
    /// The positions of the columns that are searched; none for all.
    let columns: [Int]

    /// The condition that a row answers a question.
    ///
    /// - Parameter isAmong: Makes the condition that the row is among those whose numbers a query returns.
    func condition(_ expression: SearchExpression, isAmong: (SQL) throws -> Condition) throws -> Condition {
        if let numbers = numbers(expression) { return try isAmong(numbers) }
        switch expression {
        case .all(let parts):
            let all = try parts.map { try condition($0, isAmong: isAmong) }
            return all.dropFirst().reduce(all.first ?? Condition("0")) { $0 && $1 }
        case .any(let parts):
            let all = try parts.map { try condition($0, isAmong: isAmong) }
            return all.dropFirst().reduce(all.first ?? Condition("0")) { $0 || $1 }
        case .excluding(let wanted, let unwanted):
            return try condition(wanted, isAmong: isAmong) && !condition(unwanted, isAmong: isAmong)
        case .nothing, .phrase, .near:
            return Condition("0")
        }
    }

    /// A query for the numbers of the rows that answer a question; nil if it takes several.
    func numbers(_ expression: SearchExpression) -> SQL? {
        if columns.count <= 1, let text = expression.fts4 {
            return matching(columns.first, text, expression.fts5)
        }
        switch expression {
        case .phrase, .near:
            guard let text = expression.fts4 else { return nil }
            var sql = matching(columns.first, text, expression.fts5)
            for column in columns.dropFirst() {
                sql.append(text: " UNION ")
                sql.append(matching(column, text, expression.fts5))
            }
            return sql
        case .nothing, .all, .any, .excluding:
            return nil
        }
    }

    private func matching(_ column: Int?, _ fts4: String, _ fts5: String) -> SQL {
        let name = Identifier.quote(table)
        let operand = column.map { "c\($0)" } ?? name
        var sql = SQL(verbatim: "SELECT rowid FROM \(name) WHERE \(operand) MATCH ")
        guard fts4 != fts5 else {
            sql.append(SQL(verbatim: "?", [.text(fts4)]))
            return sql
        }
        // The file says which of the two the index is: it may have been created by another engine.
        sql.append(
            SQL(
                verbatim: """
                    CASE WHEN (SELECT sql FROM main.sqlite_master WHERE name = ? COLLATE NOCASE) LIKE '%using fts5%' \
                    THEN ? ELSE ? END
                    """, [.text(table), .text(fts5), .text(fts4)]))
        return sql
    }
}
