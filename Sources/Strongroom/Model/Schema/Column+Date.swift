#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Column where Value.Unwrapped == Date {
    /// Declares a column of dates in another form than that of `Date`; see ``DateForm``.
    ///
    /// The declared type names the form: `ISO8601_TEXT`, for example.
    ///
    /// ```swift
    /// let due = Column<Date>("due", as: .iso8601)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The column's name; must not be empty.
    ///   - form: The form in which dates are stored.
    ///   - unique: Whether the values must be unique.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value of new rows in place of nil.
    ///   - references: The row of another table, or of this one, that the value references.
    ///   - check: A condition for every row, as SQL without bound values, in which the value has the form.
    ///   - generated: The expression of a generated column: a value in the form.
    ///   - previously: The column's previous name, as in the initialiser without a form.
    ///   - initial: The value of a new row for which none is given, as in the initialiser without a form.
    public init(
        _ name: String,
        as form: DateForm,
        unique: Bool = false,
        indexed: Bool = false,
        default: Value? = nil,
        references: Reference? = nil,
        check: SQL? = nil,
        generated: Generated? = nil,
        previously: String? = nil,
        initial: Value? = nil
    ) {
        definition = ColumnDefinition(
            name: name,
            storageClass: form.storageClass,
            declaredType: form.declaredType,
            isNullable: Value._isNullable,
            isPrimaryKey: false,
            isAutoincrementing: false,
            isUnique: unique,
            isIndexed: indexed,
            defaultValue: `default`.map { value in Result { try StoredForm.date(form).stored(value) } },
            initialValue: initial.map { value in Result { try StoredForm.date(form).stored(value) } },
            references: references,
            check: check,
            collation: nil,
            generated: generated,
            previousName: previously
        )
    }
}
