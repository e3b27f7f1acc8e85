import Foundation

extension StoreExecutor {
    /// The thread that takes over when the others are stalled.
    enum Reserve {
        case none
        /// Compares the number of items that have begun, every ``StoreExecutor/stallTime``.
        case watching
        /// Nothing was queued.
        case sleeping
    }

    /// How long queued work waits for a busy thread before another one is started.
    private static let stallTime = 0.01  // seconds

    /// What lets the reserve watch the threads, which are all busy.
    func reserve(_ state: inout State) -> Need {
        guard state.threads < state.largest + largestReserve else { return .none }
        defer { state.reserve = .watching }
        return switch state.reserve {
        case .watching: .none
        case .sleeping: .reserveSleeper
        case .none: .reserve
        }
    }

    func startReserve() {
        DedicatedThread.start(name) { [self] in
            if watch() { work() }
        }
    }

    private enum Watch {
        case on, sleep, end
        /// - Parameter isFollowed: Whether another reserve is needed.
        case work(isFollowed: Bool)
    }

    /// Waits until the threads are stalled.
    ///
    /// - Returns: Whether they are, so that the current thread becomes one of them; otherwise nothing was queued for
    ///   the idle time.
    private func watch() -> Bool {
        var begun = state.withLock { $0.begun }
        while true {
            Thread.sleep(forTimeInterval: Self.stallTime)
            switch state.withLock({ watch(&$0, &begun) }) {
            case .on: continue
            case .end: return false
            case .work(let isFollowed):
                if isFollowed { startReserve() }
                return true
            case .sleep:
                if wakeReserve.wait(timeout: .now() + Self.patience) == .success { continue }
                let isOver = state.withLock { state in
                    guard state.reserve == .sleeping else { return false }
                    state.reserve = .none
                    return true
                }
                if isOver { return false }
                // It was woken at the same moment; consume the signal.
                wakeReserve.wait()
            }
        }
    }

    private func watch(_ state: inout State, _ begun: inout UInt64) -> Watch {
        guard state.count > 0 else {
            state.reserve = state.isRetired ? .none : .sleeping
            return state.isRetired ? .end : .sleep
        }
        guard state.begun == begun else {
            begun = state.begun
            return .on
        }
        state.threads += 1
        let isFollowed = state.count > 1 && state.threads < state.largest + largestReserve
        state.reserve = isFollowed ? .watching : .none
        return .work(isFollowed: isFollowed)
    }
}
