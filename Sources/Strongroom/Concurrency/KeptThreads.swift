import Dispatch

/// Threads for work that blocks. Each piece of work has a thread to itself, which is kept for a while afterwards:
/// creating one takes many times as long as waking one.
///
/// The stack is wiped before a thread is kept, since bytes of keys may lie there.
final class KeptThreads: Sendable {
    struct Work: Sendable {
        /// The thread's name meanwhile, at most 15 bytes.
        let name: String
        /// Must call ``DedicatedThread/end()`` before it reports its end.
        let body: @Sendable () -> Void
    }

    /// A thread without work, or the work that it is to do.
    private final class Kept: Sendable {
        let work = Locked<Work?>(nil)
        let wake = DispatchSemaphore(value: 0)
    }

    static let shared = KeptThreads()

    /// How long a thread without work is kept.
    static let patience = DispatchTimeInterval.seconds(1)

    /// The threads without work; the last one was used last.
    private let idle = Locked<[Kept]>([])

    /// The number of threads without work.
    var idleCount: Int { idle.withLock { $0.count } }

    /// Does work on a thread that does nothing else meanwhile.
    ///
    /// - Parameters:
    ///   - name: The thread's name meanwhile, at most 15 bytes.
    ///   - body: Must call ``DedicatedThread/end()`` before it reports its end.
    func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let work = Work(name: name, body: body)
        guard let kept = idle.withLock({ $0.popLast() }) else {
            return DedicatedThread.start(name) { [self] isOwn in
                body()
                if isOwn { continueThread(named: name) }
            }
        }
        kept.work.withLock { $0 = work }
        kept.wake.signal()
    }

    /// Does further work on the current thread until there is none for a while.
    private func continueThread(named name: String) {
        guard let stack = ThreadStack() else { return }
        defer { stack.deallocate() }
        var name = name
        let kept = Kept()
        while stack.wipe(), let work = nextWork(kept) {
            if work.name != name { ThreadName.set(work.name) }
            name = work.name
            work.body()
        }
    }

    private func nextWork(_ kept: Kept) -> Work? {
        idle.withLock { $0.append(kept) }
        if kept.wake.wait(timeout: .now() + Self.patience) == .timedOut {
            let wasIdle = idle.withLock { idle in
                guard let index = idle.firstIndex(where: { $0 === kept }) else { return false }
                idle.remove(at: index)
                return true
            }
            guard !wasIdle else { return nil }
            // It was given work at the same moment.
            kept.wake.wait()
        }
        return kept.work.withLock { $0.take() }
    }
}
