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
    public func stored() throws -> Value { .text(try storedText()) }

    /// Binds the stored form; NaN is rejected.
    public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(storedText(), at: index)
    }

    private func storedText() throws -> String {
        guard !isNaN, let text = SortedDecimal.stored(description) else { throw Bindings.notANumber }
        return text
    }
}
