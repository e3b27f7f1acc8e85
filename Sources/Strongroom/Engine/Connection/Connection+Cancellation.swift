import CSQLCipher
import Foundation

extension Connection {
    /// When the engine interrupts the running statement.
    struct Interruption {
        /// Whether the engine's progress handler checks, while a statement runs, whether to interrupt it.
        fileprivate(set) var isPolled = false
        /// Whether the library's own work on the connection has been cancelled.
        fileprivate(set) var isCancelled: (() -> Bool)?
        /// How much is lost with an interrupted statement.
        fileprivate(set) var sharing = Sharing.unshared
    }

    /// How much of a transaction is lost when the running statement is interrupted.
    enum Sharing {
        /// The transaction contains this work only.
        case unshared
        /// Other work has written in the transaction before, and the engine rolls back all of it when it interrupts a
        /// writing statement.
        case shared
    }

    func beginWork(_ sharing: Sharing) {
        interruption.sharing = sharing
        cancellation.clear()
        installProgressHandler()
    }

    /// Lets the engine check, while a statement runs, whether to interrupt it, which then fails with `interrupted`; for
    /// connections that the library uses for its own work.
    ///
    /// - Parameters:
    ///   - checks: The number of checks, one per 10,000 virtual machine steps, after which the statement is interrupted
    ///     in any case; nil for no limit.
    ///   - isCancelled: Whether the work has been cancelled.
    func stop(after checks: Int? = nil, when isCancelled: @escaping () -> Bool = { false }) {
        var left = checks
        interruption.isCancelled = {
            left = left.map { $0 - 1 }
            return left.map { $0 < 0 } ?? false || isCancelled()
        }
        installProgressHandler()
    }

    private func installProgressHandler() {
        guard !interruption.isPolled else { return }
        interruption.isPolled = true
        sqlite3_progress_handler(
            pointer,
            Self.stepsBetweenChecks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().mustStop ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Interrupts the running statement, and lets no other statement of the user begin. May be called from any thread
    /// while the connection is open.
    ///
    /// The engine rolls back a transaction in which it has interrupted a write ("Interrupt A Long-Running Query",
    /// sqlite.org/c3ref/interrupt.html). In a shared transaction only reading statements are therefore interrupted; a
    /// writing statement runs to its end, and the work ends after it.
    ///
    /// An interrupt between two statements is forgotten when the next one begins, and that one may have passed the
    /// check already; so the progress handler also checks while it runs.
    func interrupt(_ sharing: Sharing) {
        cancellation.set()
        if sharing == .unshared { sqlite3_interrupt(pointer) }
    }

    /// Steps of the engine's virtual machine.
    private static let stepsBetweenChecks: Int32 = 10_000

    private var mustStop: Bool {
        if let isCancelled = interruption.isCancelled { return isCancelled() }
        // The library's own statements, such as a rollback to a savepoint, run to their end.
        guard cancellation.isSet, !authorizer.isTrusting else { return false }
        if interruption.sharing == .unshared { return true }
        var statement = sqlite3_next_stmt(pointer, nil)
        while let each = statement {
            if sqlite3_stmt_busy(each) != 0, sqlite3_stmt_readonly(each) == 0 { return false }
            statement = sqlite3_next_stmt(pointer, each)
        }
        return true
    }
}

/// How a statement waits for the lock of another connection, in this process or another.
extension Connection {
    struct LockWait {
        /// Milliseconds.
        var timeout = 0
        fileprivate(set) var start = ContinuousClock.now
    }

    /// Milliseconds between two attempts. The engine's own busy handler increases its delays to 100 ms, which puts the
    /// longest waiter at a disadvantage; here the delays stay short.
    private static let pauses: [Int64] = [1, 2, 4, 8]
    private static let longestPause: Int64 = 10

    func setBusyTimeout(milliseconds: Int) {
        waiting.timeout = milliseconds
        sqlite3_busy_handler(
            pointer,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().waitForLock(Int(count)) ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Pauses before another attempt at a lock for which the engine does not wait.
    func pause() {
        wait(Self.longestPause)
    }

    /// Pauses before the next attempt; false when the timeout has passed or the work has been cancelled.
    private func waitForLock(_ count: Int) -> Bool {
        let now = ContinuousClock.now
        if count == 0 { waiting.start = now }
        let rest = Int64(waiting.timeout) - (now - waiting.start).milliseconds
        guard rest > 0, transaction.isCommitting || !cancellation.isSet else { return false }
        wait(min(count < Self.pauses.count ? Self.pauses[count] : Self.longestPause, rest))
        return true
    }

    private func wait(_ milliseconds: Int64) {
        use.busyRetries += 1
        use.busyMilliseconds += Int(milliseconds)
        usleep(UInt32(milliseconds * 1_000))
    }
}
