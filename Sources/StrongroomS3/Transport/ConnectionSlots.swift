#if S3
internal import Strongroom

/// The slots of the connections to a service, acquired in FIFO order.
///
/// A request waits here, and not in the HTTP client, where the wait would count as part of its time-out for connecting.
final class ConnectionSlots: Sendable {
    private struct State {
        var free: Int
        var latest = 0
        var waiters: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Acquires a slot.
    ///
    /// - Throws: `CancellationError`; no slot is acquired then.
    func acquire() async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        let isAcquired = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Bool? = state.withLock { state in
                    // A cancellation that came before this has found no waiter.
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiters.append((number, continuation))
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).continuation }
            }
            continuation?.resume(returning: false)
        }
        guard isAcquired else { throw CancellationError() }
    }

    /// Releases a slot.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
#endif
