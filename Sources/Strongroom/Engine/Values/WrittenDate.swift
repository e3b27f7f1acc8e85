/// Dates as ISO 8601 text, in the form of RFC 3339 or with SQLite's blank.
enum WrittenDate {
    /// The seconds from the start of 1970 to that of 2001.
    static let secondsFrom1970: Double = 978_307_200
    private static let daysFrom1970 = 11_323
    private static let secondsOfDay = 86_400

    /// The text that restores the date exactly, as `2026-11-21T20:15:00.25Z`.
    ///
    /// - Parameter seconds: Since the start of 2001, UTC.
    /// - Returns: The text, or nil outside of the years 0, in which `Date.distantPast` is, to 9999.
    static func exact(_ seconds: Double) -> String? {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
        let whole = seconds.rounded(.down)
        return text(Int(whole), "T", "\(fraction(of: seconds, whole))Z")
    }

    /// The text with milliseconds, in a form that sorts as the dates do: `2026-11-21T20:15:00.250Z`.
    ///
    /// - Parameters:
    ///   - seconds: Since the start of 2001, UTC.
    ///   - hasBlank: Whether it is written as `2026-11-21 20:15:00.250`.
    /// - Returns: As ``exact(_:)``.
    static func milliseconds(_ seconds: Double, hasBlank: Bool) -> String? {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
        let total = Int((seconds * 1000).rounded())
        let rest = (total % 1000 + 1000) % 1000
        return text((total - rest) / 1000, hasBlank ? " " : "T", ".\(padded(rest, 3))\(hasBlank ? "" : "Z")")
    }

    private static func text(_ second: Int, _ separator: String, _ end: String) -> String? {
        let rest = (second % secondsOfDay + secondsOfDay) % secondsOfDay
        let (year, month, day) = civil((second - rest) / secondsOfDay + daysFrom1970)
        guard (0...9999).contains(year) else { return nil }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let time = "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
        return "\(date)\(separator)\(time)\(end)"
    }

    /// The seconds since the start of 2001 of a text as ``milliseconds(_:hasBlank:)`` writes it; nil for any other.
    static func secondsOfMilliseconds(_ text: String, hasBlank: Bool) -> Double? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count == (hasBlank ? 23 : 24), bytes[4] == 0x2D, bytes[7] == 0x2D,
                bytes[10] == UInt8(ascii: hasBlank ? " " : "T"), bytes[13] == 0x3A, bytes[16] == 0x3A,
                bytes[19] == 0x2E, hasBlank || bytes[23] == UInt8(ascii: "Z"),
                let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
                let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
                let second = number(bytes[17..<19]), let thousandths = number(bytes[20..<23]),
                (1...12).contains(month), (1...length(of: month, year)).contains(day), hour < 24, minute < 60,
                second < 60
            else { return nil }
            let seconds = (days(year, month, day) - daysFrom1970) * secondsOfDay + hour * 3600 + minute * 60 + second
            return Double(seconds * 1000 + thousandths) / 1000
        }
    }

    /// The seconds since the start of 2001 of a text in any form in which SQLite's date functions take a date: without
    /// a time, without seconds, with any number of digits after the point, and with any offset or without one, as UTC.
    /// nil for any other text.
    static func secondsOfAny(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count > 10 else { return seconds("\(text)T00:00:00Z") }
        guard bytes[10] == UInt8(ascii: " ") || bytes[10] | 0x20 == UInt8(ascii: "t") else { return nil }
        var (time, zone) = (bytes[11...], ArraySlice("Z".utf8))
        if let last = time.last, last | 0x20 == UInt8(ascii: "z") {
            time.removeLast()
        } else if let sign = time.dropLast(5).last, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            zone = time.suffix(6)
            time.removeLast(6)
        }
        while time.last == UInt8(ascii: " ") { time.removeLast() }
        if time.count == 5 { time += ":00".utf8 }
        return seconds(String(decoding: bytes[..<10] + "T".utf8 + time + zone, as: UTF8.self))
    }

    /// The seconds since the start of 2001 of a text in the form of RFC 3339, with any offset; nil for any other text.
    static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] | 0x20 == UInt8(ascii: "t"),
            bytes[13] == 0x3A, bytes[16] == 0x3A,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...length(of: month, year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var end = 19
        if bytes[end] == UInt8(ascii: ".") {
            end += 1
            while end < bytes.count, bytes[end].isDigit { end += 1 }
            guard end > 20 else { return nil }
        }
        guard let offset = offset(bytes[end...]) else { return nil }
        let seconds =
            (days(year, month, day) - daysFrom1970) * secondsOfDay + hour * 3600 + minute * 60 + second - offset
        guard end > 19 else { return Double(seconds) }
        let digits = bytes[20..<end]
        guard seconds == -1 else {
            return Double(seconds) + (Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0)
        }
        // In the last second before the reference date, the number has a higher resolution than its complement.
        let rest = digits.allSatisfy { $0 == UInt8(ascii: "0") } ? "1" : "0." + complement(digits)
        return -(Double(rest) ?? 1)
    }

    /// The digits that restore the fractional part of the seconds, including the decimal point.
    private static func fraction(of seconds: Double, _ whole: Double) -> String {
        guard seconds > whole else { return "" }
        return "." + (whole == -1 ? complement(digits(-seconds).utf8) : digits(seconds - whole))
    }

    /// The fractional digits of a number below 1: the shortest that represent exactly this number.
    private static func digits(_ fraction: Double) -> String {
        let text = "\(fraction)"
        guard let exponent = text.firstIndex(of: "e") else { return String(text.dropFirst(2)) }
        var digits = text[..<exponent].filter { $0 != "." }
        if digits.count > 1, digits.last == "0" { digits.removeLast() }
        let zeros = -(Int(text[text.index(after: exponent)...]) ?? -1) - 1
        return String(repeating: "0", count: zeros) + digits
    }

    /// The digits of the difference to 1.
    private static func complement(_ digits: some Sequence<UInt8>) -> String {
        let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
        var left = digits.map { nine - ($0 - zero) }
        while left.last == nine { left.removeLast() }
        guard let last = left.popLast() else { return "0" }
        return String(decoding: left + [last + 1], as: UTF8.self)
    }

    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(bytes)
        if bytes.count == 1, bytes[0] | 0x20 == UInt8(ascii: "z") { return 0 }
        guard bytes.count == 6, bytes[3] == 0x3A, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
            let hours = number(bytes[1..<3]), let minutes = number(bytes[4..<6]), hours < 24, minutes < 60
        else { return nil }
        return (bytes[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ digits: some Sequence<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard digit.isDigit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The days since the start of 1970, in the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms").
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
