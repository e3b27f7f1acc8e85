import Dispatch
import Synchronization

/// Notices that something has not been used for a time.
final class IdleWatch: Sendable {
    private let isUsed = Atomic<Bool>(false)
    private let isWatching = Atomic<Bool>(false)
    private let time: DispatchTimeInterval

    init(time: Duration) {
        self.time = .milliseconds(Int(clamping: max(0, time.milliseconds)))
    }

    /// Notes a use.
    ///
    /// - Parameter whenIdle: Called once, when there has been no use for at least the time.
    func note(whenIdle: @escaping @Sendable () -> Void) {
        isUsed.store(true, ordering: .relaxed)
        guard !isWatching.load(ordering: .relaxed), !isWatching.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        watch(whenIdle)
    }

    private func watch(_ whenIdle: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self else { return }
            guard !isUsed.exchange(false, ordering: .acquiringAndReleasing) else { return watch(whenIdle) }
            isWatching.store(false, ordering: .releasing)
            whenIdle()
        }
    }
}
