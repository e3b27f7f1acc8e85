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

/// The companions of the store, in the order in which they were added.
extension ConnectionPool {
    /// - Returns: False if the store is closing.
    func add(_ companion: any StoreCompanion) -> Bool {
        // ``finishCompanions()`` locks the list after the store has begun to close.
        companions.withLock { companions in
            guard !isClosing else { return false }
            companions.append(companion)
            return true
        }
    }

    func suspendCompanions() { for companion in companions.withLock({ $0 }).reversed() { companion.suspend() } }

    func resumeCompanions() { for companion in companions.withLock({ $0 }) { companion.resume() } }

    func finishCompanions() { for companion in companions.withLock({ $0 }).reversed() { companion.finish() } }

    /// Has the companions let the WAL go, before and after a checkpoint.
    func letLogGo() { for companion in companions.withLock({ $0 }) { companion.checkpointing() } }
}
