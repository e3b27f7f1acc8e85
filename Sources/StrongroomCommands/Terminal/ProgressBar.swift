import Strongroom

/// Displays the progress of an operation on standard error: a bar, the count, the rate and the remaining time.
///
/// The bar is drawn only on a terminal that can redraw a line, at most ten times a second, and may be updated from any
/// thread. A console displays one bar at a time.
///
///     let progress = ProgressBar("Copying", total: rows, on: console)
///     defer { progress.finish() }
package final class ProgressBar: Sendable {
    /// The unit of progress.
    package enum Unit: Sendable {
        /// Items: `60,123`.
        case count
        /// Bytes: `12.3 MiB`.
        case bytes
    }

    /// The text that remains after the operation.
    package enum Ending: Sendable {
        /// A line with the count, the duration and the rate.
        case summary
        /// Nothing.
        case nothing
    }

    private let label: StyledText
    private let unit: Unit
    private let console: Console
    private let stream: ConsoleStream
    private let ending: Ending
    private let now: @Sendable () -> Duration
    private let state: Locked<ProgressState>

    /// Creates a bar that appears when there is progress to display.
    ///
    /// - Parameters:
    ///   - label: The activity, such as `Copying`.
    ///   - total: The total, or nil if it is unknown.
    ///   - unit: The unit of progress.
    ///   - console: The console that displays the bar.
    ///   - ending: The text that remains at the end on a terminal.
    ///   - redirected: The text that remains at the end without a terminal.
    ///   - delay: How long the operation runs before the bar appears.
    ///   - now: The time since any fixed moment.
    package init(
        _ label: String, total: Int? = nil, unit: Unit = .count, on console: Console,
        ending: Ending = .summary, redirected: Ending = .nothing,
        delay: Duration = .zero, now: @escaping @Sendable () -> Duration = ProgressBar.uptime
    ) {
        self.label = StyledText(label)
        self.unit = unit
        self.console = console
        stream = console[.errors]
        self.ending = stream.redrawsLines ? ending : redirected
        self.now = now
        state = Locked(ProgressState(total: total, started: now(), delay: delay))
    }

    deinit {
        // An operation that threw does not leave its bar on the screen.
        perform { $0.abandon() }
    }

    /// Adds to the completed amount.
    package func advance(by count: Int = 1) {
        let now = now()
        perform { $0.advance(by: count, at: now) }
    }

    /// Sets the completed amount, and the total if it has changed.
    package func update(to completed: Int, of total: Int? = nil) {
        let now = now()
        perform { $0.update(to: completed, of: total, at: now) }
    }

    /// Redraws the bar with the current time.
    package func refresh() {
        let now = now()
        perform { $0.repeatLast(at: now) }
    }

    /// Ends the bar. Later calls have no effect.
    package func finish() {
        let now = now()
        perform { $0.finish(at: now) }
    }

    /// The time since the first call in this process.
    package static func uptime() -> Duration {
        origin.duration(to: .now)
    }

    private static let origin = ContinuousClock.now

    private func perform(_ decision: (inout ProgressState) -> ProgressState.Action?) {
        let decided = state.withLock { state in decision(&state).map { ($0, console.nextStamp()) } }
        guard let (action, stamp) = decided else { return }
        switch action {
        case .draw(let reading):
            guard stream.redrawsLines else { return }
            // A full row would move the cursor to the next one, so the last cell stays empty.
            console.show(status: line(reading).running(width: stream.width - 1), stamp: stamp)
        case .clear:
            console.show(status: nil, stamp: stamp)
        case .finish(let reading):
            console.show(status: nil, stamp: stamp)
            guard ending == .summary else { return }
            let text = line(reading).finished
            console.write(stream.isTerminal ? text.truncated(to: stream.width) : text, to: .errors)
        }
    }

    private func line(_ reading: ProgressReading) -> ProgressLine {
        ProgressLine(label: label, unit: unit, reading: reading)
    }
}

extension ProgressBar.Unit {
    func amount(_ number: Int) -> String {
        switch self {
        case .count: HumanReadable.count(number)
        case .bytes: HumanReadable.bytes(number)
        }
    }

    /// With one decimal for low rates.
    func rate(_ perSecond: Double) -> String {
        let whole = Int(max(0, min(perSecond, 1e15)).rounded())
        if self == .bytes { return "\(HumanReadable.bytes(whole))/s" }
        let tenths = Int((max(0, min(perSecond, 1e15)) * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)/s" : "\(HumanReadable.count(whole))/s"
    }
}
