/// A query of a table: which rows, in which order, how many.
///
/// A query is an immutable value: it can be refined, stored and run any number of times.
///
/// ```swift
/// let recent = Contact.where { $0.phone != nil }.order { $0.name.ascending }
/// let first = try recent.first(in: db)
/// let number = try recent.count(in: db)
/// ```
public struct Query<Source: Table>: Sendable, Refinable {
    @usableFromInline var clauses: QueryClauses
    @usableFromInline var anchor: Anchor?

    /// The row after which a page begins.
    // Indirect, so that a query's layout does not depend on its record's, and is known without its type's metadata.
    @usableFromInline
    indirect enum Anchor: Sendable {
        case record(Source.RecordType)
        case cursor(PageCursor)
    }

    /// All rows of the table.
    @inlinable
    public init() { clauses = .all }

    @inlinable
    init(_ condition: consuming Condition) { clauses = .matching(condition) }

    /// Adds a condition; rows must match all conditions of the query.
    ///
    /// - Parameter condition: Makes the condition from the table's columns.
    /// - Returns: The query with the condition.
    @inlinable
    public func `where`(_ condition: (Source.Columns) -> Condition) -> Query {
        var copy = self
        copy.clauses.add(Source.evaluate(condition))
        return copy
    }

    /// Adds orderings; earlier ones have priority.
    ///
    /// ```swift
    /// Contact.order { ($0.city.ascending, $0.name.ascending.nullsLast) }
    /// ```
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the table's columns; the
    ///   first has the highest priority.
    /// - Returns: The sorted query.
    @inlinable
    public func order(@OrderingBuilder _ orderings: (Source.Columns) -> [Ordering]) -> Query {
        var copy = self
        copy.clauses.orderings += Source.evaluate(orderings)
        return copy
    }

    /// Limits the number of rows.
    ///
    /// - Parameters:
    ///   - count: The maximum number of rows; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of rows to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited query.
    @inlinable
    public func limit(_ count: Int, offset: Int = 0) -> Query {
        var copy = self
        copy.clauses.limit(to: count, offset: offset)
        return copy
    }

    /// Removes duplicates (SELECT DISTINCT). Useful with ``fetch(as:in:)``: the records of a table have different keys,
    /// so ``count(in:)`` and ``value(in:_:)`` are not affected.
    ///
    /// - Returns: The query without duplicates.
    public func distinct() -> Query {
        refined { $0.clauses.isDistinct = true }
    }

    /// Keeps the rows that follow a record in the query's order: the next page, found by index lookup (keyset
    /// pagination).
    ///
    /// The primary key orders rows that are otherwise equal, so no row is repeated or skipped, even if rows are
    /// inserted or deleted between the pages.
    ///
    /// ```swift
    /// let byName = Contact.order { $0.name.ascending }.limit(20)
    /// let first = try byName.fetch(in: db)
    /// guard let last = first.last else { return }
    /// let second = try byName.after(last).fetch(in: db)
    /// ```
    ///
    /// - Parameter record: The last record of the previous page. Its row may be deleted. The first page is the query
    ///   without this.
    /// - Returns: The query; it must be sorted by columns only, and not by JSON columns, whose values can be
    ///   stored in several forms.
    public func after(_ record: Source.RecordType) -> Query {
        refined { $0.anchor = .record(record) }
    }

    /// Keeps the rows that follow a cursor in the query's order; see ``cursor(after:)``.
    ///
    /// - Parameter cursor: A cursor of a query of the same table in the same order. With any other cursor, running
    ///   the query throws ``StrongroomError`` with `pageCursor`.
    /// - Returns: The query.
    public func after(_ cursor: PageCursor) -> Query {
        refined { $0.anchor = .cursor(cursor) }
    }

    /// The position of a record in the query's order, which can be sent to a client and returned with the request for
    /// the next page.
    ///
    /// ```swift
    /// let page = try byName.fetch(in: db)
    /// let next = try page.last.map { try byName.cursor(after: $0).description }
    /// ```
    ///
    /// - Parameter record: The last record of a page.
    /// - Returns: The cursor. It contains the values that the query is sorted by, which its recipient can read.
    /// - Throws: ``StrongroomError`` with `sql` if the query is sorted by expressions other than columns, or by columns
    ///   of JSON, or removes duplicates; `valueNotStorable`.
    public func cursor(after record: Source.RecordType) throws -> PageCursor {
        try checkPages()
        let ordered = try sortedToTheEnd().clauses
        return PageCursor(ordered.pageOrder(of: Source.schema.name), try ordered.values(of: record))
    }

    package var condition: Condition? { clauses.condition }

    /// The rows that another query's condition matches, too.
    func and(_ other: Query) -> Query { refined { copy in other.condition.map { copy.clauses.add($0) } } }

    func `where`(key: Source.Key) throws -> Query {
        var copy = self
        let values = try Source.plainValues(of: key)
        for (column, value) in zip(try Source.schema.keyColumns(), values) {
            copy.clauses.add(Condition(.name(column.name), value == .null ? " IS " : " = ", value: value))
        }
        return copy
    }

    @usableFromInline
    package func orderedByKey(descending: Bool) throws -> Query {
        var copy = self
        for column in try Source.schema.keyColumns() where !copy.clauses.orderings.contains(column: column.name) {
            copy.clauses.orderings.append(Ordering(.name(column.name), column: column.name, descending: descending))
        }
        return copy
    }

    /// Whether ``resolved()`` returns the clauses as they are, whatever the table.
    @inlinable var isResolved: Bool { anchor == nil && clauses.orderings.isEmpty && !clauses.hasLimit }

    /// The clauses, including the condition of `after(_:)`.
    ///
    /// Sorted or limited rows are finally sorted by the key, also on the first page: otherwise equal rows then have the
    /// same order on every page. Rows of SELECT DISTINCT have no key to sort by.
    @usableFromInline
    func resolved() throws -> QueryClauses {
        guard let anchor else {
            let isSorted = !clauses.orderings.isEmpty || clauses.hasLimit
            guard isSorted, !clauses.isDistinct, Source.schema.hasKey else { return clauses }
            return try sortedToTheEnd().clauses
        }
        try checkPages()
        var ordered = try sortedToTheEnd().clauses
        switch anchor {
        case .record(let record): ordered.add(ordered.isBehind(try ordered.values(of: record)))
        case .cursor(let cursor):
            ordered.add(ordered.isBehind(try cursor.values(in: ordered.pageOrder(of: Source.schema.name))))
        }
        return ordered
    }

    private func sortedToTheEnd() throws -> Query {
        try orderedByKey(descending: clauses.orderings.last?.isDescending ?? false)
    }

    private func checkPages() throws {
        guard clauses.isDistinct else { return }
        throw StrongroomError(
            .notTranslatable,
            "Equal rows that count once have no key, so no page can follow another; leave out distinct().")
    }

    /// A condition on the keys of the query's rows, without an order: replaces the query if its rows are to be sorted
    /// differently or changed.
    func unsorted() throws -> Condition? {
        let clauses = try resolved()
        guard clauses.hasLimit else { return clauses.condition }
        // By row id only without a key: a table may have no row ids, or a column of that name.
        let keys = Source.schema.hasKey ? try Source.schema.keyColumns().map(\.name) : ["rowid"]
        let list = keys.map(Identifier.quote).joined(separator: ", ")
        let rows = clauses.sql(after: "SELECT \(list) FROM \(Source.schema.quotedName)")
        return Condition("\(SQL(verbatim: keys.count > 1 ? "(\(list))" : list)) IN (\(rows))")
    }
}

extension [Ordering] {
    fileprivate func contains(column: String) -> Bool {
        contains { $0.column?.isSameName(as: column) ?? false }
    }
}

extension QueryClauses {
    fileprivate func values(of record: some Record) throws -> [SQLValue] {
        let values = try record.values()
        return try orderings.map { ordering in
            guard !ordering.isCoded, let column = ordering.column, let value = values[column] else {
                throw StrongroomError(
                    .notTranslatable,
                    """
                    The query is sorted by more than the record's columns, or by one whose values can be stored in \
                    several forms, such as JSON, so no page can follow a record; sort by other columns.
                    """)
            }
            return value
        }
    }

    /// The condition for the rows that follow one, of which there is a value for each ordering.
    fileprivate func isBehind(_ values: [SQLValue]) -> Condition {
        var behind: Condition?
        var level: Condition?
        for (ordering, value) in zip(orderings, values) {
            if let next = ordering.isBehind(value) {
                let alternative = level.map { $0 && next } ?? next
                behind = behind.map { $0 || alternative } ?? alternative
            }
            let same = ordering.isLevel(with: value)
            level = level.map { $0 && same } ?? same
        }
        return behind ?? Condition("0")
    }

    /// The table and the order, which identify the queries that a cursor belongs to.
    fileprivate func pageOrder(of table: String) -> PageCursor.Order {
        PageCursor.Order(
            table: table,
            terms: orderings.map { ordering in
                let name = ordering.column ?? ordering.expression.text
                let nulls = ordering.hasNullsLast ? "last" : "first"
                return "\(name) \(ordering.isDescending ? "descending" : "ascending") \(nulls)"
            })
    }
}

extension SQL {
    @usableFromInline
    static func name(_ name: String) -> SQL {
        SQL(verbatim: Identifier.quote(name))
    }
}

extension Query {
    /// Adds a column of type `Bool` or `Bool?` as a condition: its value must be true.
    ///
    /// ```swift
    /// let active = try Contact.query.where { $0.isActive }.fetch(in: db)
    /// ```
    ///
    /// - Parameter flag: Returns the column.
    /// - Returns: The query with the condition.
    // Disfavored, so that the solver tries it last: see the operators of BooleanExpression.
    @_disfavoredOverload
    public func `where`<Flag: BooleanExpression>(_ flag: (Source.Columns) -> Flag) -> Query {
        self.where { flag($0).isTrue }
    }
}

extension Table {
    /// A query for the records in which a column of type `Bool` or `Bool?` is true.
    ///
    /// ```swift
    /// let active = try Contact.where { $0.isActive }.fetch(in: db)
    /// ```
    ///
    /// - Parameter flag: Returns the column.
    /// - Returns: The query.
    @_disfavoredOverload
    public static func `where`<Flag: BooleanExpression>(_ flag: (Columns) -> Flag) -> Query<Self> {
        Query<Self>().where { flag($0).isTrue }
    }
}

/// What the closures of a query make from the table's columns.
extension Table {
    @inlinable
    static func evaluate(_ condition: (Columns) -> Condition) -> Condition {
        let scope = RunningScope(of: schema)
        return scope.end(condition(columns))
    }

    @inlinable
    static func evaluate(_ orderings: (Columns) -> [Ordering]) -> [Ordering] {
        let scope = RunningScope(of: schema)
        return scope.end(orderings(columns))
    }

    static func evaluate<each E: SQLExpression>(_ expressions: (Columns) -> (repeat each E)) -> [SQL] {
        let scope = RunningScope(of: schema)
        return scope.end(sql(of: repeat each expressions(columns)))
    }

    static func evaluate(_ assignments: (Columns) -> [Assignment]) -> [Assignment] {
        let scope = RunningScope(of: schema)
        return scope.end(assignments(columns))
    }
}

extension RunningScope {
    fileprivate consuming func end(_ assignments: [Assignment]) -> [Assignment] {
        guard scope.isNested, let fault = scope.fault(in: assignments.map(\.value)) else { return assignments }
        return assignments.map { Assignment(column: $0.column, value: SQL(failing: fault)) }
    }
}

func sql<each E: SQLExpression>(of expressions: repeat each E) -> [SQL] {
    var list: [SQL] = []
    repeat list.append((each expressions).sql)
    return list
}
