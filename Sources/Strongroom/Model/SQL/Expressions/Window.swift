/// The rows around each row that a window function reads (ROWS BETWEEN … AND …).
public struct WindowFrame: Sendable, Hashable {
    let sql: String

    /// The rows from a number before the current row to a number after it.
    ///
    /// - Parameters:
    ///   - preceding: The number of rows before the current one; nil for all of them. A negative number begins after
    ///     it.
    ///   - following: The number of rows after the current one; nil for all of them. A negative number ends before it.
    /// - Returns: The frame; if it ends before it begins, running the statement throws ``StrongroomError`` with `sql`.
    public static func rows(preceding: Int?, following: Int? = 0) -> WindowFrame {
        let start = preceding.map { bound($0, "PRECEDING", "FOLLOWING") } ?? "UNBOUNDED PRECEDING"
        let end = following.map { bound($0, "FOLLOWING", "PRECEDING") } ?? "UNBOUNDED FOLLOWING"
        return WindowFrame(sql: "ROWS BETWEEN \(start) AND \(end)")
    }

    private static func bound(_ rows: Int, _ direction: String, _ opposite: String) -> String {
        rows == 0 ? "CURRENT ROW" : "\(rows.magnitude) \(rows > 0 ? direction : opposite)"
    }
}

/// A function that is computed over other rows of the result, which are not grouped.
///
/// ```swift
/// let numbered = try Appointment.query.select { visit in
///     (visit.id, WindowFunction.rowNumber().over(partitionedBy: visit.patient, orderedBy: visit.date.ascending))
/// }
/// .fetch(in: db)
/// ```
///
/// Aggregates also have ``SQLExpression/over(partitionedBy:orderedBy:frame:)``. Engines before SQLite 3.25 have no
/// window functions: running the statement throws ``StrongroomError`` with `notSupported` before the engine sees it.
/// See SQLite's documentation, "Window Functions" (sqlite.org/windowfunctions.html).
public struct WindowFunction<Value: ColumnValue>: Sendable {
    let sql: SQL

    private init(_ sql: SQL) {
        self.sql = sql
    }

    /// The function over some rows of the result.
    ///
    /// - Parameters:
    ///   - parts: The expressions by whose values the rows are partitioned; without them, all rows are one partition.
    ///   - orderings: The order of the rows within a partition.
    /// - Returns: The value, for a selection or an order of the query.
    public func over<each P: SQLExpression>(
        partitionedBy parts: repeat each P, orderedBy orderings: Ordering...
    ) -> Computed<Value> {
        var list: [SQL] = []
        repeat list.append((each parts).sql)
        return Computed(enclosed: sql.over(list, orderings, nil))
    }
}

extension WindowFunction where Value == Int {
    /// The number of the row in its partition, from 1.
    public static func rowNumber() -> WindowFunction { WindowFunction("row_number()") }

    /// The row's rank in the order, with gaps after equal rows.
    public static func rank() -> WindowFunction { WindowFunction("rank()") }

    /// The row's rank in the order, without gaps.
    public static func denseRank() -> WindowFunction { WindowFunction("dense_rank()") }
}

extension WindowFunction {
    /// The value of an expression in a row before the current one.
    ///
    /// - Parameters:
    ///   - expression: The expression.
    ///   - rows: The distance; a negative one is that of a row after the current one.
    /// - Returns: The function; nil if there is no such row.
    public static func previous<E: SQLExpression>(_ expression: E, by rows: Int = 1) -> WindowFunction
    where Value == E.Value.Unwrapped? {
        WindowFunction(distant(rows < 0 ? "lead" : "lag", expression.sql, rows.magnitude))
    }

    /// The value of an expression in a row after the current one.
    ///
    /// - Parameters:
    ///   - expression: The expression.
    ///   - rows: The distance; a negative one is that of a row before the current one.
    /// - Returns: The function; nil if there is no such row.
    public static func next<E: SQLExpression>(_ expression: E, by rows: Int = 1) -> WindowFunction
    where Value == E.Value.Unwrapped? {
        WindowFunction(distant(rows < 0 ? "lag" : "lead", expression.sql, rows.magnitude))
    }

    private static func distant(_ name: String, _ expression: SQL, _ rows: UInt) -> SQL {
        let sql: SQL = "\(SQL(verbatim: name))(\(expression), \(SQL(verbatim: "\(rows)")))"
        return sql.inForm(expression.form)
    }
}

extension SQLExpression {
    /// An aggregate over some rows of the result, which are not grouped.
    ///
    /// ```swift
    /// let running = try Invoice.query.select { invoice in
    ///     (invoice.id, invoice.amount.sum().over(partitionedBy: invoice.patient, orderedBy: invoice.date.ascending))
    /// }
    /// .fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - parts: The expressions by whose values the rows are partitioned; without them, all rows are one partition.
    ///   - orderings: The order of the rows within a partition. With an order, the aggregate is of the rows up to the
    ///     current one and those equal to it.
    ///   - frame: The rows around the current one that are aggregated instead.
    /// - Returns: The value, for a selection or an order of the query. Running it throws ``StrongroomError`` with
    ///   `notSupported` before SQLite 3.25, and with `sql` for an expression that is no aggregate.
    public func over<each P: SQLExpression>(
        partitionedBy parts: repeat each P, orderedBy orderings: Ordering..., frame: WindowFrame? = nil
    ) -> Computed<Value> {
        var list: [SQL] = []
        repeat list.append((each parts).sql)
        return Computed(enclosed: sql.over(list, orderings, frame))
    }
}

extension SQL {
    fileprivate func over(_ parts: [SQL], _ orderings: [Ordering], _ frame: WindowFrame?) -> SQL {
        var sql = self
        sql.append(text: " OVER (")
        var needsSpace = false
        for (index, part) in parts.enumerated() {
            sql.append(text: index == 0 ? "PARTITION BY " : ", ")
            sql.append(part)
            needsSpace = true
        }
        for (index, ordering) in orderings.enumerated() {
            sql.append(text: index == 0 ? (needsSpace ? " ORDER BY " : "ORDER BY ") : ", ")
            sql.append(ordering.sql)
            needsSpace = true
        }
        if let frame { sql.append(text: (needsSpace ? " " : "") + frame.sql) }
        sql.append(text: ")")
        sql.require(\.hasWindowFunctions, "window functions")
        return sql
    }
}
