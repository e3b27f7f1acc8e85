/// What the functions of the queue return.
extension LendingQueue {
    /// The answer to a request.
    enum Grant {
        /// The caller uses the open store, and returns it.
        case use(Loan, Opened)
        /// The caller opens the store, alone or beside others, and reports the outcome.
        case open(Loan)
        /// Nothing is lent any more.
        case ended
    }

    /// What follows from a change.
    struct Steps {
        /// Requests that have waited, with their answers.
        var granted: [(waiter: Waiter, grant: Grant)] = []
        var closing: [Closing] = []
    }

    /// A store to close; ``LendingQueue/closed(_:)`` reports that it was done.
    struct Closing {
        let loan: Loan
        let store: Opened
        /// Whether it is closed for another, and is likely to be opened again soon.
        let makesRoom: Bool
    }
}

extension LendingQueue.Steps {
    static func += (left: inout Self, right: Self) {
        left.granted += right.granted
        left.closing += right.closing
    }
}

extension LendingQueue.Grant: Sendable where Opened: Sendable {}
extension LendingQueue.Closing: Sendable where Opened: Sendable {}
extension LendingQueue.Steps: Sendable where Opened: Sendable, Waiter: Sendable {}
