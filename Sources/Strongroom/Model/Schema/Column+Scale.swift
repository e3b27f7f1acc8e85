#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Column where Value.Unwrapped == Decimal {
    /// Declares a column of decimals that are stored as scaled integers, which the engine sums exactly.
    ///
    /// For a scale of 2, the declared type is `DECIMAL_INTEGER(2)`, and 12.34 is stored as the integer 1234. A number
    /// with more digits after the point, or one that exceeds 64 bits, is an error and never rounded; see <doc:Types>.
    ///
    /// ```swift
    /// let price = Column<Decimal>("price", scale: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The column's name; must not be empty.
    ///   - scale: The number of digits after the point, from 0 to 18. With any other, creating the table and using the
    ///     column in a query throw `invalidDeclaration`.
    ///   - primaryKey: Whether the column belongs to the primary key; it is never an alias of the row id.
    ///   - unique: Whether the values must be unique.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value of new rows in place of nil.
    ///   - references: The row of another table, or of this one, that the value references.
    ///   - check: A condition for every row, as SQL without bound values, in which the value is the integer:
    ///     `"price >= 0"`.
    ///   - generated: The expression of a generated column: an integer with the scale.
    ///   - previously: The column's previous name, as in the initialiser without a scale.
    ///   - initial: The value of a new row for which none is given, as in the initialiser without a scale.
    public init(
        _ name: String,
        scale: Int,
        primaryKey: Bool = false,
        unique: Bool = false,
        indexed: Bool = false,
        default: Value? = nil,
        references: Reference? = nil,
        check: SQL? = nil,
        generated: Generated? = nil,
        previously: String? = nil,
        initial: Value? = nil
    ) {
        let sample = SQL(verbatim: "").inForm(DecimalScale(scale).map { .decimal($0) })
        definition = ColumnDefinition(
            name: name,
            storageClass: .integer,
            declaredType: DecimalScale.declaredType(scale),
            isNullable: Value._isNullable && !primaryKey,
            isPrimaryKey: primaryKey,
            isAutoincrementing: false,
            isUnique: unique,
            isIndexed: indexed,
            defaultValue: `default`.map { value in Result { try sample.stored(value) } },
            initialValue: initial.map { value in Result { try sample.stored(value) } },
            references: references,
            check: check,
            collation: nil,
            generated: generated,
            previousName: previously,
            fault: sample.form == nil ? DecimalScale.refusal(scale, "Column \"\(name)\"") : nil
        )
    }
}
