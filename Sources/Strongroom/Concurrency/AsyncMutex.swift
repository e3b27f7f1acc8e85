/// A mutex for asynchronous work; waiting tasks acquire it in FIFO order.
final class AsyncMutex: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isLocked = false
        var queue = FIFOQueue<Waiter>()
        var count: UInt64 = 0
    }

    private let state = Locked(State())

    /// Acquires the mutex, runs the work and releases the mutex.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; what the work throws.
    func run<T>(_ work: () async throws -> T) async throws -> T {
        guard await acquire() else { throw CancellationError() }
        defer { release() }
        return try await work()
    }

    private func acquire() async -> Bool {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLocked: Bool? = state.withLock { state in
                    // Checked under the lock: a task that is cancelled later is found in the queue.
                    if Task.isCancelled { return false }
                    guard state.isLocked else {
                        state.isLocked = true
                        return true
                    }
                    state.queue.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let isLocked { continuation.resume(returning: isLocked) }
            }
        } onCancel: {
            let waiter = state.withLock { state in state.queue.remove { $0.number == number } }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func release() {
        let next = state.withLock { state in
            let next = state.queue.popFirst()
            state.isLocked = next != nil
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
