/// The text for a progress reading in a row of a given width.
struct ProgressLine {
    var label: StyledText
    var unit: ProgressBar.Unit
    var reading: ProgressReading

    private static let barWidths = 10...30

    /// The line while the operation runs, never wider than the limit. The bar uses the remaining space; if there is too
    /// little, the rate is omitted first, then the remaining time, the count, the bar and the end of the label.
    func running(width limit: Int) -> StyledText {
        guard reading.total != nil || reading.completed > 0 else {
            // There is no count, or not yet.
            return short(StyledText(HumanReadable.wholeSeconds(reading.elapsed), .dim), width: limit)
        }
        let percent = reading.share(of: 100).map { StyledText(Self.padded("\($0)%", to: 4)) }
        let left = reading.timeLeft.map { StyledText("\(HumanReadable.wholeSeconds($0)) left", .dim) }
        let tails = [[percent, count, rate, left], [percent, count, left], [percent, count], [percent]]
        let fitted = tails.lazy.compactMap { filled($0.compactMap(\.self), width: limit) }
        return fitted.first ?? short(percent ?? count, width: limit)
    }

    /// The line that remains after the operation: `Copying: 60,123 in 4.87 s, 12,345/s`.
    var finished: StyledText {
        let amount = unit.amount(reading.completed)
        let isPartial = reading.total.map { $0 != reading.completed } ?? false
        let whole = isPartial ? " of \(unit.amount(reading.total ?? 0))" : ""
        let pace = reading.rate.map { ", \(unit.rate($0))" } ?? ""
        return "\(label): \(amount)\(whole) in \(HumanReadable.duration(reading.elapsed))\(pace)"
    }

    private var count: StyledText {
        let amount = unit.amount(reading.completed)
        guard let total = reading.total.map({ unit.amount($0) }) else { return StyledText(amount) }
        return StyledText("\(Self.padded(amount, to: total.count))/\(total)")
    }

    private var rate: StyledText? {
        reading.rate.map { StyledText(unit.rate($0), .dim) }
    }

    /// The label, the bar and the parts after it, if they fit.
    private func filled(_ tail: [StyledText], width limit: Int) -> StyledText? {
        let line = Self.joined([label] + tail)
        guard reading.total != nil else { return line.width <= limit ? line : nil }
        let room = limit - line.width - 2
        guard room >= Self.barWidths.lowerBound else { return nil }
        return bar(width: min(room, Self.barWidths.upperBound)).map { Self.joined([label, $0] + tail) }
    }

    private func short(_ end: StyledText, width limit: Int) -> StyledText {
        let room = limit - end.width - 2
        guard room > 0 else { return end.truncated(to: limit) }
        return Self.joined([label.truncated(to: room), end])
    }

    /// In ASCII, because terminals differ in the width of block characters.
    private func bar(width: Int) -> StyledText? {
        let room = width - 2
        guard let done = reading.share(of: room) else { return nil }
        let head = done < room ? ">" : ""
        let rest = String(repeating: " ", count: room - done - head.count)
        return "[\(String(repeating: "=", count: done) + head, .green)\(rest)]"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func joined(_ parts: [StyledText]) -> StyledText {
        var line = StyledText("")
        for part in parts where part.width > 0 {
            if line.width > 0 { line.append("  ") }
            line.append(part)
        }
        return line
    }
}
