// Which of the idle stores is closed for another.
extension LendingQueue {
    var idle: some Sequence<(name: DatabaseName, entry: Entry)> {
        entries.lazy.filter { $0.value.idleSince != nil }.map { ($0.key, $0.value) }
    }

    /// The idle store whose last return but one was longest ago; of those that were returned once, the one whose return
    /// was. So a walk over many stores does not close those that are used again and again.
    ///
    /// See O'Neil, O'Neil and Weikum, The LRU-K Page Replacement Algorithm, 1993, with a K of 2.
    var leastUsed: DatabaseName? {
        idle.min { $0.entry.isUsedLess(than: $1.entry) }?.name
    }

    /// Closes as many idle stores as are waited for.
    mutating func closeForOthers(_ steps: inout Steps) {
        // What is being opened needs no store to be closed.
        guard openings < limits.openings else { return }
        let isExceeded = isExceeded(limits)
        let wanted = waiting.nameCount
        while closings < wanted, isExceeded || openCount - closings + wanted > limits.openStores, let name = leastUsed {
            closeForAnother(name, &steps)
        }
    }

    /// While stores are being opened near the limit, closes idle ones ahead of the next requests, which would have to
    /// wait for that.
    mutating func closeAhead(_ steps: inout Steps) {
        guard openings > 0 else { return }
        let spare = min(limits.openings, limits.openStores / 8)
        while openCount - closings > limits.openStores - spare, let name = leastUsed { closeForAnother(name, &steps) }
    }

    private mutating func closeForAnother(_ name: DatabaseName, _ steps: inout Steps) {
        counts.closedForOthers += 1
        close(name, &steps, makesRoom: true)
    }
}

extension LendingQueue.Entry {
    /// Records that a borrower uses the store, alone or beside others.
    mutating func beginUse() {
        guard let idleSince else { return }
        returnedBefore = idleSince
        self.idleSince = nil
        isTrimmed = false
    }

    fileprivate func isUsedLess(than other: Self) -> Bool {
        guard returnedBefore == other.returnedBefore else {
            guard let own = returnedBefore else { return true }
            guard let others = other.returnedBefore else { return false }
            return own < others
        }
        guard let idleSince, let others = other.idleSince else { return false }
        return idleSince < others
    }
}
