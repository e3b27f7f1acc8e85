/// A query for single values instead of records: some expressions for each row, or for each group.
///
/// ```swift
/// let cities = try Contact.group { $0.city }
///     .having { _ in RowCount() > 1 }
///     .select { ($0.city, RowCount(), $0.age.average()) }
///     .fetch(in: db)                                    // [(String, Int, Double?)]
/// ```
public struct SelectQuery<each Value: ColumnValue>: Sendable {
    var content: SelectionContent

    init(_ expressions: [SQL], from source: SQL, _ clauses: QueryClauses, of tables: [TableSchema]) {
        content = SelectionContent(expressions, from: source, clauses, of: tables)
    }

    init(_ content: SelectionContent) {
        self.content = content
    }

    /// Removes duplicates (SELECT DISTINCT).
    ///
    /// - Returns: The selection without duplicates.
    public func distinct() -> SelectQuery {
        var copy = self
        copy.content.removeDuplicates()
        return copy
    }

    /// Runs the selection.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The values, a tuple for each row.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, `sql`, or the engine's failure.
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [(repeat each Value)] {
        var rows: [(repeat each Value)] = []
        let forms = content.expressions.map(\.form)
        try db.forEachRow(content.sql) { row in rows.append(try Self.read(row, forms)) }
        return rows
    }

    /// The values of the first row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The values, or nil if there is no row.
    /// - Throws: As ``fetch(in:)``.
    public func first(in db: borrowing some Reading & ~Copyable) throws -> (repeat each Value)? {
        var copy = self
        copy.content.limitToOne()
        return try copy.fetch(in: db).first
    }

    /// The number of rows.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with `sql`, or the engine's failure.
    public func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try db.value("SELECT count(*) FROM (\(content.sql))") ?? 0
    }

    private static func read(_ row: borrowing Row, _ forms: [StoredForm?]) throws -> (repeat each Value) {
        var index = -1
        func next() -> Int {
            index += 1
            return index
        }
        return (repeat try value((each Value).self, row, next(), forms))
    }

    private static func value<V: ColumnValue>(
        _ type: V.Type, _ row: borrowing Row, _ index: Int, _ forms: [StoredForm?]
    ) throws -> V {
        try row.value(at: index, form: forms[index])
    }
}

extension Query {
    /// Selects single values of each row.
    ///
    /// ```swift
    /// let names = try Contact.where { $0.phone != nil }.select { ($0.id, $0.name) }.fetch(in: db)
    /// ```
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the table's columns.
    /// - Returns: The selection.
    /// - Throws: ``StrongroomError`` if the record of `after(_:)` has a value that cannot be stored.
    public func select<each E: SQLExpression>(
        _ expressions: (Source.Columns) -> (repeat each E)
    ) throws -> SelectQuery<repeat (each E).Value> {
        try SelectQuery(Source.made(expressions), from: .name(Source.schema.name), resolved(), of: [Source.schema])
    }
}

extension SelectQuery {
    /// The rows of both selections, each once (UNION).
    ///
    /// ```swift
    /// let towns = try Patient.query.select { $0.city }.union(Doctor.query.select { $0.city })
    ///     .order { city in city.ascending }.fetch(in: db)
    /// ```
    ///
    /// Combinations are evaluated from left to right. The order of the single selections is lost; that of the result is
    /// set with ``order(_:)``. See SQLite's documentation, "SELECT", section 3 (sqlite.org/lang_select.html).
    ///
    /// - Parameter other: A selection of the same types. Decimals must have the same scale in both; otherwise running
    ///   the selection throws ``StrongroomError`` with `notTranslatable`.
    /// - Returns: The combined selection.
    public func union(_ other: SelectQuery) -> SelectQuery { combined("UNION", other) }

    /// The rows of one selection and then those of the other, including duplicates (UNION ALL).
    ///
    /// - Parameter other: A selection of the same types, as for ``union(_:)``.
    /// - Returns: The combined selection.
    public func unionAll(_ other: SelectQuery) -> SelectQuery { combined("UNION ALL", other) }

    /// The rows that both selections have, each once (INTERSECT).
    ///
    /// - Parameter other: A selection of the same types, as for ``union(_:)``.
    /// - Returns: The combined selection.
    public func intersection(_ other: SelectQuery) -> SelectQuery { combined("INTERSECT", other) }

    /// The rows that the other selection does not have, each once (EXCEPT).
    ///
    /// - Parameter other: A selection of the same types, as for ``union(_:)``.
    /// - Returns: The combined selection.
    public func subtracting(_ other: SelectQuery) -> SelectQuery { combined("EXCEPT", other) }

    private func combined(_ verb: String, _ other: SelectQuery) -> SelectQuery {
        SelectQuery(content.combined(verb, other.content))
    }

    /// Sorts the selected rows by their values.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the selected values.
    /// - Returns: The sorted selection.
    public func order(@OrderingBuilder _ orderings: (repeat Computed<each Value>) -> [Ordering]) -> SelectQuery {
        var index = -1
        var copy = self
        copy.content.order(by: orderings(repeat Self.column((each Value).self, &index, content.expressions)))
        return copy
    }

    private static func column<V: ColumnValue>(
        _ type: V.Type, _ index: inout Int, _ expressions: [SQL]
    ) -> Computed<V> {
        index += 1
        return SelectionContent.column(index, type, expressions)
    }

    /// Limits the number of selected rows.
    ///
    /// - Parameters:
    ///   - count: The maximum number of rows; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of rows to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited selection.
    public func limit(_ count: Int, offset: Int = 0) -> SelectQuery {
        var copy = self
        copy.content.limit(count, offset: offset)
        return copy
    }
}

/// The SELECT statement of a selection, alone or combined with others.
struct SelectionContent: Sendable {
    let expressions: [SQL]
    private let source: SQL
    private var clauses: QueryClauses
    private var tables: [TableSchema]
    /// The selections that follow UNION, INTERSECT or EXCEPT.
    private var added: [(verb: String, content: SelectionContent)] = []
    /// What applies to the result: its order and limit.
    private var result = QueryClauses()

    init(_ expressions: [SQL], from source: SQL, _ clauses: QueryClauses, of tables: [TableSchema]) {
        self.expressions = expressions
        self.source = source
        self.clauses = clauses
        self.tables = tables
    }

    private var isSimple: Bool { added.isEmpty && result.isPlain }

    mutating func removeDuplicates() {
        if isSimple { clauses.isDistinct = true } else { result.isDistinct = true }
    }

    mutating func limitToOne() {
        if isSimple {
            clauses.limit = min(clauses.limit ?? 1, 1)
        } else {
            result.limit = min(result.limit ?? 1, 1)
        }
    }

    mutating func limit(_ count: Int, offset: Int) {
        if !added.isEmpty || !clauses.hasLimit && !result.isPlain {
            if result.hasLimit { self = wrapped }
        } else if clauses.hasLimit || result.hasLimit {
            self = wrapped
        }
        result.limit(to: count, offset: offset)
    }

    mutating func order(by orderings: [Ordering]) {
        // Rows are limited before they are sorted differently.
        if result.hasLimit { self = wrapped }
        result.orderings += orderings
    }

    /// The beginning of the names of result columns, which no table's column should have.
    static let columnPrefix = "strongroom_"

    /// The name of a result column.
    static func column(_ index: Int) -> String { "\(columnPrefix)\(index)" }

    /// A result column, by which the result can be sorted.
    static func column<V: ColumnValue>(_ index: Int, _ type: V.Type, _ expressions: [SQL]) -> Computed<V> {
        Computed(enclosed: SQL.name(column(index)).inForm(expressions[index].form))
    }

    /// A selection of this one's rows.
    private var wrapped: SelectionContent {
        let names = expressions.indices.map { SQL.name(Self.column($0)).inForm(expressions[$0].form) }
        return SelectionContent(names, from: "(\(sql(isNamed: true)))", QueryClauses(), of: tables)
    }

    /// This selection and another one.
    func combined(_ verb: String, _ other: SelectionContent) -> SelectionContent {
        var copy = result.hasLimit || result.isDistinct ? wrapped : self
        // The order of the rows is lost.
        copy.result = QueryClauses()
        var other = other
        for (own, others) in zip(expressions, other.expressions) where own.form != others.form {
            other.clauses.add(Condition(failing: SQL.twoForms(own.form, others.form)))
        }
        copy.added.append((verb, other))
        copy.tables += other.tables
        return copy
    }

    /// Whether all expressions are columns, which are NULL only if their type is optional.
    var isOfColumns: Bool {
        expressions.allSatisfy(\.isColumn) && added.allSatisfy { $0.content.isOfColumns }
    }

    /// The values of a selection with one column, for a list.
    func values(withoutNull: Bool) -> SQL {
        guard withoutNull else { return sql }
        let name = SQL.name(Self.column(0))
        return "SELECT \(name) FROM (\(sql(isNamed: true))) WHERE \(name) IS NOT NULL"
    }

    /// The statement.
    var sql: SQL { sql(isNamed: false) }

    /// - Parameter isNamed: Whether the result columns have the names ``column(_:)``.
    private func sql(isNamed: Bool) -> SQL {
        var sql = SQL(reserving: 192)
        if result.isPlain {
            append(to: &sql, isNamed: isNamed)
        } else {
            sql.append(text: result.isDistinct ? "SELECT DISTINCT * FROM (" : "SELECT * FROM (")
            append(to: &sql, isNamed: true)
            sql.append(text: ")")
            result.append(to: &sql)
        }
        for table in tables { sql.require(table.required) }
        return sql
    }

    /// The statement without what applies to its result.
    private func append(to sql: inout SQL, isNamed: Bool) {
        guard !added.isEmpty else { return appendSelect(to: &sql, clauses, isNamed: isNamed) }
        appendPart(to: &sql, isNamed: isNamed)
        for part in added {
            sql.append(text: " \(part.verb) ")
            part.content.appendAsPart(to: &sql)
        }
    }

    /// As the first part of a combination.
    private func appendPart(to sql: inout SQL, isNamed: Bool) {
        var clauses = clauses
        guard !clauses.hasLimit else {
            sql.append(text: "SELECT * FROM (")
            appendSelect(to: &sql, clauses, isNamed: isNamed)
            return sql.append(text: ")")
        }
        clauses.orderings = []
        appendSelect(to: &sql, clauses, isNamed: isNamed)
    }

    /// As another part of a combination.
    private func appendAsPart(to sql: inout SQL) {
        if added.isEmpty, result.isPlain || !result.hasLimit && !result.isDistinct {
            return appendPart(to: &sql, isNamed: false)
        }
        sql.append(text: "SELECT * FROM (")
        sql.append(self.sql(isNamed: false))
        sql.append(text: ")")
    }

    private func appendSelect(to sql: inout SQL, _ clauses: QueryClauses, isNamed: Bool) {
        sql.append(text: clauses.isDistinct ? "SELECT DISTINCT " : "SELECT ")
        for (index, expression) in expressions.enumerated() {
            if index > 0 { sql.append(text: ", ") }
            sql.append(expression)
            if isNamed { sql.append(text: " AS \(Identifier.quote(Self.column(index)))") }
        }
        sql.append(text: " FROM ")
        sql.append(source)
        clauses.append(to: &sql)
    }
}

extension TableSchema {
    /// The table, for SQL that reads it.
    var required: RequiredTable {
        RequiredTable(name: name) { connection in try connection.prepareTable(self) }
    }
}

extension SQL {
    /// Whether the SQL is a column of a table or an alias, and not one of a selection's named results.
    fileprivate var isColumn: Bool {
        let tokens = [SQLToken](sql: text).filter { $0.kind != .space }
        guard tokens.count == 1 || tokens.count == 3 && tokens[1].isSign("."), let last = tokens.last,
            last.kind == .quoted, let name = last.name
        else { return false }
        return !name.hasPrefix(SelectionContent.columnPrefix)
    }
}
