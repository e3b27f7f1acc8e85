/// What accompanies an open store and has connections of its own to its file.
package protocol StoreCompanion: AnyObject, Sendable {
    /// Closes the companion's connections, before work that needs exclusive access to the file; returns when that is
    /// done. Called on a thread that may block.
    func suspend()

    /// May open connections again: the work that needed exclusive access has ended.
    func resume()

    /// Lets the WAL go as far as possible: called before the writer checkpoints, and again after that, while it holds
    /// its slot; must be quick.
    func checkpointing()

    /// Ends the companion: the store is closing, and its operations have ended. What takes long is limited by the
    /// companion itself. Called on a thread that may block; ``suspend()`` follows.
    func finish()
}

/// The companions of a store.
final class StoreCompanions: Sendable {
    private struct State {
        var all: [any StoreCompanion] = []
        var hasEnded = false
    }

    private let state = Locked(State())

    /// - Returns: False if the store is closing.
    func add(_ companion: any StoreCompanion) -> Bool {
        state.withLock { state in
            guard !state.hasEnded else { return false }
            state.all.append(companion)
            return true
        }
    }

    func first<Companion: StoreCompanion>(_ type: Companion.Type) -> Companion? {
        all.lazy.compactMap { $0 as? Companion }.first
    }

    func suspend() { for companion in all.reversed() { companion.suspend() } }

    func resume() { for companion in all { companion.resume() } }

    /// Ends them; further ones are not added.
    func finish() {
        let ended = state.withLock { state in
            state.hasEnded = true
            return state.all
        }
        for companion in ended.reversed() { companion.finish() }
    }

    func checkpointing() { for companion in all { companion.checkpointing() } }

    private var all: [any StoreCompanion] { state.withLock { $0.all } }
}
