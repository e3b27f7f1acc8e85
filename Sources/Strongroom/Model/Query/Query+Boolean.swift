extension Query {
    /// Adds a column of type `Bool` or `Bool?` as a condition: its value must be true.
    ///
    /// ```swift
    /// let active = try Contact.query.where { $0.isActive }.fetch(in: db)
    /// ```
    ///
    /// - Parameter flag: Returns the column.
    /// - Returns: The query with the condition.
    // Disfavored, so that the solver tries it last: see the operators of BooleanExpression.
    @_disfavoredOverload
    public func `where`<Flag: BooleanExpression>(_ flag: (Source.Columns) -> Flag) -> Query {
        self.where { flag($0).isTrue }
    }
}

extension Table {
    /// A query for the records in which a column of type `Bool` or `Bool?` is true.
    ///
    /// ```swift
    /// let active = try Contact.where { $0.isActive }.fetch(in: db)
    /// ```
    ///
    /// - Parameter flag: Returns the column.
    /// - Returns: The query.
    @_disfavoredOverload
    public static func `where`<Flag: BooleanExpression>(_ flag: (Columns) -> Flag) -> Query<Self> {
        Query<Self>().where { flag($0).isTrue }
    }
}
