extension Query {
    /// Joins the query's rows with those of another table (inner join).
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    /// - Throws: ``StrongroomError`` if the record of `after(_:)` has a value that cannot be stored.
    @inlinable
    public func join<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Source>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Source>, JoinedColumns<Other>), (Source.RecordType, Other.RecordType)> {
        let content = try JoinContent(self)
        let columns = (
            JoinedColumns<Source>(alias: JoinContent.firstAlias), JoinedColumns<Other>(alias: JoinContent.secondAlias)
        )
        let scope = content.beginCondition(with: Other.schema)
        let condition = scope.end(condition(columns.0, columns.1))
        let (left, right) = (Source.RecordType.columnNames.count, Other.RecordType.columnNames.count)
        return Join(content.adding(table, "JOIN", on: condition), columns) { reader in
            (try reader.next(Source.RecordType.self, left), try reader.next(Other.RecordType.self, right))
        }
    }

    /// Joins the query's rows with those of another table (left join): its record is nil in rows without a match. Its
    /// columns are optional from here on: `$1.total == nil` matches the rows without a match.
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    /// - Throws: As ``join(_:on:)``.
    @inlinable
    public func leftJoin<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Source>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Source>, OuterColumns<Other>), (Source.RecordType, Other.RecordType?)> {
        let content = try JoinContent(self)
        let columns = (
            JoinedColumns<Source>(alias: JoinContent.firstAlias), OuterColumns<Other>(alias: JoinContent.secondAlias)
        )
        let scope = content.beginCondition(with: Other.schema)
        let condition = scope.end(condition(columns.0, JoinedColumns(alias: columns.1.alias)))
        let (left, right) = (Source.RecordType.columnNames.count, Other.RecordType.columnNames.count)
        return Join(content.adding(table, "LEFT JOIN", on: condition), columns) { reader in
            (try reader.next(Source.RecordType.self, left), try reader.nextIfPresent(Other.RecordType.self, right))
        }
    }
}

extension Table {
    /// Joins the table with another (inner join).
    ///
    /// ```swift
    /// let pairs = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }.fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    @inlinable
    public static func join<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Self>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Self>, JoinedColumns<Other>), (RecordType, Other.RecordType)> {
        try Query<Self>().join(table, on: condition)
    }

    /// Joins the table with another (left join): its record is nil in rows without a match.
    ///
    /// - Parameters:
    ///   - table: The other table; the same table makes a self join.
    ///   - condition: Makes the condition from the columns of both tables.
    /// - Returns: The join.
    @inlinable
    public static func leftJoin<Other: Table>(
        _ table: Other.Type,
        on condition: (JoinedColumns<Self>, JoinedColumns<Other>) -> Condition
    ) throws -> Join<(JoinedColumns<Self>, OuterColumns<Other>), (RecordType, Other.RecordType?)> {
        try Query<Self>().leftJoin(table, on: condition)
    }
}
