import Dispatch
import Foundation
import Synchronization

extension DedicatedThread {
    /// Names the running thread for debuggers and system tools. Linux ignores a name of more than 15 bytes.
    static func setName(_ name: String) { Thread.current.name = name }
}

/// A cached pool of threads for work that blocks. Each call has a thread to itself, which waits for more work for a
/// while afterwards: creating one takes many times as long as waking one.
final class ThreadPool: Sendable {
    private struct Work: Sendable {
        let name: String
        let body: @Sendable () -> Void
    }

    private final class Worker: Sendable {
        let work: Locked<Work?>
        let wake = DispatchSemaphore(value: 0)

        init(_ work: Work) { self.work = Locked(work) }
    }

    static let shared = ThreadPool(patience: .seconds(1))

    private let patience: DispatchTimeInterval
    /// The threads without work, the most recently used one last.
    private let idle = Locked<[Worker]>([])

    init(patience: DispatchTimeInterval) { self.patience = patience }

    var idleCount: Int { idle.withLock { $0.count } }

    /// Does work on a thread that does nothing else meanwhile.
    ///
    /// - Parameters:
    ///   - name: The thread's name meanwhile, at most 15 bytes.
    ///   - body: Must call ``DedicatedThread/end()`` before it reports its end.
    func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let work = Work(name: name, body: body)
        if let worker = idle.withLock({ $0.popLast() }) {
            worker.work.withLock { $0 = work }
            worker.wake.signal()
        } else {
            let worker = Worker(work)
            DedicatedThread.start(name) { [self] in run(worker) }
        }
    }

    /// Does work on the current thread until there is none for a while.
    private func run(_ worker: Worker) {
        var name: String?
        repeat {
            doWork(of: worker, &name)
            // What was released after the report may have used the engine again.
            DedicatedThread.end()
        } while waitForWork(worker)
    }

    /// A function of its own, so that nothing of the work is retained while the thread waits.
    @inline(never)
    private func doWork(of worker: Worker, _ name: inout String?) {
        guard let work = worker.work.withLock({ $0.take() }) else { return }
        if name != work.name { DedicatedThread.setName(work.name) }
        name = work.name
        work.body()
    }

    /// - Returns: False if there was none for a while.
    private func waitForWork(_ worker: Worker) -> Bool {
        idle.withLock { $0.append(worker) }
        guard worker.wake.wait(timeout: .now() + patience) == .timedOut else { return true }
        let wasIdle = idle.withLock { idle in
            guard let index = idle.firstIndex(where: { $0 === worker }) else { return false }
            idle.remove(at: index)
            return true
        }
        // Otherwise it was given work at the same moment.
        if !wasIdle { worker.wake.wait() }
        return !wasIdle
    }
}

/// Runs a task's blocking work on a thread of its own instead of Swift's cooperative threads.
package enum BlockingWork {
    package static func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            ThreadPool.shared.run("strongroom.job") {
                let result = Result { try work() }
                DedicatedThread.end()
                continuation.resume(with: result)
            }
        }
    }

    /// Blocks a thread that may block until asynchronous work returns.
    package static func wait<T: Sendable>(for work: @escaping @Sendable () async throws -> T) throws -> T {
        let outcome = Promise<Result<T, any Error>>()
        Task.detached {
            let result: Result<T, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.fulfill(result)
        }
        return try outcome.wait().get()
    }
}

/// Calls a closure after a time without use.
final class IdleTimer: Sendable {
    /// Called after the time, and again after each further time until it returns true, which means that nothing is left
    /// to do.
    typealias Check = @Sendable () -> Bool

    private let isUsed = Atomic<Bool>(false)
    private let isRunning = Atomic<Bool>(false)
    private let time: DispatchTimeInterval

    /// - Parameter time: Times below 10 ms are 10 ms.
    init(time: Duration) { self.time = .milliseconds(Int(clamping: max(10, time.milliseconds))) }

    /// Records a use.
    ///
    /// - Parameter makeCheck: Makes what is called after the time; called itself only if the timer is not running, so
    ///   that most uses allocate nothing.
    func recordUse(_ makeCheck: () -> Check) {
        isUsed.store(true, ordering: .sequentiallyConsistent)
        start(makeCheck)
    }

    private func start(_ makeCheck: () -> Check) {
        guard !isRunning.load(ordering: .sequentiallyConsistent),
            !isRunning.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        checkLater(makeCheck())
    }

    private func checkLater(_ check: @escaping Check) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self else { return }
            isUsed.store(false, ordering: .sequentiallyConsistent)
            guard check() else { return checkLater(check) }
            isRunning.store(false, ordering: .sequentiallyConsistent)
            // A use that was recorded before the timer stopped.
            if isUsed.load(ordering: .sequentiallyConsistent) { start { check } }
        }
    }
}
