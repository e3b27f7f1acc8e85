import Synchronization

/// Tells work, from any thread, that nobody wants it any more.
final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)
    private let handler = Locked<(@Sendable () -> Void)?>(nil)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
        // Inside the lock: what the handler stops may be gone as soon as its work is done.
        handler.withLock { $0?() }
    }

    /// Forgets that it was set.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    func clear() -> Bool { value.exchange(false, ordering: .relaxed) }

    /// - Throws: `CancellationError` when it is set.
    func check() throws {
        if isSet { throw CancellationError() }
    }

    /// Runs work that a handler stops when the flag is set meanwhile; does not begin it when it is set already.
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
