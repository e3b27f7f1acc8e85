/// What joins of two, three and four tables have in common.
public protocol JoinedTables: Sendable {
    /// The tables, conditions, orderings and limits.
    var content: JoinContent { get set }
}

extension JoinedTables {
    /// Limits the number of rows.
    ///
    /// - Parameters:
    ///   - count: The most rows; not negative.
    ///   - offset: The rows that are left out before them; not negative.
    /// - Returns: The limited join.
    public func limit(_ count: Int, offset: Int = 0) -> Self {
        precondition(count >= 0 && offset >= 0, "a limit and an offset are not negative")
        var copy = self
        copy.content.clauses.limit = count
        copy.content.clauses.offset = offset
        return copy
    }

    /// Removes duplicates (SELECT DISTINCT).
    ///
    /// - Returns: The join without duplicates.
    public func distinct() -> Self {
        var copy = self
        copy.content.clauses.isDistinct = true
        return copy
    }

    /// The number of rows, the limit included.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with the engine's failure.
    public func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try content.requireSortedDecimals(db.handle.connection)
        return try db.value(content.count) ?? 0
    }

    /// Reads the rows into records of another type, whose columns come from any of the tables.
    ///
    /// ```swift
    /// let lines = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }
    ///     .fetch(as: StatementLine.self, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The record's type; each of its columns is the one of that name, which only one of the tables may have.
    ///   - db: A transaction.
    /// - Returns: The records.
    /// - Throws: ``StrongroomError`` with `sql` for a column that no table has, or more than one, `typeMismatch`, or
    ///   the engine's failure.
    public func fetch<R: Record>(as type: R.Type, in db: borrowing some Reading & ~Copyable) throws -> [R] {
        try content.fetch(type, content.columns(named: R.columnNames), in: db)
    }

    func limitedToOne() -> Self {
        limit(min(content.clauses.limit ?? 1, 1), offset: content.clauses.offset)
    }

    func adding(_ condition: Condition) -> Self {
        var copy = self
        copy.content.clauses.add(condition)
        return copy
    }

    func adding(_ ordering: Ordering) -> Self {
        var copy = self
        copy.content.clauses.orderings.append(ordering)
        return copy
    }
}
