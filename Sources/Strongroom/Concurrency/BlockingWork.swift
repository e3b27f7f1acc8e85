import Dispatch

/// Runs a task's blocking work on a thread of its own instead of Swift's cooperative threads.
package enum BlockingWork {
    package static func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            KeptThreads.shared.run("strongroom.job") {
                let result = Result { try work() }
                DedicatedThread.end()
                continuation.resume(with: result)
            }
        }
    }

    /// Blocks a thread that may block until asynchronous work returns.
    package static func wait<T: Sendable>(for work: @escaping @Sendable () async throws -> T) throws -> T {
        let outcome = Locked<Result<T, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<T, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}
