extension Query {
    /// Joins the query's rows with those of another table; rows without a partner are left out.
    ///
    /// - Parameters:
    ///   - table: The other table; the same one joins the table with itself.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join, to refine or to run.
    /// - Throws: ``StrongroomError`` when the record of `after(_:)` has a value that cannot be stored.
    public func join<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Source>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<InnerPart<Source>, InnerPart<Other>> {
        let condition = condition(JoinedColumns(alias: "t0"), JoinedColumns(alias: "t1"))
        return Join(try JoinContent(self).adding(table, "JOIN", as: "t1", on: condition))
    }

    /// Joins the query's rows with those of another table; rows without a partner have nil in its place. What is asked
    /// of the other table's columns from here on, they can be nil: `$1.total == nil` finds the rows without a partner.
    ///
    /// - Parameters:
    ///   - table: The other table; the same one joins the table with itself.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join, to refine or to run.
    /// - Throws: As ``join(_:on:)``.
    public func leftJoin<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Source>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<InnerPart<Source>, OuterPart<Other>> {
        let condition = condition(JoinedColumns(alias: "t0"), JoinedColumns(alias: "t1"))
        return Join(try JoinContent(self).adding(table, "LEFT JOIN", as: "t1", on: condition))
    }
}

extension Table {
    /// Joins the table with another; rows without a partner are left out.
    ///
    /// ```swift
    /// let pairs = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }.fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - table: The other table; the same one joins the table with itself.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join, to refine or to run.
    public static func join<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Self>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<InnerPart<Self>, InnerPart<Other>> {
        try Query<Self>().join(table, on: condition)
    }

    /// Joins the table with another; rows without a partner have nil in its place.
    ///
    /// - Parameters:
    ///   - table: The other table; the same one joins the table with itself.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join, to refine or to run.
    public static func leftJoin<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Self>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<InnerPart<Self>, OuterPart<Other>> {
        try Query<Self>().leftJoin(table, on: condition)
    }
}
