import Dispatch
import Foundation
import Synchronization

/// An operation of a store, from its request for a connection to its end; it can be stopped while it waits and while it
/// runs.
final class PoolOperation: Sendable {
    typealias Request = ConnectionScheduler<ConnectionPool.Waiter>.Request

    enum StopReason { case cancelled, timedOut }

    private struct State {
        var stopReason: StopReason?
        /// When it got its connection. In a machine's sleep this clock stands still, as that of a timeout does.
        var start: DispatchTime?
        /// What a part of it runs on at the moment.
        var running: (connection: Connection, sharing: Connection.Sharing)?
    }

    /// Identifies it in the queue.
    let ticket: UInt64
    let request: Request
    let limits: OperationLimits
    /// The priority of the task that has requested it.
    let urgency: Urgency
    private let state = Locked(State())

    init(_ ticket: UInt64, _ request: Request, _ limits: OperationLimits, _ urgency: Urgency = .medium) {
        self.ticket = ticket
        self.request = request
        self.limits = limits
        self.urgency = urgency
    }

    var stopReason: StopReason? { state.withLock { $0.stopReason } }

    /// Stops it: no further part begins, and the one that runs is interrupted. The first reason is kept.
    func stop(_ reason: StopReason) {
        state.withLock { state in
            state.stopReason = state.stopReason ?? reason
            // Inside the lock: after the part, another operation may use the connection.
            if let (connection, sharing) = state.running { connection.interrupt(sharing) }
        }
    }

    /// For how long it has had its connection; nil if it had none yet.
    var time: Duration? {
        guard let start = state.withLock({ $0.start }) else { return nil }
        let now = DispatchTime.now().uptimeNanoseconds
        return .nanoseconds(Int64(clamping: now - min(now, start.uptimeNanoseconds)))
    }

    /// Records that it has its connection.
    func begin() { state.withLock { $0.start = $0.start ?? .now() } }

    /// Records that a part of it begins.
    ///
    /// - Throws: `CancellationError` if it has been stopped meanwhile.
    func beginPart(on connection: Connection, _ sharing: Connection.Sharing) throws {
        try state.withLock { state in
            // Inside the lock: a stop from now on finds the part.
            guard state.stopReason == nil else { throw CancellationError() }
            state.start = state.start ?? .now()
            state.running = (connection, sharing)
        }
    }

    /// Records that the part is done: from now on, nothing is interrupted.
    func endPart() { state.withLock { $0.running = nil } }

    /// How errors name it.
    var name: String {
        let kind =
            switch request {
            case .read: "read"
            case .write, .ungroupedWrite: "write"
            case .exclusive: "exclusive work"
            }
        return limits.label.map { "the \(kind) \"\($0)\"" } ?? "a \(kind) without a label"
    }

    /// Whether the two operations compete for the same connection.
    func isRival(of other: PoolOperation) -> Bool {
        request == .exclusive || other.request == .exclusive || (request == .read) == (other.request == .read)
    }
}

/// Calls a closure once after a time, on one of the system's threads, unless the timer is cancelled before.
func startTimer(after time: Duration, _ call: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + .milliseconds(Int(clamping: max(0, time.milliseconds))))
    timer.setEventHandler(handler: call)
    timer.resume()
    return timer
}

/// How a write's transaction begins, and whether other writes may share it.
///
/// See SQLite's documentation, "Transaction" (sqlite.org/lang_transaction.html).
public enum WriteKind: Sendable, Hashable {
    /// Writes that wait at the same time share one transaction, each in its own savepoint. It begins with BEGIN
    /// IMMEDIATE.
    case shared
    /// A separate transaction, which acquires the write lock when it begins. Cancellation interrupts it also in the
    /// middle of a statement.
    case immediate
    /// A separate transaction, which acquires the write lock with its first writing statement; that statement fails
    /// with `busy` if another process has written since the transaction's first read.
    case deferred
}

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

    /// The error for a commit during which the right ended; nil if it may be acknowledged.
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

/// A write that waits for an event, such as a timer, and that must not be lost if the store closes first.
package protocol DeferredWrite: AnyObject, Sendable {
    /// Queues the pending write for the writer; runs neither user code nor the engine.
    func queue()
}
