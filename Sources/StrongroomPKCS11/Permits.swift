import Strongroom

/// A number of permits, for which tasks wait in FIFO order without blocking a thread.
final class Permits: Sendable {
    private struct State {
        var free: Int
        var latest = 0
        var waiters: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(free: count)) }

    /// Runs work with a permit.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before it has a permit; what the work throws.
    func run<T>(_ work: () async throws -> T) async throws -> T {
        guard await acquire() else { throw CancellationError() }
        defer { release() }
        return try await work()
    }

    private func acquire() async -> Bool {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAcquired: Bool? = state.withLock { state in
                    // Checked under the lock: a task that is cancelled later is found among the waiters.
                    if Task.isCancelled { return false }
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiters.append((number, continuation))
                    return nil
                }
                if let isAcquired { continuation.resume(returning: isAcquired) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
