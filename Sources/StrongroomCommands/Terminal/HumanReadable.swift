/// Readable numbers, the same in every locale.
package enum HumanReadable {
    private static let byteUnits = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// The number with a comma as the thousands separator: `60,123`.
    package static func count(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number.magnitude))
        let sign = number < 0 ? "-" : ""
        return digits.enumerated().reduce(into: sign) { text, digit in
            let remaining = digits.count - digit.offset
            if digit.offset > 0, remaining.isMultiple(of: 3) { text.append(",") }
            text.append(digit.element)
        }
    }

    /// A number with its noun: `1 row`, `60,123 rows`.
    package static func count(_ number: some BinaryInteger, _ thing: String) -> String {
        "\(count(number)) \(thing)\(number == 1 ? "" : "s")"
    }

    /// A number of bytes in the largest binary unit with a value of at least one: `512 B`, `12.3 MiB`.
    package static func bytes(_ number: some BinaryInteger) -> String {
        let sign = number < 0 ? "-" : ""
        let magnitude = UInt64(clamping: number.magnitude)
        guard magnitude >= 1024 else { return "\(sign)\(magnitude) B" }
        // Chosen after rounding, so that one byte less than a MiB is "1.0 MiB" and not "1024.0 KiB".
        let index = byteUnits.indices.first { Self.tenths(of: magnitude, inUnit: $0) < 10240 } ?? byteUnits.count - 1
        let tenths = Self.tenths(of: magnitude, inUnit: index)
        return "\(sign)\(tenths / 10).\(tenths % 10) \(byteUnits[index])"
    }

    /// A duration with about three significant digits: `310 ms`, `1.24 s`, `2 min 05 s`, `1 h 02 min`, `3 d 04 h`.
    package static func duration(_ duration: Duration) -> String {
        guard duration >= .zero else { return "-" + self.duration(.zero - duration) }
        let microseconds = rounded(duration, to: 1_000_000_000_000)
        if microseconds < 1000 { return "\(microseconds) µs" }
        let milliseconds = rounded(duration, to: 1_000_000_000_000_000)
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        let hundredths = rounded(duration, to: 10_000_000_000_000_000)
        if hundredths < 1000 { return "\(hundredths / 100).\(twoDigits(hundredths % 100)) s" }
        let tenths = rounded(duration, to: 100_000_000_000_000_000)
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        return wholeSeconds(duration)
    }

    /// A duration in whole seconds, for an estimate: `4 s`, `2 min 05 s`, `1 h 02 min`, `3 d 04 h`.
    package static func wholeSeconds(_ duration: Duration) -> String {
        guard duration >= .zero else { return "-" + wholeSeconds(.zero - duration) }
        let seconds = rounded(duration, to: attosecondsInSecond)
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(twoDigits(seconds % 60)) s" }
        let minutes = rounded(duration, to: 60 * attosecondsInSecond)
        if minutes < 1440 { return "\(minutes / 60) h \(twoDigits(minutes % 60)) min" }
        let hours = rounded(duration, to: 3600 * attosecondsInSecond)
        return "\(count(hours / 24)) d \(twoDigits(hours % 24)) h"
    }

    private static let attosecondsInSecond: Int128 = 1_000_000_000_000_000_000

    /// Each unit is rounded from the exact duration, so that 999.6 ms is "1.00 s" and no value is rounded twice.
    private static func rounded(_ duration: Duration, to attoseconds: Int128) -> Int128 {
        (duration.attoseconds + attoseconds / 2) / attoseconds
    }

    private static func tenths(of magnitude: UInt64, inUnit index: Int) -> UInt64 {
        let shift = 10 * UInt64(index + 1)
        let unit: UInt64 = 1 << shift
        let remainder = magnitude & (unit - 1)
        return (magnitude >> shift) * 10 + ((remainder * 10 + unit / 2) >> shift)
    }

    private static func twoDigits(_ number: Int128) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
