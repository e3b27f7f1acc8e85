import Strongroom

/// Shows on standard error how far an operation is: a bar, the count, the rate and the time left.
///
/// The bar is drawn only where a terminal can redraw a line, at most ten times a second, and may be told from any
/// thread. A console shows one bar at a time.
///
///     let progress = ProgressBar("Copying", total: rows, on: console)
///     defer { progress.finish() }
package final class ProgressBar: Sendable {
    /// What is counted.
    package enum Unit: Sendable {
        /// Things: `60,123`.
        case count
        /// Bytes: `12.3 MiB`.
        case bytes
    }

    /// What is left when the operation has ended.
    package enum Ending: Sendable {
        /// A line with the count, the time and the rate.
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

    /// A bar that is first drawn when there is progress to show.
    ///
    /// - Parameters:
    ///   - label: What is being done, such as `Copying`.
    ///   - total: How much there is to do, or nothing if that is not known.
    ///   - unit: What is counted.
    ///   - console: Where the bar is shown.
    ///   - ending: What is left at the end on a terminal.
    ///   - redirected: What is left at the end where there is no terminal.
    ///   - delay: How long the operation runs before the bar is first drawn.
    ///   - now: The time since any one moment.
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
        // An operation that threw does not leave its bar behind.
        perform { $0.abandon() }
    }

    /// Adds to what is done.
    package func advance(by count: Int = 1) {
        let now = now()
        perform { $0.advance(by: count, at: now) }
    }

    /// Sets what is done, and how much there is to do if that has changed.
    package func update(to completed: Int, of total: Int? = nil) {
        let now = now()
        perform { $0.update(to: completed, of: total, at: now) }
    }

    /// Draws the bar anew, since time has gone on.
    package func refresh() {
        let now = now()
        perform { $0.repeatLast(at: now) }
    }

    /// Ends the bar. Later calls do nothing.
    package func finish() {
        let now = now()
        perform { $0.finish(at: now) }
    }

    /// The time since the process first asked.
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
            // A full row would make the terminal go to the next one, so the last cell stays empty.
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

    /// With one decimal for what is slow.
    func rate(_ perSecond: Double) -> String {
        let whole = Int(max(0, min(perSecond, 1e15)).rounded())
        if self == .bytes { return "\(HumanReadable.bytes(whole))/s" }
        let tenths = Int((max(0, min(perSecond, 1e15)) * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)/s" : "\(HumanReadable.count(whole))/s"
    }
}
