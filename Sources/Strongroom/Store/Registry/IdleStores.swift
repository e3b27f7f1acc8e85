/// The idle stores, in the order in which they are closed for others: first those that were returned once, in the order
/// of their return, then the one whose second-to-last return is oldest (LRU-2). So a scan of many stores does not close
/// busy ones.
///
/// See O'Neil, O'Neil and Weikum, The LRU-K Page Replacement Algorithm, 1993, with a K of 2.
struct IdleStores {
    struct Element {
        let name: DatabaseName
        /// When its last borrower returned it.
        let since: ContinuousClock.Instant
        /// When it was returned before that; nil if it was not.
        let returnedBefore: ContinuousClock.Instant?

        fileprivate func comes(before other: Self) -> Bool {
            switch (returnedBefore, other.returnedBefore) {
            case (let own?, let others?) where own != others: own < others
            case (nil, _?): true
            case (_?, nil): false
            // By bytes, as names are compared: no two elements may be equal.
            case _ where since == other.since:
                name.fileName.utf8.lexicographicallyPrecedes(other.name.fileName.utf8)
            default: since < other.since
            }
        }
    }

    /// Sorted.
    private(set) var elements: [Element] = []

    mutating func insert(_ element: Element) {
        elements.insert(element, at: index(of: element))
    }

    mutating func remove(_ element: Element) {
        if contains(element) { elements.remove(at: index(of: element)) }
    }

    func contains(_ element: Element) -> Bool {
        let index = index(of: element)
        return index < elements.count && elements[index].name == element.name
    }

    /// The index of a store, or that at which it is to be added.
    private func index(of element: Element) -> Int {
        var range = 0..<elements.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                elements[middle].comes(before: element)
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    // MARK: Closed stores

    /// When stores that are closed by now were returned last, of the ones that were closed last.
    private var earlierReturns: [DatabaseName: ContinuousClock.Instant] = [:]
    /// In the order in which they were added; some are no longer there.
    private var added = FIFOQueue<(name: DatabaseName, time: ContinuousClock.Instant)>()
    private var addedCount = 0

    /// Records when a store that is being closed was returned last.
    ///
    /// - Parameter most: The maximum number of stores of which this is known.
    mutating func remember(_ name: DatabaseName, _ time: ContinuousClock.Instant, most: Int) {
        earlierReturns[name] = time
        added.append((name, time))
        addedCount += 1
        while addedCount > most, let oldest = added.popFirst() {
            addedCount -= 1
            if earlierReturns[oldest.name] == oldest.time { earlierReturns[oldest.name] = nil }
        }
    }

    /// Forgets a store that is being opened again.
    ///
    /// - Returns: When it was returned last; nil if that is not known.
    mutating func forget(_ name: DatabaseName) -> ContinuousClock.Instant? {
        earlierReturns.removeValue(forKey: name)
    }
}
