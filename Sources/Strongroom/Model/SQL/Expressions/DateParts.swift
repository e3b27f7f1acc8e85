#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DateForm? {
    /// The whole seconds since 1970 of a stored date in a time zone, rounded down; NULL outside of the years 0 to 9999,
    /// which the engine's date functions cannot represent.
    ///
    /// The engine would round to milliseconds, and so could get a date of the next day.
    fileprivate func wholeSeconds(_ date: SQL, _ offset: Int) -> SQL {
        func literal(_ number: Int) -> SQL { SQL(verbatim: "\(number)") }
        func range(of value: SQL, per second: Int, _ seconds: SQL, since1970 shift: Int) -> SQL {
            let first = literal((-62_167_219_200 - shift) * second)
            let end = literal((253_402_300_800 - shift) * second)
            return "CASE WHEN \(value) >= \(first) AND \(value) < \(end) THEN \(seconds) + \(literal(shift)) END"
        }
        let floor: SQL = "CAST(\(date) AS INTEGER) - (\(date) < CAST(\(date) AS INTEGER))"
        switch self {
        case nil: return range(of: date, per: 1, floor, since1970: 978_307_200 + offset)
        case .since1970(.seconds): return range(of: date, per: 1, floor, since1970: offset)
        case .since1970(.wholeSeconds): return range(of: date, per: 1, date, since1970: offset)
        case .since1970(.milliseconds):
            return range(of: date, per: 1000, "\(date) / 1000 - (\(date) % 1000 < 0)", since1970: offset)
        case .iso8601, .iso8601WithBlank:
            let suffix: SQL = "substr(\(date), -6)"
            let zone: SQL =
                "CASE WHEN length(\(date)) > 19 AND substr(\(date), -6, 1) IN ('+', '-') THEN \(suffix) ELSE '' END"
            let seconds: SQL = "CAST(strftime('%s', substr(\(date), 1, 19) || \(zone)) AS INTEGER)"
            return range(of: seconds, per: 1, seconds, since1970: offset)
        }
    }
}

/// A part of a date, as a number of the Gregorian calendar.
public enum DatePart: Sendable, Hashable, CaseIterable {
    /// The year, from 0 to 9999.
    case year
    /// The month, from 1 to 12.
    case month
    /// The day of the month, from 1 to 31.
    case day
    /// The hour, from 0 to 23.
    case hour
    /// The minute, from 0 to 59.
    case minute
    /// The second, from 0 to 59.
    case second
    /// The day of the week, from 1 for Sunday to 7 for Saturday, as in Foundation's `Calendar`.
    case weekday
    /// The day of the year, from 1 to 366.
    case dayOfYear

    fileprivate var format: String {
        switch self {
        case .year: "%Y"
        case .month: "%m"
        case .day: "%d"
        case .hour: "%H"
        case .minute: "%M"
        case .second: "%S"
        case .weekday: "%w"
        case .dayOfYear: "%j"
        }
    }
}

/// A span of time of the Gregorian calendar, to whose start a date is rounded down.
public enum DateSpan: Sendable, Hashable, CaseIterable {
    /// A year.
    case year
    /// A month.
    case month
    /// A week, which begins on Monday.
    case week
    /// A day.
    case day
    /// An hour.
    case hour
    /// A minute.
    case minute

    /// The start of the span as text. The modifier 'unixepoch' would be wrong after the year 5352 in older engines.
    fileprivate func start(_ seconds: SQL) -> SQL {
        switch self {
        case .year: "strftime('%Y-01-01', '1970-01-01', \(seconds) || ' seconds')"
        case .month: "strftime('%Y-%m-01', '1970-01-01', \(seconds) || ' seconds')"
        case .week: "strftime('%Y-%m-%d', '1970-01-01', \(seconds) || ' seconds', 'weekday 0', '-6 days')"
        case .day: "strftime('%Y-%m-%d', '1970-01-01', \(seconds) || ' seconds')"
        case .hour: "strftime('%Y-%m-%d %H:00:00', '1970-01-01', \(seconds) || ' seconds')"
        case .minute: "strftime('%Y-%m-%d %H:%M:00', '1970-01-01', \(seconds) || ' seconds')"
        }
    }
}

extension SQLExpression where Value.Unwrapped == Date {
    /// A part of the date.
    ///
    /// ```swift
    /// let perWeekday = try Appointment.group { $0.date.part(.weekday) }
    ///     .select { ($0.date.part(.weekday), RowCount()) }.fetch(in: db)
    /// ```
    ///
    /// See SQLite's documentation, "Date And Time Functions" (sqlite.org/lang_datefunc.html).
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - secondsFromGMT: The offset of the time zone, from -64,800 to 64,800; a query has no daylight saving time.
    /// - Returns: The number; nil for NULL, for a date outside of the years 0 to 9999, and for a date that is stored as
    ///   text with an offset of 15 hours or more, or with a lower-case `t`, which this library does not write. For
    ///   another offset, running the query throws ``StrongroomError`` with `sql`.
    public func part(_ part: DatePart, secondsFromGMT: Int = 0) -> Computed<Int?> {
        let seconds = sql.wholeSeconds(secondsFromGMT)
        let text: SQL = "strftime('\(SQL(verbatim: part.format))', '1970-01-01', \(seconds) || ' seconds')"
        let number: SQL = "CAST(\(text) AS INTEGER)"
        return Computed(enclosed: part == .weekday ? "(\(number) + 1)" : number)
    }

    /// The start of the year, month, week, day, hour or minute that the date is in.
    ///
    /// ```swift
    /// let perDay = try Appointment.group { $0.date.start(of: .day) }
    ///     .select { ($0.date.start(of: .day), RowCount()) }
    ///     .fetch(in: db)                                          // [(Date?, Int)]
    /// ```
    ///
    /// - Parameters:
    ///   - span: The span of time.
    ///   - secondsFromGMT: The offset of the time zone, from -64,800 to 64,800; a query has no daylight saving time.
    /// - Returns: The date; nil where ``part(_:secondsFromGMT:)`` is, and for the week of the first days of the year 0,
    ///   which begins before it. For another offset, running the query throws ``StrongroomError`` with `sql`.
    public func start(of span: DateSpan, secondsFromGMT: Int = 0) -> Computed<Date?> {
        let start = span.start(sql.wholeSeconds(secondsFromGMT))
        // An offset that is refused may be any number.
        let shift = SQL(verbatim: "\(978_307_200 &+ secondsFromGMT)")
        return Computed(enclosed: "CAST(strftime('%s', \(start)) - \(shift) AS REAL)")
    }
}

extension SQL {
    fileprivate func wholeSeconds(_ offset: Int) -> SQL {
        guard (-64_800...64_800).contains(offset) else {
            return SQL(
                failing: StrongroomError(
                    .invalidArgument,
                    "A time zone's offset is at most 18 hours; give the seconds from GMT, from -64800 to 64800."))
        }
        let dateForm: DateForm? = if case .date(let form)? = form { form } else { nil }
        return dateForm.wholeSeconds(inForm(nil), offset)
    }
}
