/// A mutex for asynchronous work; waiting tasks acquire it in FIFO order.
final class AsyncMutex: Sendable {
    private struct Waiting {
        let number: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isTaken = false
        var line = FIFOQueue<Waiting>()
        var count: UInt64 = 0
    }

    private let state = Locked(State())

    /// Acquires the mutex, runs the work and releases the mutex.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; what the work throws.
    func run<T>(_ work: () async throws -> T) async throws -> T {
        guard await take() else { throw CancellationError() }
        defer { pass() }
        return try await work()
    }

    private func take() async -> Bool {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isTaken: Bool? = state.withLock { state in
                    // Checked under the lock: a task that is cancelled later is found in the queue.
                    if Task.isCancelled { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.line.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let isTaken { continuation.resume(returning: isTaken) }
            }
        } onCancel: {
            let waiting = state.withLock { state in state.line.remove { $0.number == number } }
            waiting?.continuation.resume(returning: false)
        }
    }

    private func pass() {
        let next = state.withLock { state in
            let next = state.line.popFirst()
            state.isTaken = next != nil
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
