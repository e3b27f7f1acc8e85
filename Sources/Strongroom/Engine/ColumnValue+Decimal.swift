#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Decimal: ColumnValue {
    /// A text column: the digits, exact and in no locale, such as `-1234.5`.
    ///
    /// The engine sorts and compares it as text, not as a number: `9` comes behind `10`. Where numbers are to be sorted or summed up by the
    /// engine, store an integer, of cents for example.
    @inlinable public static var storageClass: StorageClass { .text }

    /// Reads digits with an optional sign and fraction. Other text is refused, and so is a number that `Decimal` cannot hold exactly.
    public init(from row: borrowing Row, at index: Int) throws {
        let text = try row.text(at: index)
        guard let plain = PlainDecimal(text), let decimal = Decimal(string: plain.text),
            !decimal.isNaN, PlainDecimal(decimal.description) == plain
        else { throw row.mismatch(at: index, wanted: "a decimal number of at most 38 digits") }
        self = decimal
    }

    /// The digits; NaN is refused.
    public func stored() throws -> Value { .text(try storedText()) }

    /// Binds the digits; NaN is refused.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(storedText(), at: index)
    }

    private func storedText() throws -> String {
        guard !isNaN else { throw Bindings.notANumber }
        return description
    }
}

/// A number's digits without zeros that count nothing, so that one number has one form.
private struct PlainDecimal: Equatable {
    let text: String

    init?(_ text: String) {
        var digits = Substring(text)
        let isNegative = digits.first == "-"
        if isNegative { digits = digits.dropFirst() }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ part in !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) } }) else {
            return nil
        }
        var whole = parts[0].drop { $0 == "0" }
        if whole.isEmpty { whole = "0" }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        let isZero = whole == "0" && fraction.isEmpty
        self.text = (isNegative && !isZero ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
    }
}
