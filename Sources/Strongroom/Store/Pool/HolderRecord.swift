import Dispatch

/// Which operation holds a slot, so that it can be stopped, and so that the error of one that waits can name it.
///
/// Each slot has its own, which only its holder and those that look at it lock: a list of all operations would be
/// locked by the threads of all readers.
final class HolderRecord: Sendable {
    private struct State {
        let operation: PoolOperation
        /// When it acquired the slot. In a machine's sleep this clock stands still, as that of a timeout does.
        let start: DispatchTime
        /// What a part of it runs on at the moment.
        var running: (connection: Connection, sharing: Connection.Sharing)?
    }

    private let state = Locked<State?>(nil)

    /// Records that an operation holds the slot, before its first part begins.
    func record(_ operation: PoolOperation) {
        operation.recordBegin()
        state.withLock { $0 = State(operation: operation, start: .now()) }
    }

    /// Records that a part of an operation begins.
    ///
    /// - Throws: `CancellationError` if the operation has been stopped meanwhile.
    func begin(_ operation: PoolOperation, on connection: Connection, _ sharing: Connection.Sharing) throws {
        try state.withLock { state in
            // Inside the lock: a stop from now on finds the operation here.
            guard operation.stopReason == nil else { throw CancellationError() }
            operation.recordBegin()
            if state?.operation !== operation { state = State(operation: operation, start: .now()) }
            state?.running = (connection, sharing)
        }
    }

    /// Records that a part is done and that others may follow: in between, nothing is interrupted.
    func rest() {
        state.withLock { $0?.running = nil }
    }

    /// Records that the operation is done.
    func end() {
        state.withLock { $0 = nil }
    }

    /// Interrupts an operation that has been stopped; has no effect unless a part of it is running here.
    func interrupt(_ operation: PoolOperation) {
        state.withLock { state in
            guard let state, state.operation === operation, let running = state.running else { return }
            // Inside the lock: after the operation, another one may use the connection.
            running.connection.interrupt(running.sharing)
        }
    }

    /// The holder, and for how long it has had the slot; nil if there is none.
    var current: (operation: PoolOperation, time: Duration)? {
        let now = DispatchTime.now().uptimeNanoseconds
        return state.withLock { state in
            state.map { ($0.operation, .nanoseconds(Int64(clamping: now - min(now, $0.start.uptimeNanoseconds)))) }
        }
    }
}
