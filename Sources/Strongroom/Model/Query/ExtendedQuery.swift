/// The records of a query, each with values that the engine computes beside it.
///
/// ```swift
/// let list = try Patient.order { $0.name.ascending }
///     .with { patient in
///         let visits = Subquery(Appointment.self) { visit in visit.patient == patient.id }
///         return (visits.count, visits.value { $0.date.max() })
///     }
///     .fetch(in: db)                                              // [(Patient, Int, Date?)]
/// ```
///
/// See ``Query/with(_:)``.
public struct ExtendedQuery<Source: Table, each Extra: ColumnValue>: Sendable, Refinable {
    private let query: Query<Source>
    private let expressions: [SQL]
    /// The order and the limit that follow the query's own.
    private var clauses = QueryClauses()

    init(_ query: Query<Source>, _ expressions: [SQL]) {
        self.query = query
        self.expressions = expressions
    }

    /// Sorts the records by the values beside them, before the query's own order.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the values.
    /// - Returns: The sorted query.
    public func order(@OrderingBuilder _ orderings: (repeat Computed<each Extra>) -> [Ordering]) -> ExtendedQuery {
        var index = -1
        var copy = self
        copy.clauses.orderings += orderings(repeat Self.column((each Extra).self, &index, expressions))
        return copy
    }

    /// Limits the number of records.
    ///
    /// - Parameters:
    ///   - count: The maximum number of records; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of records to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited query.
    public func limit(_ count: Int, offset: Int = 0) -> ExtendedQuery {
        refined { $0.clauses.limit(to: count, offset: offset) }
    }

    /// Runs the query.
    ///
    /// - Parameter db: A transaction.
    /// - Returns: A tuple of the record and its values, for each row.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, `sql` (also for a limit of both queries), or the engine's
    ///   failure.
    public func fetch(in db: borrowing some Reading & ~Copyable) throws -> [(Source.RecordType, repeat each Extra)] {
        let connection = db._handle.connection
        try connection.prepareTable(Source.schema)
        let statement = try connection.statement(for: sql())
        defer { statement.finish() }
        let count = Source.RecordType.columnNames.count
        let forms = expressions.map(\.form)
        let extra = Row(statement, from: count, count: forms.count)
        let row = Row(statement, from: 0, count: count)
        var rows: [(Source.RecordType, repeat each Extra)] = []
        do {
            while try statement.step() {
                let record = try Source.RecordType(row: row)
                let values = try SelectQuery<repeat each Extra>.read(extra, forms)
                rows.append((record, repeat each values))
            }
        } catch {
            throw query.located(error, at: nil, on: connection)
        }
        return rows
    }

    private static func column<V: ColumnValue>(
        _ type: V.Type, _ index: inout Int, _ expressions: [SQL]
    ) -> Computed<V> {
        index += 1
        return Computed(enclosed: SQL.name(SelectionContent.column(index)).inForm(expressions[index].form))
    }

    private func sql() throws -> SQL {
        var rows = try query.resolved()
        guard !rows.hasLimit || clauses.isPlain else {
            throw StrongroomError(
                .notTranslatable,
                "The query has a limit before its records are sorted by other values; set the limit after that.")
        }
        rows.orderings = clauses.orderings + rows.orderings
        if clauses.hasLimit { (rows.limit, rows.offset) = (clauses.limit, clauses.offset) }
        let columns = SQL(verbatim: Source.RecordType.columnNames.map(Identifier.quote).joined(separator: ", "))
        let named = expressions.enumerated().map { "\($1) AS \(SQL(verbatim: SelectionContent.column($0)))" as SQL }
        return SelectionContent([columns] + named, from: .name(Source.schema.name), rows, of: []).sql
    }
}

extension Query {
    /// Computes values beside each record of the query, for instance aggregates of its children.
    ///
    /// - Parameter expressions: Makes a tuple of expressions from the table's columns, mostly with ``Subquery``.
    /// - Returns: The query of records and values.
    public func with<each E: SQLExpression>(
        _ expressions: (Source.Columns) -> (repeat each E)
    ) -> ExtendedQuery<Source, repeat (each E).Value> {
        ExtendedQuery(self, Source.evaluate(expressions))
    }
}
