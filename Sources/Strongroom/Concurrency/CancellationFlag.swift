import Synchronization

/// A flag, set from any thread, that cancels work.
final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)
    private let handler = Locked<(@Sendable () -> Void)?>(nil)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
        // Inside the lock: what the handler interrupts may be deallocated as soon as its work is done.
        handler.withLock { $0?() }
    }

    /// Clears the flag.
    ///
    /// - Returns: Whether it was set.
    @discardableResult
    func clear() -> Bool { value.exchange(false, ordering: .relaxed) }

    /// - Throws: `CancellationError` if the flag is set.
    func check() throws {
        if isSet { throw CancellationError() }
    }

    /// Runs work that a handler interrupts if the flag is set meanwhile; does not begin it if the flag is set already.
    func stopping<T>(with handler: @escaping @Sendable () -> Void, _ work: () throws -> T) throws -> T {
        try self.handler.withLock { current in
            try check()
            current = handler
        }
        defer { self.handler.withLock { $0 = nil } }
        return try work()
    }

    /// Runs blocking work of a task on a thread of its own; cancelling the task sets the flag.
    func running<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withTaskCancellationHandler {
            try await BlockingWork.run(work)
        } onCancel: {
            set()
        }
    }
}
