extension SelectQuery {
    /// The rows of both selections, each once (UNION).
    ///
    /// ```swift
    /// let towns = try Patient.query.select { $0.city }.union(Doctor.query.select { $0.city })
    ///     .order { city in city.ascending }.fetch(in: db)
    /// ```
    ///
    /// Combinations are evaluated from left to right. The order of the single selections is lost; that of the result is
    /// set with ``order(_:)``. See SQLite's documentation, "SELECT", section 3 (sqlite.org/lang_select.html).
    ///
    /// - Parameter other: A selection of the same types. Decimals must have the same scale in both; otherwise running
    ///   the selection throws ``StrongroomError`` with `notTranslatable`.
    /// - Returns: The combined selection.
    public func union(_ other: SelectQuery) -> SelectQuery { combined("UNION", other) }

    /// The rows of one selection and then those of the other, including duplicates (UNION ALL).
    ///
    /// - Parameter other: A selection of the same types, as for ``union(_:)``.
    /// - Returns: The combined selection.
    public func unionAll(_ other: SelectQuery) -> SelectQuery { combined("UNION ALL", other) }

    /// The rows that both selections have, each once (INTERSECT).
    ///
    /// - Parameter other: A selection of the same types, as for ``union(_:)``.
    /// - Returns: The combined selection.
    public func intersection(_ other: SelectQuery) -> SelectQuery { combined("INTERSECT", other) }

    /// The rows that the other selection does not have, each once (EXCEPT).
    ///
    /// - Parameter other: A selection of the same types, as for ``union(_:)``.
    /// - Returns: The combined selection.
    public func subtracting(_ other: SelectQuery) -> SelectQuery { combined("EXCEPT", other) }

    private func combined(_ verb: String, _ other: SelectQuery) -> SelectQuery {
        SelectQuery(content.combined(verb, other.content))
    }

    /// Sorts the selected rows by their values.
    ///
    /// - Parameter orderings: Makes one ordering, or several as a tuple or as lines, from the selected values.
    /// - Returns: The sorted selection.
    public func order(@OrderingBuilder _ orderings: (repeat Computed<each Value>) -> [Ordering]) -> SelectQuery {
        var index = -1
        var copy = self
        copy.content.order(by: orderings(repeat Self.column((each Value).self, &index, content.expressions)))
        return copy
    }

    private static func column<V: ColumnValue>(
        _ type: V.Type, _ index: inout Int, _ expressions: [SQL]
    ) -> Computed<V> {
        index += 1
        return SelectionContent.column(index, type, expressions)
    }

    /// Limits the number of selected rows.
    ///
    /// - Parameters:
    ///   - count: The maximum number of rows; a negative one makes the query throw `invalidArgument`.
    ///   - offset: The number of rows to skip; a negative one makes the query throw `invalidArgument`.
    /// - Returns: The limited selection.
    public func limit(_ count: Int, offset: Int = 0) -> SelectQuery {
        var copy = self
        copy.content.limit(count, offset: offset)
        return copy
    }
}
