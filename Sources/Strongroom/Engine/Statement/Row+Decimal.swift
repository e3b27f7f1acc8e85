#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Row {
    /// The decimal number that a column stores as a scaled integer.
    ///
    /// For records of tables that are declared by hand, and for user SQL:
    ///
    /// ```swift
    /// try db.forEachRow("SELECT sum(price) FROM receipt") { row in print(try row.decimal(at: 0, scale: 2)) }
    /// ```
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    /// - Returns: The number, exactly: 1234 is 12.34 at a scale of 2.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the column contains no integer, or if it is declared with
    ///   another scale; `invalidDeclaration` for a scale out of range.
    public func decimal(at index: Int, scale: Int) throws -> Decimal {
        guard let scale = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "A column of a row") }
        return try decimal(at: index, scale)
    }

    /// The decimal number that a column stores as a scaled integer, or nil if the column is NULL.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    /// - Returns: The number, or nil.
    /// - Throws: As ``decimal(at:scale:)``.
    public func decimalIfPresent(at index: Int, scale: Int) throws -> Decimal? {
        try isNull(at: index) ? nil : decimal(at: index, scale: scale)
    }

    func decimal(at index: Int, _ scale: DecimalScale) throws -> Decimal {
        let number = try integer(at: index)
        if let declared = declaredScale(at: index), declared != scale {
            throw mismatch(at: index, wanted: "a decimal of the scale \(scale.digits), not \(declared.digits)")
        }
        return scale.decimal(number)
    }

    /// Whether the column is declared with a scale, so that its integers are decimals.
    package func isScaled(at index: Int) -> Bool { declaredScale(at: index) != nil }

    /// The value of a column for display and export: the decimal digits if it is a scaled integer.
    ///
    /// - Throws: As ``value(at:)``.
    package func valueInDigits(at index: Int) throws -> Value {
        let value = try value(at: index)
        guard case .integer(let number) = value, let scale = declaredScale(at: index) else { return value }
        return .text(scale.plain(number))
    }
}

extension Bindings {
    /// Binds a decimal as a scaled integer, as a record does for a column that is declared with a scale.
    ///
    /// ```swift
    /// func encode(to bindings: borrowing Bindings) throws {
    ///     try bindings.set(id, at: 0)
    ///     try bindings.set(price, at: 1, scale: 2)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The number; nil is NULL.
    ///   - index: The parameter, counted from 0.
    ///   - scale: The number of digits after the point, from 0 to 18, as the column is declared.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for NaN, and for a number that has more digits than the
    ///   scale or exceeds 64 bits; nothing is rounded. `invalidDeclaration` for a scale out of range; `invalidArgument`
    ///   for an index out of range.
    public func set(_ value: Decimal?, at index: Int, scale: Int) throws {
        guard let form = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "A parameter") }
        guard let value else { return try bindNull(at: index) }
        try bind(form.stored(value), at: index)
    }
}
