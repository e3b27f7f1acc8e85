import CSQLCipher

extension Connection {
    /// When the engine stops the running statement.
    struct Interruption {
        /// Whether the engine asks now and then, while a statement runs, whether to stop it.
        fileprivate(set) var isPolled = false
        /// Whether nobody wants any more what the library does with the connection for itself.
        fileprivate(set) var isUnwanted: (() -> Bool)?
        /// How much would be lost with the running statement.
        fileprivate(set) var company = Company.alone
    }

    /// How much of a transaction is lost when the running statement is stopped.
    enum Company {
        /// The work has the transaction for itself.
        case alone
        /// Others have written in the transaction before, and the engine rolls back all of it when a writing statement
        /// is stopped.
        case shared
    }

    /// Begins work that nobody has given up.
    func beginWork(_ company: Company) {
        interruption.company = company
        cancellation.clear()
        askNowAndThen()
    }

    /// Lets the engine ask, while a statement runs, whether it is to be stopped, which fails with `interrupted`; for
    /// connections with which the library works for itself.
    ///
    /// - Parameters:
    ///   - looks: How often it may ask, each time after 10,000 steps of its own, before it is stopped in any case; nil
    ///     for as often as it likes.
    ///   - isUnwanted: Whether nobody wants the work any more.
    func stop(after looks: Int? = nil, when isUnwanted: @escaping () -> Bool = { false }) {
        var left = looks
        interruption.isUnwanted = {
            left = left.map { $0 - 1 }
            return left.map { $0 < 0 } ?? false || isUnwanted()
        }
        askNowAndThen()
    }

    private func askNowAndThen() {
        guard !interruption.isPolled else { return }
        interruption.isPolled = true
        sqlite3_progress_handler(
            pointer,
            Self.stepsBetweenLooks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().mustStop ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Stops the running statement, and lets no other one of the user's begin; from any thread, as long as the
    /// connection is not closed.
    ///
    /// The engine rolls a transaction back in which it has stopped a write ("Interrupt A Long-Running Query",
    /// sqlite.org/c3ref/interrupt.html). So in a shared one only reading statements are stopped; one that writes runs
    /// to its end, and the work ends after it.
    ///
    /// An interrupt that comes between two statements is forgotten when the next one begins, and that one may have been
    /// let through already; so the engine also asks, while it runs.
    func interrupt(_ company: Company) {
        cancellation.set()
        if company == .alone { sqlite3_interrupt(pointer) }
    }

    /// Steps of the engine's virtual machine.
    private static let stepsBetweenLooks: Int32 = 10_000

    private var mustStop: Bool {
        if let isUnwanted = interruption.isUnwanted { return isUnwanted() }
        // The library's own statements, such as those that undo the work, run to their end.
        guard cancellation.isSet, !authorizer.isTrusting else { return false }
        if interruption.company == .alone { return true }
        var statement = sqlite3_next_stmt(pointer, nil)
        while let each = statement {
            if sqlite3_stmt_busy(each) != 0, sqlite3_stmt_readonly(each) == 0 { return false }
            statement = sqlite3_next_stmt(pointer, each)
        }
        return true
    }
}
