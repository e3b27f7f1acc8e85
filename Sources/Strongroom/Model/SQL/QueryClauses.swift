extension [String] {
    /// The names in quotation marks, for a message.
    var listed: String { map { "\"\($0)\"" }.joined(separator: ", ") }
}

/// A value that is refined by changed copies of it.
protocol Refinable {}

extension Refinable {
    func refined(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

/// The clauses of a query after its FROM clause: conditions, groups, order and limit.
@usableFromInline
struct QueryClauses: Sendable {
    var condition: Condition?
    @usableFromInline var orderings: [Ordering] = []
    @usableFromInline var limit: Int?
    @usableFromInline var offset = 0
    @usableFromInline var isDistinct = false
    var groups: [SQL] = []
    var having: Condition?

    @usableFromInline static var all: QueryClauses { QueryClauses() }

    /// The rows that match a condition.
    // By the memberwise initializer: the compiler copies the result of any other one.
    @usableFromInline
    static func matching(_ condition: consuming Condition) -> QueryClauses { QueryClauses(condition: condition) }

    @usableFromInline
    mutating func add(_ added: Condition) {
        condition = condition.map { $0 && added } ?? added
    }

    mutating func add(having added: Condition) {
        having = having.map { $0 && added } ?? added
    }

    /// A negative number, as a request to a service may contain it, makes the query fail.
    @usableFromInline
    mutating func limit(to count: Int, offset: Int) {
        self.limit = count
        self.offset = offset
    }

    /// Groups the rows; the order and the limit of the groups replace those of the rows.
    mutating func group(by groups: QueryClauses) {
        self.groups = groups.groups
        having = groups.having
        orderings = groups.orderings
        if groups.hasLimit { (limit, offset) = (groups.limit, groups.offset) }
    }

    /// Whether the query returns all rows, in any order.
    var isPlain: Bool { condition == nil && orderings.isEmpty && groups.isEmpty && !hasLimit && !isDistinct }

    @inlinable var hasLimit: Bool { limit != nil || offset != 0 }

    static var negativeLimit: StrongroomError {
        StrongroomError(
            .invalidArgument, "A limit or an offset is negative; check where the number comes from, such as a request.")
    }

    /// The query that begins with SELECT and FROM clauses.
    func sql(after beginning: String) -> SQL {
        var sql = SQL(reserving: beginning.utf8.count + 96)
        sql.append(text: beginning)
        append(to: &sql)
        return sql
    }

    func append(to sql: inout SQL) {
        if let condition {
            sql.append(text: " WHERE ")
            sql.append(condition.sql)
        }
        appendRest(to: &sql)
    }

    var rest: SQL {
        var sql = SQL(verbatim: "")
        appendRest(to: &sql)
        return sql
    }

    private func appendRest(to sql: inout SQL) {
        for (index, group) in groups.enumerated() {
            sql.append(text: index == 0 ? " GROUP BY " : ", ")
            sql.append(group)
        }
        if let having {
            sql.append(text: " HAVING ")
            sql.append(having.sql)
        }
        for (index, ordering) in orderings.enumerated() {
            sql.append(text: index == 0 ? " ORDER BY " : ", ")
            sql.append(ordering.sql)
        }
        guard hasLimit else { return }
        if limit ?? 0 < 0 || offset < 0 { sql.fail(Self.negativeLimit) }
        sql.append(text: " LIMIT ")
        sql.append(value: limit ?? -1)
        if offset > 0 {
            sql.append(text: " OFFSET ")
            sql.append(value: offset)
        }
    }
}
