/// When stores that are closed by now were returned last, of the ones that were closed last.
struct EarlierReturns {
    private var times: [DatabaseName: ContinuousClock.Instant] = [:]
    /// In the order in which they were added; some are no longer there.
    private var added = FIFOQueue<(name: DatabaseName, time: ContinuousClock.Instant)>()
    private var addedCount = 0

    /// Adds a store that is being closed.
    ///
    /// - Parameter most: How many are kept at most.
    mutating func add(_ name: DatabaseName, _ time: ContinuousClock.Instant, most: Int) {
        times[name] = time
        added.append((name, time))
        addedCount += 1
        while addedCount > most, let oldest = added.popFirst() {
            addedCount -= 1
            if times[oldest.name] == oldest.time { times[oldest.name] = nil }
        }
    }

    /// Removes a store that is being opened again.
    ///
    /// - Returns: When it was returned last; nil if that is not known.
    mutating func remove(_ name: DatabaseName) -> ContinuousClock.Instant? {
        times.removeValue(forKey: name)
    }
}
