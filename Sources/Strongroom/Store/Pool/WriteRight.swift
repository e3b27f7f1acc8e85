import Foundation
import Synchronization

/// A moment by which a store's right to write ends unless it is prolonged.
///
/// It has passed when either clock has reached it: the monotonic clock of a virtual machine that was paused has not,
/// and the wall clock may have been put back.
package struct WriteDeadline: Sendable {
    package let instant: ContinuousClock.Instant
    /// Milliseconds since 1970.
    package let time: UInt64

    package init(instant: ContinuousClock.Instant, time: UInt64) {
        (self.instant, self.time) = (instant, time)
    }

    /// The time of the day, in milliseconds since 1970, which may jump.
    package static var time: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1_000)) }

    /// How long it takes until it has passed; not above zero afterwards.
    package var remaining: Duration {
        min(instant - .now, .milliseconds(Int64(clamping: time) - Int64(clamping: Self.time)))
    }
}

/// Whether a store may write. It is a decision by the clock, not by a task that would have to run in time.
final class WriteRight: Sendable {
    private struct State {
        /// Why it has ended for good.
        var refusal: StrongroomError?
        var deadline: WriteDeadline?
        /// The error after the deadline.
        var late: StrongroomError?
    }

    private let state = Locked(State())
    /// Whether there is a refusal or a deadline.
    private let isLimited = Atomic(false)

    /// Ends the right for good.
    func end(_ refusal: StrongroomError) {
        state.withLock { $0.refusal = $0.refusal ?? refusal }
        isLimited.store(true, ordering: .releasing)
    }

    /// Sets the deadline; it does not bring back a right that has ended for good.
    ///
    /// - Parameters:
    ///   - deadline: Nil if the right has ended until there is another deadline.
    ///   - late: The error from then on.
    func limit(to deadline: WriteDeadline?, then late: StrongroomError) {
        state.withLock { ($0.deadline, $0.late) = (deadline, late) }
        isLimited.store(true, ordering: .releasing)
    }

    /// Why nothing may be written now; nil if it may.
    var refusal: StrongroomError? {
        guard isLimited.load(ordering: .acquiring) else { return nil }
        return state.withLock { state in
            if let refusal = state.refusal { return refusal }
            guard let late = state.late else { return nil }
            guard let deadline = state.deadline, deadline.remaining > .zero else { return late }
            return nil
        }
    }

    /// Throws if nothing may be written now. Before a commit, so that nothing is kept of a write that took too long.
    func require() throws {
        if let refusal { throw refusal }
    }

    /// The error for a commit that was made while the right ended; nil if it may be acknowledged.
    var refusalOfCommit: StrongroomError? {
        guard let refusal else { return nil }
        return StrongroomError(
            refusal.code,
            """
            The right to write ended while the write was committed: it is in this file, and may be lost with it. Read \
            what it has written before it is run again. \(refusal.message)
            """,
            database: refusal.database)
    }
}

extension ConnectionPool {
    /// Throws if the store is read-only, or may not write now.
    ///
    /// - Throws: ``StrongroomError`` with `readOnly`, or `closed`; the error of ``right``.
    func requireWriting() throws {
        if let refusal = right.refusal { throw isClosing ? closed : refusal }
        guard isReadOnly else { return }
        throw isClosing ? closed : StrongroomError.readOnlyStore(database)
    }
}

extension StrongroomError {
    /// The error for a write in a read-only store.
    static func readOnlyStore(_ database: String) -> StrongroomError {
        StrongroomError(
            .readOnly,
            """
            The settings say that the database is opened read-only; open it with `StoreSettings.isReadOnly` false to \
            change it.
            """,
            database: database)
    }
}
