#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The stored form of the dates in a column, where it is not that of `Date` itself (the seconds since the start of
/// 2001, which restores every date exactly): a number of units since the start of 1970, or ISO 8601 text.
///
/// ```swift
/// @Column(as: .since1970(.seconds)) var created: Date
/// let due = Column<Date>("due", as: .iso8601)
/// ```
///
/// A date is rounded to what its form holds when it is written, and so is a date that a column is compared with: a row
/// is found by the date with which it was inserted, and dates that differ by less are equal. The engine sorts the dates
/// of each form correctly. Each date has one spelling: a text or number that the form does not write is refused when it
/// is read (`typeMismatch`), and rewritten by ``Writing/convertSpellings(of:)``. The declared type of the column names
/// the form, so that a form that differs between the program and the file is an error and no wrong date.
public enum DateForm: Sendable, Hashable, CaseIterable {
    /// A number: the time since the start of 1970, UTC.
    case since1970(Unit)
    /// Text such as `2026-11-21T20:15:00.250Z` (RFC 3339), in UTC, always with milliseconds; for the years 0 to 9999.
    case iso8601
    /// Text such as `2026-11-21 20:15:00.250`, in UTC, always with milliseconds, which GRDB stores and
    /// `strftime('%Y-%m-%d %H:%M:%f')` returns; for the years 0 to 9999. The text of `datetime()` has no milliseconds.
    case iso8601WithBlank

    /// The unit of a time since the start of 1970.
    public enum Unit: Sendable, Hashable, CaseIterable {
        /// A floating-point number of seconds, which holds about a microsecond.
        case seconds
        /// An integer number of seconds; a fraction is dropped, towards the past.
        case wholeSeconds
        /// An integer number of milliseconds.
        case milliseconds
    }

    /// All forms.
    public static let allCases = Unit.allCases.map { DateForm.since1970($0) } + [.iso8601, .iso8601WithBlank]

    /// The storage class of the values.
    var storageClass: StorageClass {
        switch self {
        case .since1970(.seconds): .real
        case .since1970: .integer
        case .iso8601, .iso8601WithBlank: .text
        }
    }

    /// The declared type of a column, whose affinity is that of the storage class.
    package var declaredType: String {
        switch self {
        case .since1970(.seconds): "UNIXTIME_REAL"
        case .since1970(.wholeSeconds): "UNIXTIME_INTEGER"
        case .since1970(.milliseconds): "UNIXTIME_MS_INTEGER"
        case .iso8601: "ISO8601_TEXT"
        case .iso8601WithBlank: "DATETIME_TEXT"
        }
    }

    /// The form as in source, for messages.
    package var name: String {
        if case .since1970(let unit) = self { ".since1970(.\(unit))" } else { ".\(self)" }
    }

    /// The form of a declared type; nil for any other type.
    package init?(declaredType: String) {
        guard let form = Self.allCases.first(where: { $0.declaredType.isSameName(as: declaredType) }) else {
            return nil
        }
        self = form
    }
}

extension DateForm {
    /// The value as which a date is stored, and with which stored dates are compared.
    ///
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a date that the form does not have.
    package func stored(_ date: Date) throws -> SQLValue { try stored(seconds: date.timeIntervalSinceReferenceDate) }

    /// - Parameter seconds: Since the start of 2001, UTC.
    package func stored(seconds: Double) throws -> SQLValue {
        let since1970 = seconds + WrittenDate.secondsFrom1970
        switch self {
        case .since1970(.seconds): return try since1970.stored()
        case .since1970(.wholeSeconds): return .integer(try integer(since1970.rounded(.down)))
        case .since1970(.milliseconds): return .integer(try integer((since1970 * 1000).rounded()))
        case .iso8601, .iso8601WithBlank:
            guard let text = WrittenDate.milliseconds(seconds, hasBlank: self == .iso8601WithBlank) else {
                throw Self.outOfRange
            }
            return .text(text)
        }
    }

    private func integer(_ number: Double) throws -> Int64 {
        guard let integer = Int64(exactly: number) else { throw Self.outOfRange }
        return integer
    }

    private static var outOfRange: StrongroomError {
        StrongroomError(
            .valueNotStorable,
            "A date is out of the range of its column's form (text has the years 0 to 9999); store dates as numbers.")
    }

    /// The seconds since the start of 2001, UTC, of a stored value; nil if it is not as the form writes dates.
    package func seconds(_ stored: SQLValue) -> Double? {
        switch (self, stored) {
        case (.since1970(.seconds), .real(let number)):
            // Near 1970 the numbers are closer together than the dates. Those of 285 million years are not.
            let seconds = number - WrittenDate.secondsFrom1970
            return seconds + WrittenDate.secondsFrom1970 == number || number.magnitude > 9e15 ? seconds : nil
        case (.since1970, .real(let number)) where number.rounded() != number: return nil
        case (.iso8601, _), (.iso8601WithBlank, _):
            return stored.asText.flatMap {
                WrittenDate.secondsOfMilliseconds($0, hasBlank: self == .iso8601WithBlank)
            }
        default: return seconds(inAnySpelling: stored)
        }
    }

    /// The same for a value as other programs write it: with more digits, or as a text with an offset, for example.
    package func seconds(inAnySpelling stored: SQLValue) -> Double? {
        switch self {
        case .since1970(let unit):
            stored.asReal.map { $0 / (unit == .milliseconds ? 1000 : 1) - WrittenDate.secondsFrom1970 }
        case .iso8601, .iso8601WithBlank: stored.asText.flatMap { WrittenDate.secondsOfAny($0) }
        }
    }
}

/// The stored form of an expression's values, where it is not that of their type: the scale of decimals, or the form of
/// dates.
package enum StoredForm: Sendable, Hashable {
    case decimal(DecimalScale)
    case date(DateForm)

    /// The form of a declared type; nil for any other type.
    package init?(declaredType: String) {
        if let scale = DecimalScale(declaredType: declaredType) {
            self = .decimal(scale)
        } else if let form = DateForm(declaredType: declaredType) {
            self = .date(form)
        } else {
            return nil
        }
    }

    var scale: DecimalScale? { if case .decimal(let scale) = self { scale } else { nil } }

    /// The value as which another one is stored.
    func stored<V: ColumnValue>(_ value: V) throws -> SQLValue {
        switch self {
        case .decimal(let scale):
            guard let decimal = value as? Decimal else { return try value.stored() }
            return .integer(try scale.stored(decimal))
        case .date(let form):
            guard let date = value as? Date else { return try value.stored() }
            return try form.stored(date)
        }
    }

    /// The value with which stored ones are compared.
    ///
    /// - Parameter sign: The comparison operator before the value.
    func compared<V: ColumnValue>(_ value: V, _ sign: String) throws -> SQLValue {
        guard case .decimal(let scale) = self, let decimal = value as? Decimal else { return try stored(value) }
        return try scale.compared(decimal, sign)
    }

    /// The same for a value in the form of its type.
    package func compared(plain value: SQLValue, _ sign: String) throws -> SQLValue {
        switch (self, value) {
        case (.decimal(let scale), .text(let text)): scale.compared(sorted: text, sign) ?? value
        case (.date(let form), .real(let seconds)): try form.stored(seconds: seconds)
        default: value
        }
    }

    /// The value as which another one, in the form of its type, is stored.
    package func stored(plain value: SQLValue) throws -> SQLValue {
        switch (self, value) {
        case (.decimal(let scale), .text(let text)):
            guard let plain = SortedDecimal.plain(text) else { return value }
            return try scale.stored(digits: plain).map { .integer($0) } ?? value
        case (.date(let form), .real(let seconds)): return try form.stored(seconds: seconds)
        default: return value
        }
    }

    /// For messages.
    var title: String {
        switch self {
        case .decimal(let scale): "the scale \(scale.digits)"
        case .date(let form): "the form \(form.name)"
        }
    }
}

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
        let second = seconds.rounded(.down)
        return text(Int(second), "T", "\(fraction(of: seconds, second))Z")
    }

    /// The text with milliseconds, in a form that sorts as the dates do: `2026-11-21T20:15:00.250Z`.
    static func milliseconds(_ seconds: Double, hasBlank: Bool) -> String? {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
        let total = Int((seconds * 1000).rounded())
        let rest = (total % 1000 + 1000) % 1000
        return text((total - rest) / 1000, hasBlank ? " " : "T", ".\(rest.padded(3))\(hasBlank ? "" : "Z")")
    }

    private static func text(_ second: Int, _ separator: String, _ end: String) -> String? {
        let rest = (second % secondsOfDay + secondsOfDay) % secondsOfDay
        let (year, month, day) = civil((second - rest) / secondsOfDay + daysFrom1970)
        guard (0...9999).contains(year) else { return nil }
        let date = "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
        let time = "\((rest / 3600).padded(2)):\((rest / 60 % 60).padded(2)):\((rest % 60).padded(2))"
        return "\(date)\(separator)\(time)\(end)"
    }

    /// The seconds since the start of 2001 of a text as ``milliseconds(_:hasBlank:)`` writes it; nil for any other.
    static func secondsOfMilliseconds(_ text: String, hasBlank: Bool) -> Double? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count == (hasBlank ? 23 : 24), bytes[10] == UInt8(ascii: hasBlank ? " " : "T"),
                bytes[19] == 0x2E, hasBlank || bytes[23] == UInt8(ascii: "Z"),
                let second = second(bytes), let thousandths = number(bytes[20..<23])
            else { return nil }
            return Double(second * 1000 + thousandths) / 1000
        }
    }

    /// The seconds since the start of 2001 of the first 19 bytes, `2026-11-21T20:15:00`, with any byte as `T`.
    private static func second(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...length(of: month, year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        return (days(year, month, day) - daysFrom1970) * secondsOfDay + hour * 3600 + minute * 60 + second
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
        guard bytes.count >= 20, bytes[10] | 0x20 == UInt8(ascii: "t"),
            let second = bytes.withUnsafeBufferPointer(second)
        else { return nil }
        var end = 19
        if bytes[end] == UInt8(ascii: ".") {
            end += 1
            while end < bytes.count, bytes[end].isDigit { end += 1 }
            guard end > 20 else { return nil }
        }
        guard let offset = offset(bytes[end...]) else { return nil }
        let seconds = second - offset
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
    private static func fraction(of seconds: Double, _ second: Double) -> String {
        guard seconds > second else { return "" }
        return "." + (second == -1 ? complement(digits(-seconds).utf8) : digits(seconds - second))
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

extension Date: ColumnValue {
    /// A floating-point column: the seconds since the start of 2001, UTC, which is what `Date` itself holds.
    ///
    /// Every date is restored exactly, also before 1970 and after 2038, and the engine sorts dates as Swift does; text
    /// with a fixed number of digits would lose precision. To display a date in SQL:
    ///
    /// ```sql
    /// SELECT datetime(createdAt + 978307200, 'unixepoch') FROM contact
    /// ```
    @inlinable public static var storageClass: StorageClass { .real }

    /// Reads the seconds since the start of 2001, UTC.
    @inlinable public init(from row: borrowing Row, at index: Int) throws {
        self.init(timeIntervalSinceReferenceDate: try row.real(at: index))
    }

    /// The seconds since the start of 2001, UTC; NaN is rejected, infinities are not.
    @inlinable public func stored() throws -> SQLValue { try timeIntervalSinceReferenceDate.stored() }

    /// Binds the seconds since the start of 2001, UTC; NaN is rejected, infinities are not.
    @inlinable public func bind(to bindings: borrowing Bindings, at index: Int) throws {
        try bindings.bind(timeIntervalSinceReferenceDate, at: index)
    }
}
