/// A value by conditions (CASE): that of the first condition which is true.
///
/// ```swift
/// let groups = try Patient.query.select { patient in
///     (patient.name, CaseExpression.when(patient.age < 18, then: "child").else("adult"))
/// }
/// .fetch(in: db)                                                  // [(String, String)]
/// ```
///
/// Without `else` the value is nil if no condition is true, so that aggregates do not count the row:
///
/// ```swift
/// let missed = try Appointment.query.value(in: db) { CaseExpression.when($0.isMissed == true, then: 1).count() }
/// ```
///
/// See SQLite's documentation, "SQL Language Expressions", section 7 (sqlite.org/lang_expr.html).
public struct CaseExpression<Result: ColumnValue>: SQLExpression {
    /// The result; nil if no condition is true.
    public typealias Value = Result.Unwrapped?

    private enum Branch: Sendable {
        case value(Result)
        case expression(SQL)
    }

    private var branches: [(condition: SQL, result: Branch)]

    private init(_ branches: [(condition: SQL, result: Branch)]) {
        self.branches = branches
    }

    /// Begins with a condition and its result.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - result: The result if it is true.
    /// - Returns: The expression.
    public static func when(_ condition: Condition, then result: Result) -> CaseExpression {
        CaseExpression([(condition.sql, .value(result))])
    }

    /// Begins with a condition and an expression as its result.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - result: The result if it is true.
    /// - Returns: The expression.
    public static func when<E: SQLExpression>(_ condition: Condition, then result: E) -> CaseExpression
    where E.Value == Result {
        CaseExpression([(condition.sql, .expression(result.sql))])
    }

    /// Adds a condition and its result.
    ///
    /// - Parameters:
    ///   - condition: The condition, which counts if none of the previous ones is true.
    ///   - result: The result if it is true.
    /// - Returns: The extended expression.
    public func when(_ condition: Condition, then result: Result) -> CaseExpression {
        CaseExpression(branches + [(condition.sql, .value(result))])
    }

    /// Adds a condition and an expression as its result.
    ///
    /// - Parameters:
    ///   - condition: The condition, which counts if none of the previous ones is true.
    ///   - result: The result if it is true.
    /// - Returns: The extended expression.
    public func when<E: SQLExpression>(_ condition: Condition, then result: E) -> CaseExpression
    where E.Value == Result {
        CaseExpression(branches + [(condition.sql, .expression(result.sql))])
    }

    /// The expression with a result for the case that no condition is true.
    ///
    /// - Parameter result: The result.
    /// - Returns: The complete expression.
    public func `else`(_ result: Result) -> Computed<Result> { Computed(enclosed: sql(else: .value(result))) }

    /// The expression with an expression for the case that no condition is true.
    ///
    /// - Parameter result: The result.
    /// - Returns: The complete expression.
    public func `else`<E: SQLExpression>(_ result: E) -> Computed<Result> where E.Value == Result {
        Computed(enclosed: sql(else: .expression(result.sql)))
    }

    /// The SQL: `NULL` if no condition is true.
    public var sql: SQL { sql(else: nil) }

    private func sql(else last: Branch?) -> SQL {
        let results = branches.map(\.result) + (last.map { [$0] } ?? [])
        let expressions = results.compactMap { if case .expression(let sql) = $0 { sql } else { nil } }
        // Values are stored in the form of the expressions beside them.
        let sample = SQL(verbatim: "").inForm(expressions.first?.form)
        var sql = SQL(reserving: 128)
        sql.append(text: "(CASE")
        for branch in branches {
            sql.append(text: " WHEN ")
            sql.append(branch.condition)
            sql.append(text: " THEN ")
            Self.append(branch.result, to: &sql, sample)
        }
        if let last {
            sql.append(text: " ELSE ")
            Self.append(last, to: &sql, sample)
        }
        sql.append(text: " END)")
        for expression in expressions { sql.requireOneForm(sample, expression) }
        return sql.inForm(sample.form)
    }

    private static func append(_ branch: Branch, to sql: inout SQL, _ sample: SQL) {
        switch branch {
        case .value(let value): sql.append { try sample.stored(value) }
        case .expression(let expression): sql.append(expression)
        }
    }
}
