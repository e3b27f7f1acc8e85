import Dispatch

/// Runs blocking work of a task on a thread of its own, away from Swift's cooperative threads.
enum BlockingWork {
    static func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DedicatedThread.start("strongroom.job") { _ in
                let result = Result { try work() }
                DedicatedThread.end()
                continuation.resume(with: result)
            }
        }
    }

    /// Waits, on a thread that may wait, for work that is a task's.
    static func wait<T: Sendable>(for work: @escaping @Sendable () async throws -> T) throws -> T {
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
