/// The columns of one table in a join; the same names as elsewhere, but told apart from those of the other tables.
@dynamicMemberLookup
public struct JoinedColumns<Source: Table>: Sendable {
    let alias: String

    @usableFromInline
    init(alias: String) {
        self.alias = alias
    }

    /// A column.
    public subscript<V>(dynamicMember column: KeyPath<Source.Columns, Column<V>>) -> JoinedColumn<V> {
        let definition = Source.columns[keyPath: column].definition
        let sql = SQL(verbatim: "\(alias).\(Identifier.quote(definition.name))")
        return JoinedColumn(sql: sql.scaled(definition.scale))
    }
}

/// The columns of a table that a left join may find no row of: all of them can be NULL, also those that the table
/// declares otherwise.
///
/// ```swift
/// let lonely = try Contact.leftJoin(Order.self) { contact, order in contact.id == order.contactID }
///     .where { _, order in order.id == nil }
/// ```
@dynamicMemberLookup
public struct OuterColumns<Source: Table>: Sendable {
    let alias: String

    @usableFromInline
    init(alias: String) {
        self.alias = alias
    }

    /// A column, which is NULL where there is no row.
    public subscript<V>(dynamicMember column: KeyPath<Source.Columns, Column<V>>) -> JoinedColumn<V.Unwrapped?> {
        JoinedColumn(sql: JoinedColumns<Source>(alias: alias)[dynamicMember: column].sql)
    }
}

/// A column of one table in a join.
public struct JoinedColumn<Value: ColumnValue>: SQLExpression {
    /// The column's name with that of its table.
    public let sql: SQL
}
