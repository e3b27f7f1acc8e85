import Dispatch
import Synchronization

/// Notices that something has not been used for a time.
final class IdleWatch: Sendable {
    private let isUsed = Atomic<Bool>(false)
    private let isWatching = Atomic<Bool>(false)
    private let time: DispatchTimeInterval

    /// Milliseconds.
    private static let shortest: Int64 = 10

    init(time: Duration) {
        self.time = .milliseconds(Int(clamping: max(Self.shortest, time.milliseconds)))
    }

    /// Notes a use.
    ///
    /// - Parameter whenIdle: Called when there has been no use for at least the time, and again after each further time until it returns
    ///   true: until there is nothing left to do.
    func note(whenIdle: @escaping @Sendable () -> Bool) {
        isUsed.store(true, ordering: .sequentiallyConsistent)
        watch(whenIdle)
    }

    /// Begins to watch, if nobody does.
    private func watch(_ whenIdle: @escaping @Sendable () -> Bool) {
        guard !isWatching.load(ordering: .sequentiallyConsistent),
            !isWatching.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        lookLater(whenIdle)
    }

    private func lookLater(_ whenIdle: @escaping @Sendable () -> Bool) {
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self else { return }
            guard !isUsed.exchange(false, ordering: .sequentiallyConsistent), whenIdle() else {
                return lookLater(whenIdle)
            }
            isWatching.store(false, ordering: .sequentiallyConsistent)
            // A use that saw that somebody watches.
            if isUsed.load(ordering: .sequentiallyConsistent) { watch(whenIdle) }
        }
    }
}
