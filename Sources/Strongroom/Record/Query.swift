/// A question to a table: which rows, in which order, how many.
///
/// A query is a value: refine it, keep it, run it as often as you like.
///
/// ```swift
/// let recent = Contact.where { $0.phone != nil }.order { $0.name.ascending }
/// let first = try recent.first(db)
/// let number = try recent.count(db)
/// ```
public struct Query<Source: Table>: Sendable {
    private var condition: Condition?
    private var orderings: [SQL] = []
    private var limit: Int?
    private var offset: Int?

    /// All rows of the table.
    public init() {}

    /// Keeps the rows for which a condition holds, besides those before it.
    ///
    /// - Parameter condition: Makes the condition from the table's columns.
    /// - Returns: The narrower query.
    public func `where`(_ condition: (Source.Columns) -> Condition) -> Query {
        var copy = self
        let added = condition(Source.columns)
        copy.condition = self.condition.map { $0 && added } ?? added
        return copy
    }

    /// Sorts the rows; orderings given before count more.
    ///
    /// - Parameter ordering: Makes the ordering from the table's columns.
    /// - Returns: The sorted query.
    public func order(_ ordering: (Source.Columns) -> Ordering) -> Query {
        order(ordering(Source.columns).sql)
    }

    @usableFromInline
    func order(_ sql: SQL) -> Query {
        var copy = self
        copy.orderings.append(sql)
        return copy
    }

    /// Limits the number of rows.
    ///
    /// - Parameters:
    ///   - count: The most rows; not negative.
    ///   - offset: The rows that are left out before them; not negative.
    /// - Returns: The limited query.
    public func limit(_ count: Int, offset: Int = 0) -> Query {
        precondition(count >= 0 && offset >= 0, "a limit and an offset are not negative")
        var copy = self
        copy.limit = count
        copy.offset = offset
        return copy
    }

    /// Runs the query.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
    @inlinable
    public func fetch(_ db: borrowing some Reading & ~Copyable) throws -> [Source.RecordType] {
        try db.fetch(Source.RecordType.self, select(Source.RecordType.columnNames))
    }

    /// The first record of the query.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The record, or nil when there is none.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, or the engine's failure.
    @inlinable
    public func first(_ db: borrowing some Reading & ~Copyable) throws -> Source.RecordType? {
        try limitedToOne().fetch(db).first
    }

    /// The number of rows of the query, its limit included.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func count(_ db: borrowing some Reading & ~Copyable) throws -> Int {
        var unordered = self
        unordered.orderings = []
        let rows = unordered.rows("1")
        return try db.value(limit == nil ? unordered.rows("count(*)") : "SELECT count(*) FROM (\(rows))") ?? 0
    }

    /// Deletes the rows of the query.
    ///
    /// - Parameter db: A write transaction.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: ``StrongroomError`` with `constraint` when other rows refer to one of them, or the engine's failure.
    @discardableResult
    public func delete(in db: borrowing some Writing & ~Copyable) throws -> Int {
        var sql: SQL = "DELETE FROM \(name: Source.schema.name)"
        if limit != nil {
            // By the row's number only without a key: a table may have none, or a column of that name.
            let key = SQL.name(Source.schema.columns.first(where: \.isPrimaryKey)?.name ?? "rowid")
            sql.append(" WHERE \(key) IN (\(rows(key)))")
        } else if let condition {
            sql.append(" WHERE \(condition.sql)")
        }
        return try db.execute(sql)
    }

    @usableFromInline
    func limitedToOne() -> Query {
        limit(min(limit ?? 1, 1), offset: offset ?? 0)
    }

    @usableFromInline
    func select(_ columns: [String]) -> SQL {
        rows(SQL(columns.map(Identifier.quote).joined(separator: ", ")))
    }

    private func rows(_ result: SQL) -> SQL {
        var sql: SQL = "SELECT \(result) FROM \(name: Source.schema.name)"
        if let condition { sql.append(" WHERE \(condition.sql)") }
        for (place, ordering) in orderings.enumerated() {
            sql.append(place == 0 ? " ORDER BY " : ", ")
            sql.append(ordering)
        }
        if let limit {
            sql.append(" LIMIT \(limit) OFFSET \(offset ?? 0)")
        }
        return sql
    }
}

extension SQL {
    @usableFromInline
    static func name(_ name: String) -> SQL {
        SQL(Identifier.quote(name))
    }
}
