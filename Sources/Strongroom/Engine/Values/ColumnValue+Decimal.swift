#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Decimal: ColumnValue {
    /// A text column whose texts the engine sorts and compares as the numbers that they represent: `12.5` is stored as
    /// `p002:12.5`.
    ///
    /// Equal numbers have one form, so that `1.5` finds `1.50`. Do not compute sums in SQL: the engine would convert
    /// the texts to floating-point numbers. A column that is declared with a scale stores integers, which the engine
    /// sums exactly; see <doc:Types>.
    @inlinable public static var storageClass: StorageClass { .text }

    /// `DECIMAL_TEXT`, which distinguishes columns of this form from older ones, which are declared as TEXT.
    public static var declaredType: String { SortedDecimal.declaredType }

    /// Reads a number in its stored form. Other text is rejected, such as the digits alone, and so is a number that
    /// `Decimal` cannot represent exactly.
    public init(from row: borrowing Row, at index: Int) throws {
        let text = try Self.text(of: row, at: index)
        guard let plain = SortedDecimal.plain(text), let decimal = Decimal(string: plain),
            !decimal.isNaN, PlainDecimal(decimal.description)?.text == plain
        else { throw row.mismatch(at: index, wanted: "a decimal number of at most 38 digits") }
        guard SortedDecimal.stored(plain) == text else {
            throw row.mismatch(at: index, wanted: "a decimal in the form that sorts", .decimal)
        }
        self = decimal
    }

    private static func text(of row: borrowing Row, at index: Int) throws -> String {
        do {
            return try row.text(at: index)
        } catch {
            guard row.declaredScale(at: index) == nil else {
                throw row.mismatch(at: index, wanted: "a decimal without a scale; read it with that of its column")
            }
            guard row.isNumber(at: index) else { throw error }
            throw row.mismatch(
                at: index, wanted: "a decimal",
                reason: "it is stored as text; read a number as Int64 or Double, or with `decimal(at:scale:)`")
        }
    }

    /// The stored form; NaN is rejected.
    public func stored() throws -> SQLValue { .text(try storedText()) }

    /// Binds the stored form; NaN is rejected.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(storedText(), at: index)
    }

    private func storedText() throws -> String {
        guard !isNaN, let text = SortedDecimal.stored(description) else { throw Bindings.notANumber }
        return text
    }
}

/// The scale of a column that stores decimals as integers: the number of digits after the point.
///
/// At a scale of 2, 12.34 is stored as 1234. Only this type knows the stored form: how a value is stored and compared,
/// and which number a stored integer represents.
package struct DecimalScale: Sendable, Hashable {
    /// The scales for which a 64-bit integer has enough digits.
    package static let allowed = 0...18

    private static let typeName = "DECIMAL_INTEGER"

    private let digitCount: UInt8

    package var digits: Int { Int(digitCount) }

    /// - Returns: nil for a scale outside ``allowed``.
    package init?(_ digits: Int) {
        guard Self.allowed.contains(digits) else { return nil }
        digitCount = UInt8(digits)
    }

    /// The scale of a declared type; nil for any other type.
    package init?(declaredType: String) {
        let type = declaredType.filter { $0 != " " }
        guard type.utf8.count > Self.typeName.utf8.count, type.utf8.last == UInt8(ascii: ")") else { return nil }
        let (name, rest) = (type.prefix(Self.typeName.utf8.count), type.dropFirst(Self.typeName.utf8.count))
        guard String(name).isSameName(as: Self.typeName), rest.utf8.first == UInt8(ascii: "(") else { return nil }
        guard let digits = Int(rest.dropFirst().dropLast()) else { return nil }
        self.init(digits)
    }

    /// The declared type of a column with a scale: `DECIMAL_INTEGER(2)`. Its affinity is that of INTEGER.
    static func declaredType(_ digits: Int) -> String { "\(typeName)(\(digits))" }

    var declaredType: String { Self.declaredType(digits) }

    /// The power of ten by which numbers are multiplied.
    var factor: Int64 { (0..<digits).reduce(1) { product, _ in product * 10 } }

    static func refusal(_ digits: Int, _ subject: String) -> StrongroomError {
        StrongroomError(
            .invalidDeclaration,
            "\(subject) has a scale of \(digits); a scale is the number of digits after the point, from 0 to 18.")
    }
}

extension DecimalScale {
    /// The position of a number relative to the integers of the scale.
    private enum Standing {
        case exact(Int64)
        /// Between an integer and the next.
        case above(Int64)
        /// Out of range.
        case beyond(isNegative: Bool)
    }

    private func standing(_ number: PlainDecimal) -> Standing {
        let isNegative = number.text.hasPrefix("-")
        let amount = isNegative ? number.text.dropFirst() : number.text[...]
        let parts = amount.split(separator: ".", maxSplits: 1)
        let fraction = parts.count > 1 ? parts[1] : ""
        let padded = fraction.prefix(digits) + String(repeating: "0", count: max(0, digits - fraction.utf8.count))
        guard let nearest = Int64("\(isNegative ? "-" : "")\(parts[0])\(padded)") else {
            return .beyond(isNegative: isNegative)
        }
        guard fraction.utf8.count > digits else { return .exact(nearest) }
        guard isNegative else { return .above(nearest) }
        return nearest == .min ? .beyond(isNegative: true) : .above(nearest - 1)
    }

    private func standing(_ decimal: Decimal) throws -> Standing {
        guard !decimal.isNaN, let number = PlainDecimal(decimal.description) else { throw Bindings.notANumber }
        return standing(number)
    }

    /// The integer as which a number is stored.
    ///
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for NaN, and for a number that has too many digits for the
    ///   scale or for the integer.
    package func stored(_ decimal: Decimal) throws -> Int64 { try stored(standing(decimal)) }

    /// The same for digits with an optional sign and an optional fraction; nil for any other text.
    package func stored(digits text: String) throws -> Int64? {
        try PlainDecimal(text).map { try stored(standing($0)) }
    }

    private func stored(_ standing: Standing) throws -> Int64 {
        switch standing {
        case .exact(let number): return number
        case .above: throw StrongroomError(.valueNotStorable, "\(Self.misfit(hasMoreDigits: true, digits)).")
        case .beyond: throw StrongroomError(.valueNotStorable, "\(Self.misfit(hasMoreDigits: false, digits)).")
        }
    }

    private static func misfit(hasMoreDigits: Bool, _ digits: Int) -> String {
        hasMoreDigits
            ? "A decimal has more than \(digits.counting("digit")) after the point, which its column's scale does not "
                + "allow; round it first, or give the column a larger scale"
            : "A decimal is too large for a column of the scale \(digits), which is a 64-bit integer; give the column "
                + "a smaller scale, or none"
    }

    /// Why a number cannot be stored, for a message about a row; nil if it can be stored.
    func misfit(_ text: String) -> String? {
        guard let number = PlainDecimal(text) else { return "a text that is no decimal number" }
        return switch standing(number) {
        case .exact: nil
        case .above: "a number with more than \(digits.counting("digit")) after the point"
        case .beyond: "a number that is too large for the scale \(digits)"
        }
    }

    /// The value to compare stored integers with, so that the result is that of comparing the numbers.
    ///
    /// A number with more digits than the scale becomes the adjacent integer on the side that the operator needs; for
    /// equality it becomes a fraction, which equals no integer. A number that exceeds 64 bits becomes a floating-point
    /// number out of the range of integers.
    ///
    /// - Parameter sign: The comparison operator before the value.
    func compared(_ decimal: Decimal, _ sign: String) throws -> SQLValue { compared(try standing(decimal), sign) }

    /// The same for the text as which a `Decimal` is stored without a scale.
    func compared(sorted text: String, _ sign: String) -> SQLValue? {
        SortedDecimal.plain(text).flatMap { PlainDecimal($0) }.map { compared(standing($0), sign) }
    }

    private func compared(_ standing: Standing, _ sign: String) -> SQLValue {
        switch (standing, sign.filter { $0 != " " }) {
        case (.exact(let number), _): .integer(number)
        case (.beyond(let isNegative), _): .real(isNegative ? -1e19 : 1e19)
        case (.above(let number), "<"), (.above(let number), ">="): number == .max ? .real(1e19) : .integer(number + 1)
        case (.above(let number), "<="), (.above(let number), ">"): .integer(number)
        case (.above, _): .real(0.5)
        }
    }

    package func decimal(_ stored: Int64) -> Decimal {
        var (number, exponent) = (stored, -digits)
        while exponent < 0, number.isMultiple(of: 10) { (number, exponent) = (number / 10, exponent + 1) }
        return Decimal(sign: number < 0 ? .minus : .plus, exponent: exponent, significand: Decimal(number.magnitude))
    }

    /// The digits of the number that an integer represents, without trailing zeros.
    package func plain(_ stored: Int64) -> String {
        let padded = stored.magnitude.padded(digits + 1)
        let point = digits > 0 ? "." : ""
        let text = "\(stored < 0 ? "-" : "")\(padded.dropLast(digits))\(point)\(padded.suffix(digits))"
        return PlainDecimal(text)?.text ?? text
    }
}

/// The stored form of a decimal number without a scale: text that the engine sorts in numeric order, and that is the
/// same for equal numbers.
///
/// - Zero is `0`.
/// - A positive number is `p`, the number of its digits before the point in three digits, `:`, and the number:
///   `p002:12.5`. Below one there are no digits before the point: `p000:0.05`.
/// - A negative number is `-n`, the form of its absolute value with each digit subtracted from 9, `~`, and the plain
///   number:
///   `-n997:87.4~-12.5`.
///
/// Under the collations BINARY, NOCASE and RTRIM the order is numeric: the number of digits is compared first, then the
/// digits from left to right. A comparison with 0 in SQL is correct, too. Earlier versions stored plain digits
/// (`12.5`), which are converted.
package enum SortedDecimal {
    /// The declared type of columns with this form; its affinity is that of TEXT.
    package static let declaredType = "DECIMAL_TEXT"

    /// The stored form of a number.
    ///
    /// - Parameter plain: Digits with an optional sign and an optional fraction; nil is returned for any other text.
    package static func stored(_ plain: String) -> String? {
        guard let text = PlainDecimal(plain)?.text else { return nil }
        if text == "0" { return text }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let amount = isNegative ? text.dropFirst() : text[...]
        let integer = amount.prefix { $0 != "." }
        let count = integer == "0" ? 0 : integer.utf8.count
        guard count <= 999 else { return nil }
        guard isNegative else { return "p\(count.padded(3)):\(amount)" }
        let complement = amount.utf8.map {
            $0 == UInt8(ascii: ".") ? $0 : UInt8(ascii: "0") + UInt8(ascii: "9") - $0
        }
        return "-n\((999 - count).padded(3)):\(String(decoding: complement, as: UTF8.self))~\(text)"
    }

    /// The digits of a stored number, also one of an earlier version.
    ///
    /// - Returns: nil for text in neither form.
    package static func plain(_ stored: String) -> String? {
        let bytes = stored.utf8
        let isPositive = bytes.first == UInt8(ascii: "p")
        guard isPositive || stored.hasPrefix("-n") else { return PlainDecimal(stored)?.text }
        guard let sign = bytes.firstIndex(of: UInt8(ascii: isPositive ? ":" : "~")) else { return nil }
        let text = String(stored[bytes.index(after: sign)...])
        return self.stored(text) == stored ? text : nil
    }
}

/// A number's digits without insignificant zeros, so that each number has one form.
struct PlainDecimal: Equatable {
    let text: String

    init?(_ text: String) {
        var digits = Substring(text)
        let isNegative = digits.first == "-"
        if isNegative { digits = digits.dropFirst() }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ part in !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) } }) else {
            return nil
        }
        var integer = parts[0].drop { $0 == "0" }
        if integer.isEmpty { integer = "0" }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        let isZero = integer == "0" && fraction.isEmpty
        self.text = (isNegative && !isZero ? "-" : "") + integer + (fraction.isEmpty ? "" : "." + fraction)
    }
}
