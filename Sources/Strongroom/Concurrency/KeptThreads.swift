import Dispatch

/// Threads for work that blocks. Each piece of work has a thread to itself, which is kept for a while afterwards:
/// creating one takes many times as long as waking one.
///
/// The stack is wiped before a thread is kept, since the engine and the cryptography leave bytes of keys there.
final class KeptThreads: Sendable {
    private struct Work: Sendable {
        let name: String
        let body: @Sendable () -> Void
    }

    /// A thread, and the work that it is to do.
    private final class Thread: Sendable {
        let work: Locked<Work?>
        let wake = DispatchSemaphore(value: 0)

        init(_ work: Work) { self.work = Locked(work) }
    }

    static let shared = KeptThreads(patience: .seconds(1))

    private let patience: DispatchTimeInterval
    /// The threads without work, the most recently used one last.
    private let idle = Locked<[Thread]>([])

    /// - Parameter patience: How long a thread without work is kept.
    init(patience: DispatchTimeInterval) { self.patience = patience }

    /// The number of threads without work.
    var idleCount: Int { idle.withLock { $0.count } }

    /// Does work on a thread that does nothing else meanwhile.
    ///
    /// - Parameters:
    ///   - name: The thread's name meanwhile, at most 15 bytes.
    ///   - body: Must call ``DedicatedThread/end()`` before it reports its end.
    func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let work = Work(name: name, body: body)
        if let thread = idle.withLock({ $0.popLast() }) {
            thread.work.withLock { $0 = work }
            thread.wake.signal()
        } else {
            let thread = Thread(work)
            DedicatedThread.start(name) { [self] isOwn in continueThread(thread, isKept: isOwn) }
        }
    }

    /// Does work on the current thread until there is none for a while.
    private func continueThread(_ thread: Thread, isKept: Bool) {
        let stack = ThreadStack()
        var name: String?
        repeat {
            doWork(of: thread, &name)
            // What was released after the report may have used the engine again.
            DedicatedThread.end()
        } while isKept && stack?.wipe() == true && waitForWork(thread)
    }

    /// A function of its own, so that nothing of the work is retained while the thread waits.
    ///
    /// - Parameter name: The thread's name.
    @inline(never)
    private func doWork(of thread: Thread, _ name: inout String?) {
        guard let work = thread.work.withLock({ $0.take() }) else { return }
        if name != work.name { ThreadName.set(work.name) }
        name = work.name
        ThreadStack.runBelow(work.body)
    }

    /// - Returns: False if there was none for a while.
    private func waitForWork(_ thread: Thread) -> Bool {
        idle.withLock { $0.append(thread) }
        guard thread.wake.wait(timeout: .now() + patience) == .timedOut else { return true }
        let wasIdle = idle.withLock { idle in
            guard let index = idle.firstIndex(where: { $0 === thread }) else { return false }
            idle.remove(at: index)
            return true
        }
        // Otherwise it was given work at the same moment.
        if !wasIdle { thread.wake.wait() }
        return !wasIdle
    }
}
