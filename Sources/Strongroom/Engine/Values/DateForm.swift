#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
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
    package func stored(_ date: Date) throws -> Value { try stored(seconds: date.timeIntervalSinceReferenceDate) }

    /// - Parameter seconds: Since the start of 2001, UTC.
    package func stored(seconds: Double) throws -> Value {
        let since1970 = seconds + WrittenDate.secondsFrom1970
        switch self {
        case .since1970(.seconds): return try since1970.stored()
        case .since1970(.wholeSeconds): return .integer(try whole(since1970.rounded(.down)))
        case .since1970(.milliseconds): return .integer(try whole((since1970 * 1000).rounded()))
        case .iso8601, .iso8601WithBlank:
            guard let text = WrittenDate.milliseconds(seconds, hasBlank: self == .iso8601WithBlank) else {
                throw Self.outOfRange
            }
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
    package func seconds(inAnySpelling stored: Value) -> Double? {
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
    package func compared(plain value: Value, _ sign: String) throws -> Value {
        switch (self, value) {
        case (.decimal(let scale), .text(let text)): scale.compared(sorted: text, sign) ?? value
        case (.date(let form), .real(let seconds)): try form.stored(seconds: seconds)
        default: value
        }
    }

    /// The value as which another one, in the form of its type, is stored.
    package func stored(plain value: Value) throws -> Value {
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
        case .date(let form): "the form \(form.name)"
        }
    }
}
