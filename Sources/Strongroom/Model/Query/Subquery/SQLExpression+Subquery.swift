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
        // A computed value may be NULL although its type is not optional, as `a / 0`.
        isIn(selection.content, withoutNull: Other._isNullable || !selection.content.isOfColumns)
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
            return isIn(rows, withoutNull: false)
        } catch {
            return Condition(failing: error as? StrongroomError ?? StrongroomError(.sql, "The table has no key."))
        }
    }

    private func isIn(_ selection: SelectionContent, withoutNull: Bool) -> Condition {
        var list = SQL(reserving: 128)
        list.append(sql)
        list.append(text: " IN (")
        list.append(selection.values(withoutNull: withoutNull))
        list.append(text: ")")
        list.requireOneForm(sql, selection.expressions[0])
        return Condition(list)
    }
}
