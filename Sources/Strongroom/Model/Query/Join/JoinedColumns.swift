/// The columns of one table in a join, qualified with that table.
@dynamicMemberLookup
public struct JoinedColumns<Source: Table>: Sendable {
    @usableFromInline let alias: String

    @usableFromInline
    init(alias: String) {
        self.alias = alias
    }

    /// A column.
    public subscript<V>(dynamicMember column: KeyPath<Source.Columns, Column<V>>) -> Computed<V> {
        let definition = Source.columns[keyPath: column].definition
        let sql = SQL(verbatim: "\(alias).\(Identifier.quote(definition.name))")
        return Computed(enclosed: sql.inForm(definition.form))
    }
}

/// The columns of the right table of a left join: all of them can be NULL, including those declared NOT NULL.
///
/// ```swift
/// let lonely = try Contact.leftJoin(Order.self) { contact, order in contact.id == order.contactID }
///     .where { _, order in order.id == nil }
/// ```
@dynamicMemberLookup
public struct OuterColumns<Source: Table>: Sendable {
    @usableFromInline let alias: String

    @usableFromInline
    init(alias: String) {
        self.alias = alias
    }

    /// A column, which is NULL if there is no matching row.
    public subscript<V>(dynamicMember column: KeyPath<Source.Columns, Column<V>>) -> Computed<V.Unwrapped?> {
        Computed(enclosed: JoinedColumns<Source>(alias: alias)[dynamicMember: column].sql)
    }
}

extension Join {
    /// Adds a column of type `Bool` or `Bool?` as a condition: its value must be true.
    ///
    /// - Parameter flag: Returns the column.
    /// - Returns: The join with the condition.
    @_disfavoredOverload
    public func `where`<Flag: BooleanExpression>(_ flag: (Columns) -> Flag) -> Join {
        self.where { columns in flag(columns).isTrue }
    }
}
