/// The uses of lent stores that have not ended.
final class StoreHolders: Sendable {
    private struct State {
        var holders: [UInt64: StoreHolder] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Locked(State())

    /// - Returns: The number to remove it by.
    func add(_ holder: StoreHolder) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.holders[state.lastNumber] = holder
            return state.lastNumber
        }
    }

    func remove(_ number: UInt64) {
        state.withLock { $0.holders[number] = nil }
    }

    /// The present ones, the longest use first.
    var all: [StoreHolder] { state.withLock { $0.holders.values.sorted { $0.since < $1.since } } }
}
