/// How far an operation is at one moment.
struct ProgressReading: Equatable, Sendable {
    var completed: Int
    /// Nothing if it is not known how much there is to do.
    var total: Int?
    var elapsed: Duration

    /// As much of a whole as is done, rounded down: the whole only if everything is done.
    func share(of whole: Int) -> Int? {
        guard let total else { return nil }
        if completed >= total { return whole }
        return Int(Int128(max(0, completed)) * Int128(whole) / Int128(total))
    }

    /// How many a second, once that means something.
    var rate: Double? {
        elapsed < .seconds(1) ? nil : Double(completed) / (elapsed / .seconds(1))
    }

    /// The time left if the rest goes at the rate so far, once there is a rate and it is a second or longer.
    var timeLeft: Duration? {
        guard let total, let rate else { return nil }
        let seconds = Double(total - completed) / rate
        // More than a thousand years is no estimate, and soon more than a Duration holds.
        return seconds >= 1 && seconds < 31_536_000_000 ? .seconds(seconds) : nil
    }
}
