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
        PlainDecimal(plain).flatMap { stored($0.text, isCanonical: true) }
    }

    static func stored(_ text: String, isCanonical: Bool) -> String? {
        if text == "0" { return text }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let amount = isNegative ? text.dropFirst() : text[...]
        let whole = amount.prefix { $0 != "." }
        let count = whole == "0" ? 0 : whole.utf8.count
        guard count <= 999 else { return nil }
        guard isNegative else { return "p\(padded(count)):\(amount)" }
        var turned: [UInt8] = []
        turned.reserveCapacity(amount.utf8.count)
        for byte in amount.utf8 {
            turned.append(byte == UInt8(ascii: ".") ? byte : UInt8(ascii: "0") + UInt8(ascii: "9") - byte)
        }
        return "-n\(padded(999 - count)):\(String(decoding: turned, as: UTF8.self))~\(text)"
    }

    private static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    /// The digits of a stored number, also one of an earlier version.
    ///
    /// - Returns: nil for text in neither form.
    package static func plain(_ stored: String) -> String? {
        let bytes = stored.utf8
        if bytes.first == UInt8(ascii: "p") {
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let text = String(stored[bytes.index(after: colon)...])
            return self.stored(text) == stored ? text : nil
        }
        if stored.hasPrefix("-n") {
            guard let tilde = bytes.firstIndex(of: UInt8(ascii: "~")) else { return nil }
            let text = String(stored[bytes.index(after: tilde)...])
            return self.stored(text) == stored ? text : nil
        }
        return PlainDecimal(stored)?.text
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
        var whole = parts[0].drop { $0 == "0" }
        if whole.isEmpty { whole = "0" }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        let isZero = whole == "0" && fraction.isEmpty
        self.text = (isNegative && !isZero ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
    }
}
