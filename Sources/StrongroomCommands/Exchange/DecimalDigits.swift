/// The value of a decimal number, independent of its notation: `1.50`, `15e-1` and `+1.5` are equal.
struct DecimalDigits: Equatable {
    private let isNegative: Bool
    /// Without leading and trailing zeros; empty for zero.
    private let digits: [UInt8]
    /// The power of ten of the last digit.
    private let exponent: Int

    /// Larger than any number of digits in a text, and far from the limits of an integer.
    private static let farthest = Int.max / 2

    /// - Parameter text: A number that Swift reads as a `Double`.
    init(_ text: String) {
        let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == 0x65 || $0 == 0x45 }
        let mantissa = parts[0].filter { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")).map { mantissa.count - $0 - 1 } ?? 0
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        var exponent = (parts.count > 1 ? Self.exponent(String(decoding: parts[1], as: UTF8.self)) : 0) - point
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        self.digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
        self.exponent = self.digits.isEmpty ? 0 : exponent
        isNegative = text.utf8.first == UInt8(ascii: "-") && !self.digits.isEmpty
    }

    /// The number after the "e", clamped to ``farthest``.
    private static func exponent(_ text: String) -> Int {
        let number = Int(text) ?? (text.utf8.first == UInt8(ascii: "-") ? -farthest : farthest)
        return min(max(number, -farthest), farthest)
    }
}
