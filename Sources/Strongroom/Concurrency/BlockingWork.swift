import Dispatch
import Synchronization

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

    /// As ``run(_:)``, for work that ends soon when its task is cancelled.
    ///
    /// - Parameter work: Gets a closure that throws `CancellationError` once the task has been cancelled.
    static func runUntilCancelled<T: Sendable>(
        _ work: @escaping @Sendable (_ goOn: @escaping () throws -> Void) throws -> T
    ) async throws -> T {
        let flag = Flag()
        return try await withTaskCancellationHandler {
            try await run { try work { if flag.isRaised.load(ordering: .relaxed) { throw CancellationError() } } }
        } onCancel: {
            flag.isRaised.store(true, ordering: .relaxed)
        }
    }

    private final class Flag: Sendable {
        let isRaised = Atomic(false)
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
