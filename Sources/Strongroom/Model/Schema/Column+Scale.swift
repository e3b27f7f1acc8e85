#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Column where Value.Unwrapped == Decimal {
    /// Describes a column of decimals that are stored as scaled integers, which the engine sums exactly.
    ///
    /// The file declares it as `DECIMAL_INTEGER(2)` for a scale of 2, and stores 12.34 as the integer 1234. A number
    /// with more digits after the point, or beyond 64 bits, is refused and never rounded; see <doc:Types>.
    ///
    /// ```swift
    /// let price = Column<Decimal>("price", scale: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The column's name; any text but an empty one.
    ///   - scale: The number of digits after the point, from 0 to 18. With another one, making the table and using the
    ///     column in a query fail with `invalidName`.
    ///   - primaryKey: Whether it belongs to the table's primary key; it is never the row's id.
    ///   - unique: Whether no two rows may have the same value.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value that a new row gets in place of nil.
    ///   - references: The row of another table, or of this one, that the value points to.
    ///   - check: What must hold for each row, as SQL without bound values, in which the value is the integer:
    ///     `"price >= 0"`.
    ///   - generated: What the engine computes the column from: an integer of the scale.
    ///   - previously: The name that the column had before, as in the form without a scale.
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
        previously: String? = nil
    ) {
        let form = SQL(verbatim: "").scaled(DecimalScale(scale))
        definition = ColumnDefinition(
            name: name,
            storageClass: .integer,
            declaredType: DecimalScale.declaredType(scale),
            isNullable: Value.isNullable && !primaryKey,
            isPrimaryKey: primaryKey,
            isAutoincrementing: false,
            isUnique: unique,
            isIndexed: indexed,
            defaultValue: `default`.map { value in Result { try form.stored(value) } },
            references: references,
            check: check,
            collation: nil,
            generated: generated,
            previousName: previously,
            fault: form.scale == nil ? DecimalScale.refusal(scale, "Column \"\(name)\"") : nil
        )
    }
}
