#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Row {
    /// The date that a column stores in another form than that of `Date`.
    ///
    /// For records of tables that are declared by hand, and for user SQL:
    ///
    /// ```swift
    /// try db.forEachRow("SELECT max(due) FROM task") { row in print(try row.date(at: 0, as: .iso8601)) }
    /// ```
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - form: The form in which the column stores dates.
    /// - Returns: The date.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no date in this form, as the library
    ///   writes it.
    public func date(at index: Int, as form: DateForm) throws -> Date {
        guard let seconds = form.seconds(try value(at: index)) else {
            throw mismatch(at: index, wanted: "a date in the form \(form.name)", .date(form))
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// The date that a column stores in another form than that of `Date`, or nil if the column is NULL.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - form: The form in which the column stores dates.
    /// - Returns: The date, or nil.
    /// - Throws: As ``date(at:as:)``.
    public func dateIfPresent(at index: Int, as form: DateForm) throws -> Date? {
        try isNull(at: index) ? nil : date(at: index, as: form)
    }

    /// The value of an expression.
    ///
    /// - Parameter form: The stored form, if it is not that of the type.
    func value<V: ColumnValue>(at index: Int, form: StoredForm?) throws -> V {
        guard let form else { return try V(from: self, at: index) }
        if V._isNullable, try isNull(at: index) { return try V(from: self, at: index) }
        let found: Any =
            switch form {
            case .decimal(let scale): try decimal(at: index, scale)
            case .date(let form): try date(at: index, as: form)
            }
        guard let value = found as? V else { throw mismatch(at: index, wanted: "\(V.self)") }
        return value
    }
}

extension Bindings {
    /// Binds a date in another form than that of `Date`, as a record does for a column that is declared with the form.
    ///
    /// ```swift
    /// func encode(to bindings: borrowing Bindings) throws {
    ///     try bindings.set(id, at: 0)
    ///     try bindings.set(due, at: 1, as: .iso8601)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The date, rounded to what the form holds; nil is NULL.
    ///   - index: The parameter, counted from 0.
    ///   - form: The form in which the column stores dates.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a date that the form does not have, such as one after
    ///   the year 9999 as text; `invalidArgument` for an index out of range.
    public func set(_ value: Date?, at index: Int, as form: DateForm) throws {
        guard let value else { return try bindNull(at: index) }
        try bind(form.stored(value), at: index)
    }
}
