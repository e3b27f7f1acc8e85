import CSQLCipher

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How a statement waits for the lock of another connection, in this process or another.
extension Connection {
    struct LockWait {
        /// Milliseconds.
        var timeout = 0
        /// When the running statement began to wait.
        fileprivate(set) var start = ContinuousClock.now
    }

    /// Milliseconds between two attempts. The engine's own busy handler increases its delays to 100 ms, which puts the
    /// longest waiter at a disadvantage; here the delays stay short.
    private static let pauses: [Int64] = [1, 2, 4, 8]
    private static let longestPause: Int64 = 10

    /// Limits how long a statement waits for another connection's lock.
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

    /// Pauses before the next attempt.
    ///
    /// - Parameter count: The number of attempts so far.
    /// - Returns: False when the timeout has passed or the work has been cancelled.
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
