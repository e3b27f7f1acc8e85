/// The tables, conditions, orderings and limits of a join.
@usableFromInline
struct JoinContent: Sendable {
    private struct Member {
        let alias: String
        let schema: TableSchema
        let recordColumns: [String]
    }

    private var source: SQL
    private var members: [Member] = []
    /// The suffix of the aliases, by which they differ from those of the query whose closure creates the join.
    private let suffix: String
    var clauses = QueryClauses()

    /// A join of one table's rows, to which other tables are added.
    @usableFromInline
    init<Source: Table>(_ query: Query<Source>) throws {
        let table = Source.schema.quotedName
        let rows = try query.resolved()
        suffix = Self.suffix
        let alias = Self.firstAlias
        // As a subquery: its rows are limited and sorted before they are joined.
        source =
            rows.isPlain
            ? SQL(verbatim: "\(table) AS \(alias)")
            : "(\(rows.sql(after: "SELECT * FROM \(table)"))) AS \(SQL(verbatim: alias))"
        add(Source.self)
    }

    private static var suffix: String { QueryScope.depth == 0 ? "" : "_\(QueryScope.depth)" }
    /// The aliases of the first two tables of a join that is created now.
    @usableFromInline static var firstAlias: String { "t0\(suffix)" }
    @usableFromInline static var secondAlias: String { "t1\(suffix)" }

    @usableFromInline var nextAlias: String { "t\(members.count)\(suffix)" }

    func begin() -> RunningScope {
        RunningScope(QueryScope(nil, members.map(\.schema), aliases: members.map(\.alias)))
    }

    /// Begins the closure of a condition by which a table is added.
    @usableFromInline
    func beginCondition(with added: TableSchema) -> RunningScope {
        RunningScope(QueryScope(nil, members.map(\.schema) + [added], aliases: members.map(\.alias) + [nextAlias]))
    }

    private mutating func add<Source: Table>(_ table: Source.Type) {
        members.append(
            Member(alias: nextAlias, schema: Source.schema, recordColumns: Source.RecordType.columnNames))
    }

    @usableFromInline
    func adding<Other: Table>(_ table: Other.Type, _ verb: String, on condition: Condition) -> JoinContent {
        var copy = self
        copy.source.append(text: " \(verb) \(Identifier.quote(Other.schema.name)) AS \(nextAlias) ON ")
        copy.source.append(condition.sql)
        copy.add(table)
        return copy
    }

    func selection(of list: [SQL]) -> SelectionContent {
        SelectionContent(list, from: source, clauses, of: members.map(\.schema))
    }

    /// The columns of each table's record, one table after the other.
    private var recordColumns: String {
        members.flatMap { member in member.recordColumns.map { "\(member.alias).\(Identifier.quote($0))" } }
            .joined(separator: ", ")
    }

    var count: SQL { "SELECT count(*) FROM (\(presence))" }

    /// A statement that has a row for each row of the join. With DISTINCT, an offset applies to the selected rows.
    var presence: SQL { sql(clauses.isDistinct ? recordColumns : "1") }

    @usableFromInline
    func statement(on connection: Connection) throws -> Statement {
        try connection.statement(for: sql(recordColumns))
    }

    private func sql(_ columns: String) -> SQL { selection(of: [SQL(verbatim: columns)]).sql }

    func fetch<R: Record>(
        _ type: R.Type,
        _ expressions: [SQL],
        in db: borrowing some Reading & ~Copyable
    ) throws -> [R] {
        guard expressions.count == R.columnNames.count else {
            throw StrongroomError(
                .invalidArgument,
                "\(R.self) has \(R.columnNames.count.counting("column")); chosen for them: \(expressions.count).")
        }
        let named = zip(expressions, R.columnNames).map { "\($0) AS \(name: $1)" as SQL }
        var records: [R] = []
        try db.forEachRow(selection(of: named).sql) { row in records.append(try R(row: row)) }
        return records
    }

    /// Adds the table (the index of its part) and the row (its index) to an error about a value of the wrong type.
    @usableFromInline
    func located(_ error: any Error, in part: Int, at number: Int, on connection: Connection) -> any Error {
        guard let error = error as? StrongroomError, error.mismatch != nil else { return error }
        let member = members[part]
        // The original error is the one to report.
        let rowID = try? rowID(of: member, at: number, on: connection)
        return error.located(in: member.schema.name, rowID: rowID)
    }

    private func rowID(of member: Member, at number: Int, on connection: Connection) throws -> Int64? {
        guard !clauses.isDistinct else { return nil }
        var one = self
        one.clauses.limit = 1
        one.clauses.offset += number
        // With the records' columns, so that the engine returns the rows in the same order.
        let statement = try connection.statement(for: one.sql("\(member.alias).rowid, \(recordColumns)"))
        defer { statement.finish() }
        return try statement.step() ? Row(statement).integer(at: 0) : nil
    }
}

/// Reads the records of a join's row in sequence.
@usableFromInline
struct JoinReader: ~Copyable {
    @usableFromInline let statement: Statement
    @usableFromInline var position = 0
    /// The index of the table whose record is read.
    @usableFromInline var part = -1

    @usableFromInline
    init(_ statement: Statement) {
        self.statement = statement
    }

    @inlinable
    mutating func beginRow() {
        position = 0
        part = -1
    }

    /// Reads the record of the next table, which has a number of columns.
    @inlinable
    mutating func next<R: Record>(_ type: R.Type, _ count: Int) throws -> R {
        let row = nextPart(count)
        return try R(row: row)
    }

    /// Reads the record of the next table; nil if all of its columns are NULL.
    @inlinable
    mutating func nextIfPresent<R: Record>(_ type: R.Type, _ count: Int) throws -> R? {
        let row = nextPart(count)
        for index in 0..<count where try !row.isNull(at: index) {
            return try R(row: row)
        }
        return nil
    }

    @inlinable
    mutating func nextPart(_ count: Int) -> Row {
        defer { position += count }
        part += 1
        return Row(statement, from: position, count: count)
    }
}

/// The columns of one table in a join, qualified with that table.
@dynamicMemberLookup
public struct JoinedColumns<Source: Table>: Sendable {
    @usableFromInline let alias: String

    @usableFromInline
    init(alias: String) {
        self.alias = alias
    }

    /// A column.
    public subscript<V>(dynamicMember column: KeyPath<Source.Columns, Column<V>>) -> Computed<V> {
        let definition = Source.columns[keyPath: column].definition
        let sql = SQL(verbatim: "\(alias).\(Identifier.quote(definition.name))")
        return Computed(enclosed: sql.inForm(definition.form))
    }
}

/// The columns of the right table of a left join: all of them can be NULL, including those declared NOT NULL.
///
/// ```swift
/// let lonely = try Contact.leftJoin(Order.self) { contact, order in contact.id == order.contactID }
///     .where { _, order in order.id == nil }
/// ```
@dynamicMemberLookup
public struct OuterColumns<Source: Table>: Sendable {
    @usableFromInline let alias: String

    @usableFromInline
    init(alias: String) {
        self.alias = alias
    }

    /// A column, which is NULL if there is no matching row.
    public subscript<V>(dynamicMember column: KeyPath<Source.Columns, Column<V>>) -> Computed<V.Unwrapped?> {
        Computed(enclosed: JoinedColumns<Source>(alias: alias)[dynamicMember: column].sql)
    }
}

extension Join {
    /// Adds a column of type `Bool` or `Bool?` as a condition: its value must be true.
    ///
    /// - Parameter flag: Returns the column.
    /// - Returns: The join with the condition.
    @_disfavoredOverload
    public func `where`<Flag: BooleanExpression>(_ flag: (Columns) -> Flag) -> Join {
        self.where { columns in flag(columns).isTrue }
    }
}
