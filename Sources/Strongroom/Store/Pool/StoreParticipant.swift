/// What takes part in an open store and has connections of its own to its file.
package protocol StoreParticipant: AnyObject, Sendable {
    /// Closes the participant's connections, before work that needs exclusive access to the file; returns when that is
    /// done. Called on a thread that may block.
    func suspend()

    /// May open connections again: the work that needed exclusive access has ended.
    func resume()

    /// Lets the WAL go as far as possible: called before the writer checkpoints, and again after that, while it holds
    /// its slot; must be quick.
    func checkpointing()

    /// Ends the participant: the store is closing, and its operations have ended. What takes long is limited by the
    /// participant itself. Called on a thread that may block; ``suspend()`` follows.
    func finish()
}

/// The participants of the store, in the order in which they were added.
extension ConnectionPool {
    /// - Returns: False if the store is closing.
    func add(_ participant: any StoreParticipant) -> Bool {
        // ``finishParticipants()`` locks the list after the store has begun to close.
        participants.withLock { participants in
            guard !isClosing else { return false }
            participants.append(participant)
            return true
        }
    }

    func suspendParticipants() { for participant in participants.withLock({ $0 }).reversed() { participant.suspend() } }

    func resumeParticipants() { for participant in participants.withLock({ $0 }) { participant.resume() } }

    func finishParticipants() { for participant in participants.withLock({ $0 }).reversed() { participant.finish() } }

    /// Has the participants let the WAL go, before and after a checkpoint.
    func letLogGo() { for participant in participants.withLock({ $0 }) { participant.checkpointing() } }
}
