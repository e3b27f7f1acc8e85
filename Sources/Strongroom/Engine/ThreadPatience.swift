import Dispatch
import Foundation

/// Tries again to make threads that the system would not make.
///
/// It has a thread of its own, since nobody else may wait: whoever asks for a thread may be the only one who could do what others wait for.
final class ThreadPatience: Sendable {
    static let shared = ThreadPatience()

    private let threads = Locked<[NewThread]>([])
    private let wake = DispatchSemaphore(value: 0)
    private let isThere = Locked(false)

    /// How often it is tried again, and the seconds in between.
    private static let tries = 20
    private static let pause = 0.05

    private init() {
        let own = NewThread(name: "strongroom.wait") { [self] _ in
            while true {
                wake.wait()
                if let next = threads.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { getThread(for: next) }
            }
        }
        isThere.withLock { $0 = own.start() }
    }

    /// Makes a thread as soon as there can be one.
    func take(_ thread: NewThread) {
        guard isThere.withLock({ $0 }) else { return useDispatch(for: thread) }
        threads.withLock { $0.append(thread) }
        wake.signal()
    }

    private func getThread(for thread: NewThread) {
        for _ in 0..<Self.tries {
            Thread.sleep(forTimeInterval: Self.pause)
            if thread.start() { return }
        }
        useDispatch(for: thread)
    }

    /// One of Dispatch's may have nothing to do. Where none has, it tries to make one until it can, and waits meanwhile.
    private func useDispatch(for thread: NewThread) {
        DispatchQueue.global().async { thread.body(false) }
    }
}
