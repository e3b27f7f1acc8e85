import Dispatch
import Synchronization

/// Looks now and then for what has not been used for a time.
final class IdleTimer: Sendable {
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
    /// - Parameter look: Called after the time, and again after each further time until it returns true: until there is
    ///   nothing left to do.
    func note(look: @escaping @Sendable () -> Bool) {
        isUsed.store(true, ordering: .sequentiallyConsistent)
        watch(look)
    }

    /// Begins to watch, if nobody does.
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
            // A use that saw that somebody watches.
            if isUsed.load(ordering: .sequentiallyConsistent) { watch(look) }
        }
    }
}
