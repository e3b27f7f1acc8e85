/// A query for single values instead of records: some expressions for each row, or for each group.
///
/// ```swift
/// let cities = try Contact.group { $0.city }
///     .having { _ in RowCount() > 1 }
///     .select { ($0.city, RowCount(), $0.age.average()) }
///     .fetch(in: db)                                    // [(String, Int, Double?)]
/// ```
public struct Selection<each Value: ColumnValue>: Sendable {
    private let expressions: [SQL]
    private let source: SQL
    private var clauses: QueryClauses
    private let tables: [TableSchema]

    init(_ expressions: [SQL], from source: SQL, _ clauses: QueryClauses, of tables: [TableSchema]) {
        self.tables = tables
        self.expressions = expressions
        self.source = source
        self.clauses = clauses
    }

    /// Removes duplicates (SELECT DISTINCT).
    ///
    /// - Returns: The selection without duplicates.
    public func distinct() -> Selection {
        var copy = self
        copy.clauses.isDistinct = true
        return copy
    }

    /// Runs the selection.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The values, a tuple for each row.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, `sql`, or the engine's failure.
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [(repeat each Value)] {
        for table in tables { try db.handle.connection.prepareTable(table) }
        var rows: [(repeat each Value)] = []
        let scales = expressions.map(\.scale)
        try db.forEachRow(sql) { row in rows.append(try Self.read(row, scales)) }
        return rows
    }

    /// The values of the first row.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The values, or nil if there is no row.
    /// - Throws: As ``fetch(in:)``.
    public func first(in db: borrowing some Reading & ~Copyable) throws -> (repeat each Value)? {
        var copy = self
        copy.clauses.limit = min(clauses.limit ?? 1, 1)
        return try copy.fetch(in: db).first
    }

    /// The number of rows.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: The number.
    /// - Throws: ``StrongroomError`` with `sql`, or the engine's failure.
    public func count(in db: borrowing some Reading & ~Copyable) throws -> Int {
        for table in tables { try db.handle.connection.prepareTable(table) }
        return try db.value("SELECT count(*) FROM (\(sql))") ?? 0
    }

    private static func read(_ row: borrowing Row, _ scales: [StoredForm?]) throws -> (repeat each Value) {
        var place = -1
        func next() -> Int {
            place += 1
            return place
        }
        return (repeat try value((each Value).self, row, next(), scales))
    }

    private static func value<V: ColumnValue>(
        _ type: V.Type, _ row: borrowing Row, _ place: Int, _ scales: [StoredForm?]
    ) throws -> V {
        try row.value(at: place, scale: scales[place])
    }

    /// The statement.
    var sql: SQL {
        var sql = SQL(reserving: 128)
        sql.append(text: clauses.isDistinct ? "SELECT DISTINCT " : "SELECT ")
        for (place, expression) in expressions.enumerated() {
            if place > 0 { sql.append(text: ", ") }
            sql.append(expression)
        }
        sql.append(text: " FROM ")
        sql.append(source)
        clauses.append(to: &sql)
        return sql
    }
}
