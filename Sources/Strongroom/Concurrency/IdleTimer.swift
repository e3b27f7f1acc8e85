import Dispatch
import Synchronization

/// Calls a closure after a time without use.
final class IdleTimer: Sendable {
    /// Called after the time, and again after each further time until it returns true, which means that nothing is left
    /// to do.
    typealias Check = @Sendable () -> Bool

    private let isUsed = Atomic<Bool>(false)
    private let isRunning = Atomic<Bool>(false)
    private let time: DispatchTimeInterval

    /// Milliseconds.
    private static let shortest: Int64 = 10

    init(time: Duration) {
        self.time = .milliseconds(Int(clamping: max(Self.shortest, time.milliseconds)))
    }

    /// Records a use.
    ///
    /// - Parameter makeCheck: Makes what is called after the time; called itself only if the timer is not running, so
    ///   that most uses allocate nothing.
    func recordUse(_ makeCheck: () -> Check) {
        isUsed.store(true, ordering: .sequentiallyConsistent)
        start(makeCheck)
    }

    /// Starts the timer, unless it is running.
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
