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
