/// Rows of a table within another query: they exist or not, are counted, or give a value.
///
/// A subquery is created inside the closure of the outer query, whose columns it may use:
///
/// ```swift
/// let list = try Patient.query.select { patient in
///     let visits = Subquery(Appointment.self) { visit in visit.patient == patient.id }
///     return (patient.name, visits.count, visits.value { $0.date.max() })
/// }
/// .fetch(in: db)                                                  // [(String, Int, Date?)]
/// ```
///
/// Its table has an alias, so that each column is that of the table whose closure received it, also in a subquery of
/// the outer table itself. See SQLite's documentation, "SQL Language Expressions", sections 9 to 12
/// (sqlite.org/lang_expr.html).
///
/// ## Topics
///
/// ### Which rows
///
/// - ``where(_:)``
/// - ``order(_:)``
/// - ``limit(_:offset:)``
///
/// ### In the outer query
///
/// - ``exists``
/// - ``count``
/// - ``value(_:)``
/// - ``first(_:)``
/// - ``select(_:)``
public struct Subquery<Source: Table>: Sendable, Refinable {
    private let alias: String
    private var clauses = QueryClauses()

    /// All rows of a table.
    public init(_ table: Source.Type) {
        alias = "s\(QueryScope.depth)"
    }

    /// The rows of a table for which a condition is true.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - condition: Makes the condition from the table's columns, and from those of the outer query.
    public init(_ table: Source.Type, _ condition: (JoinedColumns<Source>) -> Condition) {
        self = Self(table).where(condition)
    }

    private var columns: JoinedColumns<Source> { JoinedColumns(alias: alias) }

    private func evaluate<E: SQLExpression>(_ expression: (JoinedColumns<Source>) -> E) -> SQL {
        let scope = begin()
        return scope.end([expression(columns).sql])[0]
    }

    private func begin() -> RunningScope { RunningScope(QueryScope(Source.schema, aliases: [alias])) }

    // MARK: Which rows

    /// Adds a condition; rows must match all conditions of the subquery.
    ///
    /// - Parameter condition: Makes the condition from the table's columns, and from those of the outer query.
    /// - Returns: The subquery with the condition.
    public func `where`(_ condition: (JoinedColumns<Source>) -> Condition) -> Subquery {
        refined { $0.clauses.add(Condition(enclosed: evaluate(condition))) }
    }

    /// Adds orderings; earlier ones have priority.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the table's columns.
    /// - Returns: The sorted subquery.
    public func order(@OrderingBuilder _ orderings: (JoinedColumns<Source>) -> [Ordering]) -> Subquery {
        let scope = begin()
        let added = scope.end(orderings(columns))
        return refined { $0.clauses.orderings += added }
    }

    /// Limits the number of rows.
    ///
    /// - Parameters:
    ///   - count: The maximum number of rows; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of rows to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited subquery.
    public func limit(_ count: Int, offset: Int = 0) -> Subquery {
        refined { $0.clauses.limit(to: count, offset: offset) }
    }

    // MARK: In the outer query

    /// Whether there is a row.
    ///
    /// ```swift
    /// let absent = Patient.where { patient in
    ///     !Subquery(Appointment.self) { $0.patient == patient.id }.exists
    /// }
    /// ```
    public var exists: Condition {
        var sql: SQL = "EXISTS "
        sql.append(rows("1"))
        return Condition(enclosed: sql)
    }

    /// The number of rows, taking the limit into account.
    public var count: Computed<Int> {
        value { _ in RowCount() }
    }

    /// An aggregate of the rows, taking the limit into account.
    ///
    /// - Parameter expression: Makes the aggregate from the table's columns. For an expression that is no aggregate,
    ///   the value is that of any of the rows; see ``first(_:)``.
    /// - Returns: The value, of which there is one for each row of the outer query. If the expression has columns of
    ///   outer queries only, running the query throws ``StrongroomError`` with `sql`, since the engine would aggregate
    ///   the rows of the outer query.
    public func value<E: SQLExpression>(_ expression: (JoinedColumns<Source>) -> E) -> Computed<E.Value> {
        var value = evaluate(expression)
        if value.isOnlyOfOthers(than: alias) { value.fail(Self.noOwnColumn) }
        var plain = self
        plain.clauses.orderings = []
        guard clauses.hasLimit else { return Computed(enclosed: plain.rows(value)) }
        // The rows are limited before they are aggregated.
        plain.clauses = QueryClauses()
        let rows = clauses.sql(after: "SELECT \(alias).* FROM \(table.text)")
        return Computed(enclosed: plain.rows(value, of: "(\(rows)) AS \(SQL(verbatim: alias))"))
    }

    /// The value of the first row in the subquery's order.
    ///
    /// ```swift
    /// let notes = try Patient.query.select { patient in
    ///     Subquery(Appointment.self) { $0.patient == patient.id }.order { $0.date.descending }.first { $0.note }
    /// }
    /// ```
    ///
    /// - Parameter expression: Makes the expression from the table's columns.
    /// - Returns: The value; nil if there is no row.
    public func first<E: SQLExpression>(
        _ expression: (JoinedColumns<Source>) -> E
    ) -> Computed<E.Value.Unwrapped?> {
        var one = self
        one.clauses.limit = min(clauses.limit ?? 1, 1)
        return Computed(enclosed: one.rows(evaluate(expression)))
    }

    /// The values of an expression, for `isIn`.
    ///
    /// - Parameter expression: Makes the expression from the table's columns.
    /// - Returns: The values.
    public func select<E: SQLExpression>(_ expression: (JoinedColumns<Source>) -> E) -> SelectQuery<E.Value> {
        SelectQuery(SelectionContent([evaluate(expression)], from: table, clauses, of: [Source.schema]))
    }

    private static var noOwnColumn: StrongroomError {
        StrongroomError(
            .notTranslatable,
            """
            The value of a subquery has columns of the outer query only, whose rows the engine would aggregate; use a \
            column of table "\(Source.schema.name)", or `count`.
            """)
    }

    // MARK: SQL

    private var table: SQL { SQL(verbatim: "\(Source.schema.quotedName) AS \(alias)") }

    private func rows(_ expression: SQL, of source: SQL? = nil) -> SQL {
        let rows = SelectionContent([expression], from: source ?? table, clauses, of: [Source.schema])
        return ("(\(rows.sql))" as SQL).inForm(expression.form)
    }
}

extension Table {
    /// Whether a row exists, for each row of an outer query.
    ///
    /// ```swift
    /// let absent = try Patient.where { patient in
    ///     !Appointment.exists { visit in visit.patient == patient.id && visit.date >= newYear }
    /// }
    /// .fetch(in: db)
    /// ```
    ///
    /// - Parameter condition: Makes the condition from the table's columns, and from those of the outer query.
    /// - Returns: The condition.
    public static func exists(_ condition: (JoinedColumns<Self>) -> Condition) -> Condition {
        Subquery(Self.self, condition).exists
    }
}

extension SQLExpression {
    /// The value is one of those that a query selects.
    ///
    /// ```swift
    /// let recent = try Appointment.where { $0.date >= newYear }.select { $0.patient }
    /// let seen = try Patient.where { $0.id.isIn(recent) }.fetch(in: db)
    /// ```
    ///
    /// A NULL among the selected values is ignored, so that the negation is true for values that are not among the
    /// others; the condition is unknown if the value itself is NULL, as with every comparison.
    ///
    /// - Parameter selection: The selection of one expression. Decimals must have the same scale on both sides;
    ///   otherwise running the query throws ``StrongroomError`` with `notTranslatable`.
    /// - Returns: The condition.
    public func isIn<Other: ColumnValue>(_ selection: SelectQuery<Other>) -> Condition
    where Other.Unwrapped == Value.Unwrapped {
        // Also of a type that is not optional: a computed value may be NULL, as `a / 0`.
        isIn(selection.content.presentValues, of: selection.content.expressions[0])
    }

    /// The value is one of the keys of a query's rows.
    ///
    /// - Parameter query: A query of a table whose primary key has one column.
    /// - Returns: The condition. Running it throws ``StrongroomError`` with `sql` for a composite key, and
    ///   `notDeclared` for a table without a key.
    public func isIn<Source: Table>(_ query: Query<Source>) -> Condition
    where Source.Key == Value.Unwrapped, Source.Key: ColumnValue {
        do {
            let keys = try Source.schema.keyColumns()
            guard keys.count == 1 else {
                throw StrongroomError(
                    .notTranslatable,
                    """
                    The key of table "\(Source.schema.name)" has several columns; compare them with `exists`.
                    """)
            }
            let rows = SelectionContent(
                [keys[0].quoted], from: .name(Source.schema.name), try query.resolved(), of: [Source.schema])
            return isIn(rows.sql, of: keys[0].quoted)
        } catch {
            return Condition(failing: error as? StrongroomError ?? StrongroomError(.sql, "The table has no key."))
        }
    }

    private func isIn(_ values: SQL, of expression: SQL) -> Condition {
        var list = SQL(reserving: 128)
        list.append(sql)
        list.append(text: " IN (")
        list.append(values)
        list.append(text: ")")
        list.requireOneForm(sql, expression)
        return Condition(list)
    }
}
