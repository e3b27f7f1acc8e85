/// A query for single values instead of records: some expressions for each row, or for each group.
///
/// ```swift
/// let cities = try Contact.group { $0.city }
///     .having { _ in RowCount() > 1 }
///     .select { ($0.city, RowCount(), $0.age.average()) }
///     .fetch(in: db)                                    // [(String, Int, Double?)]
/// ```
public struct SelectQuery<each Value: ColumnValue>: Sendable, Refinable {
    var content: SelectionContent

    init(_ content: SelectionContent) {
        self.content = content
    }

    /// Removes duplicates (SELECT DISTINCT).
    ///
    /// - Returns: The selection without duplicates.
    public func distinct() -> SelectQuery {
        refined { $0.content.clauses.isDistinct = true }
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
        try refined { $0.content.clauses.limit = min(content.clauses.limit ?? 1, 1) }.fetch(in: db).first
    }

    /// The number of rows.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with `sql`, or the engine's failure.
    public func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        try db.value("SELECT count(*) FROM (\(content.sql))") ?? 0
    }

    static func read(_ row: borrowing Row, _ forms: [StoredForm?]) throws -> (repeat each Value) {
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
        SelectQuery(
            SelectionContent(
                Source.evaluate(expressions), from: .name(Source.schema.name), try resolved(), of: [Source.schema]))
    }
}

struct SelectionContent: Sendable {
    let expressions: [SQL]
    private let source: SQL
    var clauses: QueryClauses
    private let tables: [TableSchema]

    init(_ expressions: [SQL], from source: SQL, _ clauses: QueryClauses, of tables: [TableSchema]) {
        self.expressions = expressions
        self.source = source
        self.clauses = clauses
        self.tables = tables
    }

    /// The name of a result column, which no table's column should have.
    static func column(_ index: Int) -> String { "strongroom_\(index)" }

    /// The values of a selection with one column, without NULL, for a list.
    var presentValues: SQL {
        let name = SQL.name(Self.column(0))
        return "SELECT \(name) FROM (\(sql(as: name))) WHERE \(name) IS NOT NULL"
    }

    var sql: SQL { sql(as: nil) }

    private func sql(as name: SQL?) -> SQL {
        var sql = SQL(reserving: 192)
        sql.append(text: clauses.isDistinct ? "SELECT DISTINCT " : "SELECT ")
        for (index, expression) in expressions.enumerated() {
            if index > 0 { sql.append(text: ", ") }
            sql.append(expression)
        }
        if let name { sql.append(" AS \(name)" as SQL) }
        sql.append(text: " FROM ")
        sql.append(source)
        clauses.append(to: &sql)
        for table in tables { sql.require(table.required) }
        return sql
    }
}

extension TableSchema {
    /// The table, for SQL that reads it.
    var required: RequiredTable {
        RequiredTable(name: name) { connection in try connection.prepareTable(self) }
    }
}
