/// Decides when a progress bar is drawn; it does no output itself.
struct ProgressState: Sendable {
    enum Action: Equatable {
        case draw(ProgressReading)
        case finish(ProgressReading)
        case clear
    }

    private static let interval: Duration = .milliseconds(100)

    private let started: Duration
    /// How long an operation runs before its bar appears.
    private let delay: Duration
    private var completed = 0
    private var total: Int?
    private var lastDrawn: Duration?
    private var isFinished = false

    init(total: Int?, started: Duration, delay: Duration = .zero) {
        self.total = total
        self.delay = delay
        self.started = started
    }

    mutating func advance(by count: Int, at now: Duration) -> Action? {
        update(to: completed + count, of: total, at: now)
    }

    mutating func update(to completed: Int, of total: Int?, at now: Duration) -> Action? {
        guard !isFinished else { return nil }
        let isFirstTotal = self.total == nil && total != nil
        self.completed = completed
        self.total = total ?? self.total
        guard now - started >= delay else { return nil }
        if !isFirstTotal, let lastDrawn, now - lastDrawn < Self.interval { return nil }
        lastDrawn = now
        return .draw(reading(at: now))
    }

    /// Redraws the last progress with the current time.
    mutating func repeatLast(at now: Duration) -> Action? {
        update(to: completed, of: total, at: now)
    }

    mutating func finish(at now: Duration) -> Action? {
        guard !isFinished else { return nil }
        isFinished = true
        return .finish(reading(at: now))
    }

    /// The bar is removed without a final line.
    mutating func abandon() -> Action? {
        guard !isFinished else { return nil }
        isFinished = true
        return .clear
    }

    private func reading(at now: Duration) -> ProgressReading {
        // Another thread may have read the clock earlier and arrived here later.
        ProgressReading(completed: completed, total: total, elapsed: max(.zero, now - started))
    }
}
