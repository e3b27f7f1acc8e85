/// The columns of one table in a join; the same names as elsewhere, but told apart from those of the other tables.
@dynamicMemberLookup
public struct JoinedColumns<Source: Table> {
    let alias: String

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
public struct OuterColumns<Source: Table> {
    let alias: String

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

/// A table in a join, and what it gives for each row: a record, or nil where a left join found none.
///
/// ``InnerPart`` and ``OuterPart`` conform; programs need not name them.
public protocol JoinPart: Sendable {
    /// The table.
    associatedtype Source: Table
    /// What it gives for each row.
    associatedtype Output: Sendable
    /// Its columns in conditions, orderings and selections.
    associatedtype Columns

    /// Makes the columns.
    ///
    /// - Parameter alias: What the table is called in the join.
    /// - Returns: The columns.
    static func columns(_ alias: String) -> Columns

    /// Reads the table's part of a row.
    ///
    /// - Parameter row: The part: the columns of the table's record.
    /// - Throws: ``StrongroomError`` with `typeMismatch` when a value does not fit.
    static func read(_ row: borrowing Row) throws -> Output
}

/// A table that a join finds a row of.
public enum InnerPart<Source: Table>: JoinPart {
    /// The columns, as they are declared.
    public static func columns(_ alias: String) -> JoinedColumns<Source> { JoinedColumns(alias: alias) }

    /// Reads the record.
    public static func read(_ row: borrowing Row) throws -> Source.RecordType {
        try Source.RecordType(row: row)
    }
}

/// A table that a left join may find no row of.
public enum OuterPart<Source: Table>: JoinPart {
    /// The columns, each of which can be NULL.
    public static func columns(_ alias: String) -> OuterColumns<Source> { OuterColumns(alias: alias) }

    /// Reads the record; nil where all of its columns are NULL.
    public static func read(_ row: borrowing Row) throws -> Source.RecordType? {
        for place in 0..<row.count where try !row.isNull(at: place) {
            return try Source.RecordType(row: row)
        }
        return nil
    }
}
