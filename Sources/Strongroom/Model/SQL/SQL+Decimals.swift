#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension SQL {
    /// The form in which a value is compared with this expression.
    ///
    /// - Parameter sign: The comparison operator before the value.
    func compared<V: ColumnValue>(with value: V, _ sign: String) throws -> Value {
        try form?.compared(value, sign) ?? value.stored()
    }

    /// The form in which a value is stored in, or added to, this expression.
    func stored<V: ColumnValue>(_ value: V) throws -> Value {
        try form?.stored(value) ?? value.stored()
    }

    /// The same SQL for values in a stored form.
    package func inForm(_ form: StoredForm?) -> SQL {
        var copy = self
        copy.form = form
        return copy
    }

    /// Fails for values with two stored forms, which the engine would compare without conversion.
    mutating func requireOneForm(_ left: SQL, _ right: SQL) {
        guard left.form != right.form else { return }
        fail(Self.twoForms(left.form, right.form))
    }

    package static func twoForms(_ left: StoredForm?, _ right: StoredForm?) -> StrongroomError {
        guard left?.scale != nil || right?.scale != nil else { return twoDateForms(left, right) }
        func name(_ form: StoredForm?) -> String { form?.words ?? "no scale" }
        return StrongroomError(
            .notTranslatable,
            """
            A decimal of \(name(left)) is combined with one of \(name(right)), which is not exact in SQL; declare \
            the columns with one scale, or calculate with the fetched values.
            """)
    }

    private static func twoDateForms(_ left: StoredForm?, _ right: StoredForm?) -> StrongroomError {
        func name(_ form: StoredForm?) -> String { form?.words ?? "the form of Date" }
        return StrongroomError(
            .notTranslatable,
            """
            A date in \(name(left)) is combined with one in \(name(right)), which the engine would compare without \
            conversion; declare the columns with one form, or compare the fetched values.
            """)
    }
}

extension SQL.Interpolation {
    /// Appends a parameter: a decimal as the scaled integer that a column stores.
    ///
    /// ```swift
    /// let dear = try db.value("SELECT count(*) FROM receipt WHERE price > \(limit, scale: 2)", as: Int.self)
    /// ```
    ///
    /// - Parameters:
    ///   - value: The number; nil is NULL. If it has more digits than the scale, or exceeds 64 bits, running the
    ///     statement throws ``StrongroomError`` with `valueNotStorable`.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    public mutating func appendInterpolation(_ value: Decimal?, scale: Int) {
        sql.append {
            guard let form = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "A parameter") }
            return try value.map { .integer(try form.stored($0)) } ?? .null
        }
    }
}
