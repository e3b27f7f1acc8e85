/// The progress of an operation at one moment.
struct ProgressReading: Equatable, Sendable {
    var completed: Int
    /// Nil if the total is unknown.
    var total: Int?
    var elapsed: Duration

    /// The completed part of a whole, rounded down: the whole only if everything is complete.
    func share(of whole: Int) -> Int? {
        guard let total else { return nil }
        if completed >= total { return whole }
        return Int(Int128(max(0, completed)) * Int128(whole) / Int128(total))
    }

    /// The rate per second, once it is meaningful.
    var rate: Double? {
        elapsed < .seconds(1) ? nil : Double(completed) / (elapsed / .seconds(1))
    }

    /// The remaining time at the average rate, once there is a rate and the time is at least a second.
    var timeLeft: Duration? {
        guard let total, let rate else { return nil }
        let seconds = Double(total - completed) / rate
        // More than a thousand years is not a useful estimate, and soon exceeds the range of Duration.
        return seconds >= 1 && seconds < 31_536_000_000 ? .seconds(seconds) : nil
    }
}
