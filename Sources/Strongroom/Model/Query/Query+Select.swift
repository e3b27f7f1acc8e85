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
    ) throws -> Selection<repeat (each E).Value> {
        try Selection(Source.made(expressions), from: .name(Source.schema.name), resolved(), of: [Source.schema])
    }

    /// Groups rows with equal values.
    ///
    /// ```swift
    /// let sizes = try Contact.query.group { ($0.country, $0.city) }.select { ($0.city, RowCount()) }.fetch(in: db)
    /// ```
    ///
    /// - Parameter expressions: Makes the expressions to group by from the table's columns.
    /// - Returns: The groups, of which values can be selected.
    public func group<each E: SQLExpression>(
        _ expressions: (Source.Columns) -> (repeat each E)
    ) -> GroupedQuery<Source> {
        GroupedQuery(self, by: Source.made(expressions))
    }
}
