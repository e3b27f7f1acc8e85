#if S3
internal import Foundation

/// The forms of text that S3's protocol needs: percent-encoding, hexadecimal, dates.
enum S3Text {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Percent-encodes text as Signature Version 4 demands: everything but letters, digits, `-`, `.`, `_` and `~`.
    ///
    /// - Parameter keepsSlash: Whether `/` stays as it is, as in a path.
    static func encoded(_ text: String, keepsSlash: Bool = false) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            case UInt8(ascii: "/") where keepsSlash: result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Decodes a name of a list with `encoding-type=url`, where `+` is a space.
    ///
    /// - Returns: The name; nil if it is not well-formed or not UTF-8.
    static func decoded(_ text: String) -> String? {
        var result: [UInt8] = []
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue) else {
                    return nil
                }
                result.append(high << 4 | low)
            default: result.append(byte)
            }
        }
        return String(validating: result, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }

    /// Bytes in lowercase hexadecimal.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        for byte in bytes { result += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: result, as: UTF8.self).lowercased()
    }

    /// A time as in `20130524T000000Z`.
    ///
    /// - Parameter seconds: The time, in seconds since 1970.
    static func timestamp(_ seconds: Int) -> String {
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted, timeZone: .gmt)
        return Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(style)
    }

    /// The seconds since 1970 of a date in an HTTP header, such as `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110, section
    /// 5.6.7); nil for another text, also for one of the two obsolete forms.
    ///
    /// Foundation's formatter is not used: on Linux it traps on some texts that are no dates.
    static func seconds(ofDate text: String) -> Int? {
        let fields = text.split { $0 == " " || $0 == ":" }
        guard fields.count == 8, fields[7] == "GMT", let month = months.firstIndex(of: fields[2]) else { return nil }
        let numbers = [1, 3, 4, 5, 6].compactMap { UInt16(fields[$0]).map(Int.init) }
        guard numbers.count == 5, 1...31 ~= numbers[0], 1970...9999 ~= numbers[1], numbers[2] < 24, numbers[3] < 60,
            numbers[4] <= 60
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = DateComponents(
            year: numbers[1], month: month + 1, day: numbers[0], hour: numbers[2], minute: numbers[3],
            second: numbers[4])
        return calendar.date(from: date).map { Int($0.timeIntervalSince1970) }
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

extension StringProtocol {
    /// Without spaces, tabs and line breaks at both ends.
    func trimmingSpace() -> String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
#endif
