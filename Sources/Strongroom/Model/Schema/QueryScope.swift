internal import Synchronization

/// A query whose closure is running, and the names by which the closure's columns are written.
///
/// A column is written without its table, which is ambiguous in a subquery: there the engine takes a name as one of the
/// inner table's. While closures of queries are nested, a column is therefore written with the table that its closure
/// received it from, and what cannot be told apart fails when the statement runs.
final class QueryScope {
    fileprivate static let current = ThreadLocal()
    /// The number of running closures, of all threads, that run within another one.
    fileprivate static let nestedClosures = Atomic<Int>(0)

    fileprivate let outer: QueryScope?
    private let level: Int
    /// The query's table, or the first one.
    private let schema: TableSchema?
    private let others: [TableSchema]
    /// The aliases of the query's tables; empty for a query whose table has no alias.
    private let aliases: [String]

    /// The number of closures that run on this thread, by which aliases of nested queries differ.
    static var depth: Int { innermost.map { $0.level + 1 } ?? 0 }

    /// Whether columns are to be written with their tables. Another thread's nested closures only cost time.
    static var isNested: Bool { nestedClosures.load(ordering: .relaxed) > 0 }

    private static var innermost: QueryScope? {
        current.value.map { Unmanaged<QueryScope>.fromOpaque($0).takeUnretainedValue() }
    }

    init(_ schema: TableSchema?, _ others: [TableSchema] = [], aliases: [String] = []) {
        outer = Self.innermost
        level = outer.map { $0.level + 1 } ?? 0
        self.schema = schema
        self.others = others
        self.aliases = aliases
    }

    var isNested: Bool { outer != nil }

    /// This query and those around it, from the inside.
    private var all: [QueryScope] {
        var scopes = [self]
        while let outer = scopes[scopes.count - 1].outer { scopes.append(outer) }
        return scopes
    }

    // MARK: Columns

    /// A column, with its table if a query's closure runs within another one.
    static func sql(of column: ColumnDefinition) -> SQL {
        guard let scopes = innermost?.all, scopes.count > 1 else { return column.quoted }
        let plain = scopes.indices.filter { scopes[$0].aliases.isEmpty && scopes[$0].schema != nil }
        let owners = plain.filter { index in scopes[index].schema?.columns.contains { $0 === column } ?? false }
        guard let owner = owners.first, let schema = scopes[owner].schema else { return column.quoted }
        let isHidden = scopes[..<owner].contains { $0.hidesTable(schema.name) }
        guard owners.count == 1, !isHidden else { return SQL(failing: twoTables(column.name, schema.name)) }
        var sql = SQL(verbatim: schema.quotedName + ".")
        sql.append(column.quoted)
        return sql.inForm(column.form)
    }

    private func hasColumn(_ name: String) -> Bool {
        func has(_ table: TableSchema) -> Bool { table.columns.contains { $0.name.isSameName(as: name) } }
        return schema.map(has) ?? false || others.contains(where: has)
    }

    /// Whether a table's name denotes one of this query's tables.
    private func hidesTable(_ name: String) -> Bool {
        if aliases.isEmpty { return schema?.name.isSameName(as: name) ?? false }
        return aliases.contains { $0.isSameName(as: name) }
    }

    // MARK: Faults

    /// What is ambiguous in the result of a nested closure.
    func fault(in result: [SQL]) -> StrongroomError? {
        let scopes = all
        for alias in aliases where scopes.dropFirst().contains(where: { $0.hidesTable(alias) }) {
            return StrongroomError(
                .notTranslatable,
                """
                A subquery or a join that was created outside of a query's closure is refined inside of it, so the \
                names of its tables mean two tables; create it inside the closure.
                """)
        }
        // Columns that were written with this table's name before this closure ran are those of an outer query.
        if aliases.isEmpty, let name = schema?.name, scopes.dropFirst().contains(where: { $0.hidesTable(name) }),
            let column = result.lazy.compactMap({ $0.column(of: name) }).first
        {
            return Self.twoTables(column, name)
        }
        for name in result.flatMap({ $0.unqualifiedNames }) where scopes.count(where: { $0.hasColumn(name) }) > 1 {
            return Self.twoTables(name, schema?.name ?? "")
        }
        return nil
    }

    private static func twoTables(_ column: String, _ table: String) -> StrongroomError {
        StrongroomError(
            .notTranslatable,
            """
            Column "\(column)" could be one of several tables in a query within a query\
            \(table.isEmpty ? "" : " of \"\(table)\""); make the inner query with `subquery` or `exists`, whose \
            columns have an alias, and calculate with the outer columns inside its closure.
            """)
    }
}

@usableFromInline
struct RunningScope: ~Copyable {
    let scope: QueryScope

    init(_ scope: QueryScope) {
        self.scope = scope
        QueryScope.current.value = Unmanaged.passUnretained(scope).toOpaque()
        if scope.isNested { QueryScope.nestedClosures.add(1, ordering: .relaxed) }
    }

    @usableFromInline
    init(of schema: TableSchema) {
        self.init(QueryScope(schema))
    }

    deinit {
        QueryScope.current.value = scope.outer.map { Unmanaged.passUnretained($0).toOpaque() }
        if scope.isNested { QueryScope.nestedClosures.subtract(1, ordering: .relaxed) }
    }

    // What an ended closure returned fails when the statement runs if it is ambiguous.

    @usableFromInline
    consuming func end(_ orderings: [Ordering]) -> [Ordering] {
        guard scope.isNested, let fault = scope.fault(in: orderings.map(\.expression)) else { return orderings }
        return [Ordering(failing: fault)]
    }

    @usableFromInline
    consuming func end(_ condition: consuming Condition) -> Condition {
        guard scope.isNested, let fault = scope.fault(in: [condition.sql]) else { return condition }
        return Condition(failing: fault)
    }

    consuming func end(_ expressions: [SQL]) -> [SQL] {
        guard scope.isNested, let fault = scope.fault(in: expressions) else { return expressions }
        return expressions.map { _ in SQL(failing: fault) }
    }
}

extension SQL {
    /// The quoted names without a table, besides those in subqueries, which were examined when they were created.
    fileprivate var unqualifiedNames: [String] {
        var names: [String] = []
        let tokens = [SQLToken](sql: text).filter { $0.kind != .space }
        var depth = 0
        /// The depth at which a subquery began.
        var subquery: Int?
        for (index, token) in tokens.enumerated() {
            let next = index + 1 < tokens.count ? tokens[index + 1] : nil
            if token.isSign("(") {
                depth += 1
                if subquery == nil, next?.isWord("SELECT", "WITH", "VALUES") ?? false { subquery = depth }
            } else if token.isSign(")") {
                if subquery == depth { subquery = nil }
                depth -= 1
            } else if token.kind == .quoted, subquery == nil, let name = token.name {
                let previous = index > 0 ? tokens[index - 1] : nil
                let isPart = next?.isSign(".") ?? false || previous?.isSign(".") ?? false
                let isOther = next?.isSign("(") ?? false || previous?.isWord("COLLATE") ?? false
                if !isPart, !isOther { names.append(name) }
            }
        }
        return names
    }

    /// The first column that is written with a table's name; nil if there is none.
    fileprivate func column(of table: String) -> String? {
        let tokens = [SQLToken](sql: text).filter { $0.kind != .space }
        let index = tokens.indices.dropLast(2).first { index in
            let isPart = index > 0 && tokens[index - 1].isSign(".")
            return !isPart && tokens[index].isNamed(table) && tokens[index + 1].isSign(".")
        }
        return index.flatMap { tokens[$0 + 2].name }
    }

    /// Whether the SQL names columns, but none with a table's alias.
    func isOnlyOfOthers(than alias: String) -> Bool {
        guard column(of: alias) == nil else { return false }
        let tokens = [SQLToken](sql: text).filter { $0.kind != .space }
        return tokens.indices.contains { index in
            guard tokens[index].kind == .quoted, tokens[index].name != nil else { return false }
            let isFunction = index + 1 < tokens.count && tokens[index + 1].isSign("(")
            return !isFunction && !(index > 0 && tokens[index - 1].isWord("COLLATE"))
        }
    }
}
