#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The stored form of the dates in a column, where it is not that of `Date` itself (the seconds since the start of
/// 2001, which restores every date exactly).
///
/// ```swift
/// @Column(as: .secondsSince1970) var created: Date
/// let due = Column<Date>("due", as: .iso8601)
/// ```
///
/// A date is rounded to what its form holds when it is written, and so is a date that a column is compared with: a row
/// is found by the date with which it was inserted, and dates that differ by less are equal. The engine sorts the dates
/// of each form correctly. Each date has one spelling: a text or number that the form does not write is refused when it
/// is read (`typeMismatch`), and rewritten by ``Writing/convertSpellings(of:)``. The declared type of the column names
/// the form, so that a form that differs between the program and the file is an error and no wrong date.
public enum DateForm: String, Sendable, Hashable, CaseIterable {
    /// A floating-point number: the seconds since the start of 1970, UTC. It holds about a microsecond.
    case secondsSince1970
    /// An integer: the whole seconds since the start of 1970, UTC; a fraction is dropped, towards the past.
    case wholeSecondsSince1970
    /// An integer: the milliseconds since the start of 1970, UTC.
    case millisecondsSince1970
    /// Text such as `2026-11-21T20:15:00.250Z` (RFC 3339), in UTC, always with milliseconds; for the years 0 to 9999.
    case iso8601
    /// Text such as `2026-11-21 20:15:00.250`, in UTC, always with milliseconds, which GRDB stores and
    /// `strftime('%Y-%m-%d %H:%M:%f')` returns; for the years 0 to 9999. The text of `datetime()` has no milliseconds.
    case dateTime

    /// The storage class of the values.
    var storageClass: StorageClass {
        switch self {
        case .secondsSince1970: .real
        case .wholeSecondsSince1970, .millisecondsSince1970: .integer
        case .iso8601, .dateTime: .text
        }
    }

    /// The declared type of a column, whose affinity is that of the storage class.
    package var declaredType: String {
        switch self {
        case .secondsSince1970: "UNIXTIME_REAL"
        case .wholeSecondsSince1970: "UNIXTIME_INTEGER"
        case .millisecondsSince1970: "UNIXTIME_MS_INTEGER"
        case .iso8601: "ISO8601_TEXT"
        case .dateTime: "DATETIME_TEXT"
        }
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
    package func stored(_ date: Date) throws -> Value { try stored(seconds: date.timeIntervalSinceReferenceDate) }

    /// - Parameter seconds: Since the start of 2001, UTC.
    package func stored(seconds: Double) throws -> Value {
        let since1970 = seconds + WrittenDate.secondsFrom1970
        switch self {
        case .secondsSince1970: return try since1970.stored()
        case .wholeSecondsSince1970: return .integer(try whole(since1970.rounded(.down)))
        case .millisecondsSince1970: return .integer(try whole((since1970 * 1000).rounded()))
        case .iso8601, .dateTime:
            let isISO = self == .iso8601
            guard
                let text = WrittenDate.milliseconds(seconds, separator: isISO ? "T" : " ", suffix: isISO ? "Z" : "")
            else { throw Self.outOfRange }
            return .text(text)
        }
    }

    private func whole(_ number: Double) throws -> Int64 {
        guard let whole = Int64(exactly: number) else { throw Self.outOfRange }
        return whole
    }

    private static var outOfRange: StrongroomError {
        StrongroomError(
            .valueNotStorable,
            "A date is out of the range of its column's form (text has the years 0 to 9999); store dates as numbers.")
    }

    /// The seconds since the start of 2001, UTC, of a stored value; nil if it is not as the form writes dates.
    package func seconds(_ stored: Value) -> Double? {
        switch (self, stored) {
        case (.secondsSince1970, .integer(let number)):
            return Double(exactly: number).map { $0 - WrittenDate.secondsFrom1970 }
        case (.secondsSince1970, .real(let number)):
            // Near 1970 the numbers are closer together than the dates. Those of 285 million years are not.
            let seconds = number - WrittenDate.secondsFrom1970
            return seconds + WrittenDate.secondsFrom1970 == number || number.magnitude > 9e15 ? seconds : nil
        case (.wholeSecondsSince1970, _):
            return stored.wholeNumber.map { $0 - WrittenDate.secondsFrom1970 }
        case (.millisecondsSince1970, _):
            return stored.wholeNumber.map { $0 / 1000 - WrittenDate.secondsFrom1970 }
        case (.iso8601, .text(let text)):
            return WrittenDate.secondsOfMilliseconds(text, separator: "T", suffix: "Z")
        case (.dateTime, .text(let text)):
            return WrittenDate.secondsOfMilliseconds(text, separator: " ", suffix: "")
        default: return nil
        }
    }

    /// The same for a value as other programs write it: with more digits, or as a text with an offset, for example.
    package func seconds(inAnySpelling stored: Value) -> Double? {
        switch self {
        case .secondsSince1970, .wholeSecondsSince1970: stored.number.map { $0 - WrittenDate.secondsFrom1970 }
        case .millisecondsSince1970: stored.number.map { $0 / 1000 - WrittenDate.secondsFrom1970 }
        case .iso8601, .dateTime: stored.asText.flatMap { WrittenDate.secondsOfAny($0) }
        }
    }
}

extension Value {
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    /// A number without a fraction; to the engine, an integer and a floating-point number are equal if the numbers are.
    fileprivate var wholeNumber: Double? { number.flatMap { $0.rounded() == $0 ? $0 : nil } }
}

/// The stored form of an expression's values, where it is not that of their type: the scale of decimals, or the form of
/// dates.
package enum StoredForm: Sendable, Hashable {
    case decimal(DecimalScale)
    case date(DateForm)

    /// The form of a declared type; nil for any other type.
    init?(declaredType: String) {
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
    func stored<V: ColumnValue>(_ value: V) throws -> Value {
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
    func compared<V: ColumnValue>(_ value: V, _ sign: String) throws -> Value {
        guard case .decimal(let scale) = self, let decimal = value as? Decimal else { return try stored(value) }
        return try scale.compared(decimal, sign)
    }

    /// The same for a value in the form of its type.
    func compared(plain value: Value, _ sign: String) throws -> Value {
        switch (self, value) {
        case (.decimal(let scale), .text(let text)): scale.compared(sorted: text, sign) ?? value
        case (.date(let form), .real(let seconds)): try form.stored(seconds: seconds)
        default: value
        }
    }

    /// The value as which another one, in the form of its type, is stored.
    func stored(plain value: Value) throws -> Value {
        switch (self, value) {
        case (.decimal(let scale), .text(let text)):
            guard let plain = SortedDecimal.plain(text) else { return value }
            return try scale.stored(digits: plain).map { .integer($0) } ?? value
        case (.date(let form), .real(let seconds)): return try form.stored(seconds: seconds)
        default: return value
        }
    }

    /// The form in words, for messages.
    var words: String {
        switch self {
        case .decimal(let scale): "the scale \(scale.digits)"
        case .date(let form): "the form \(form.rawValue)"
        }
    }
}
