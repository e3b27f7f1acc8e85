import Dispatch
import Synchronization

/// Calls a closure after a time without use.
final class IdleTimer: Sendable {
    private let isUsed = Atomic<Bool>(false)
    private let isWatching = Atomic<Bool>(false)
    private let time: DispatchTimeInterval

    /// Milliseconds.
    private static let shortest: Int64 = 10

    init(time: Duration) {
        self.time = .milliseconds(Int(clamping: max(Self.shortest, time.milliseconds)))
    }

    /// Records a use.
    ///
    /// - Parameter look: Called after the time, and again after each further time until it returns true, which means
    ///   that nothing is left to do.
    func note(look: @escaping @Sendable () -> Bool) {
        isUsed.store(true, ordering: .sequentiallyConsistent)
        watch(look)
    }

    /// Starts the timer, unless it is running.
    private func watch(_ look: @escaping @Sendable () -> Bool) {
        guard !isWatching.load(ordering: .sequentiallyConsistent),
            !isWatching.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        lookLater(look)
    }

    private func lookLater(_ look: @escaping @Sendable () -> Bool) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self else { return }
            isUsed.store(false, ordering: .sequentiallyConsistent)
            guard look() else { return lookLater(look) }
            isWatching.store(false, ordering: .sequentiallyConsistent)
            // A use that was recorded before the timer stopped.
            if isUsed.load(ordering: .sequentiallyConsistent) { watch(look) }
        }
    }
}
