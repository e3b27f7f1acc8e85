import Synchronization

/// An operation of a store, from its request for a connection to its end; it can be stopped while it waits and while it
/// runs.
final class PoolOperation: Sendable {
    typealias Request = ConnectionScheduler<ConnectionPool.Waiter>.Request

    /// Why an operation is stopped.
    enum StopReason: UInt8 {
        // From 1: 0 is none.
        case cancelled = 1
        case timedOut
    }

    /// Identifies it in the queue.
    let ticket: UInt64
    let request: Request
    let limits: OperationLimits
    /// 0 as long as it is not stopped.
    private let reason = Atomic<UInt8>(0)
    private let begun = Atomic(false)

    init(_ ticket: UInt64, _ request: Request, _ limits: OperationLimits) {
        self.ticket = ticket
        self.request = request
        self.limits = limits
    }

    /// Why it has been stopped; nil if it has not.
    var stopReason: StopReason? { StopReason(rawValue: reason.load(ordering: .acquiring)) }

    /// Records that it is stopped; the first reason is kept.
    func stop(_ reason: StopReason) {
        _ = self.reason.compareExchange(expected: 0, desired: reason.rawValue, ordering: .acquiringAndReleasing)
    }

    /// Whether it has had its connection.
    var hasBegun: Bool { begun.load(ordering: .acquiring) }

    /// Records that it has its connection.
    func recordBegin() {
        begun.store(true, ordering: .releasing)
    }

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
