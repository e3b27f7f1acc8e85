import Synchronization

/// Receives the operations of a registry's stores; for metrics and traces.
///
/// ```swift
/// stores.operationObservers = [metrics]
/// ```
public protocol OperationObserver: Sendable {
    /// Called before each operation, with the task-local values of the caller, which waits for that; of an opening,
    /// with those of the first caller that waits for it. An operation that is refused at once, such as a write to a
    /// read-only store, is not reported. By default it does nothing.
    ///
    /// - Parameter operation: What is requested.
    /// - Returns: What ``operationEnded(_:)`` receives as the context of the same operation, such as a span; nil for
    ///   nothing.
    func operationBegan(_ operation: StartedOperation) -> (any Sendable)?

    /// Called after each operation; its caller waits for that. A write that called ``WriteTransaction/rollBack()`` has
    /// not failed.
    ///
    /// - Parameter operation: What was done, and how long it took.
    func operationEnded(_ operation: FinishedOperation)

    /// Called after an operation of this process has changed the slots of a database's envelope, or has tried its keys,
    /// when the change is on the disk. The calling thread holds no lock of the library and no connection. The events of
    /// a database come one after the other, in their order. A change that another process made or left unfinished is
    /// not reported. By default it does nothing.
    ///
    /// - Parameter event: What has happened to which key.
    func keyEventOccurred(_ event: KeyEvent)
}

extension OperationObserver {
    /// Does nothing.
    ///
    /// - Parameter operation: What is requested.
    /// - Returns: Nil.
    public func operationBegan(_ operation: StartedOperation) -> (any Sendable)? { nil }

    /// Does nothing.
    ///
    /// - Parameter event: What has happened to which key.
    public func keyEventOccurred(_ event: KeyEvent) {}
}

/// An operation of a store that begins.
public struct StartedOperation: Sendable {
    /// The database's name.
    public let name: DatabaseName
    /// What is requested.
    public let kind: FinishedOperation.Kind
    /// The label that the caller gave.
    public let label: String?
    /// When it was requested. For a rotation in an opening this is earlier than the call, which comes when it is known
    /// that there was something to do.
    public let start: ContinuousClock.Instant
    /// What the observer returned for the opening that this operation is a part of; nil outside of openings.
    public internal(set) var outerContext: (any Sendable)?
}

/// An operation of a store that has ended.
public struct FinishedOperation: Sendable {
    /// What was done.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The store was opened, with rotation and migration if they were due.
        case open
        /// A read. The time of a record stream is only that until it has a reader.
        case read
        /// A write that may share its transaction; it ends with the commit.
        case write
        /// A write in a transaction of its own, or maintenance on demand.
        case ungroupedWrite
        /// The schema of an existing file was migrated: in its opening, if there was something to do, or by
        /// ``Store/migrate(to:progress:)``.
        case migrate
        /// The key was rotated: in an opening, if there was something to do, or by
        /// ``Store/rotate(_:keys:timeout:progress:)``.
        case rotate
    }

    /// The database's name.
    public let name: DatabaseName
    public let kind: Kind
    /// The label that the caller gave.
    public let label: String?
    /// When it was requested.
    public let start: ContinuousClock.Instant
    /// How long it waited for a connection; the entire time if it never got one.
    public let wait: Duration
    /// How long it took in all, with the wait.
    public let duration: Duration
    /// Why it failed; nil if it did not.
    public let error: (any Error)?
    /// What the observer returned when the operation began.
    public let context: (any Sendable)?

    /// `ok`, the code of the ``StrongroomError`` that it failed with, `cancelled`, or `failed` for another error.
    public var outcome: String {
        switch error {
        case nil: "ok"
        case let error as StrongroomError: "\(error.code)"
        case is CancellationError: "cancelled"
        default: "failed"
        }
    }
}

/// Measures one operation for the observers of a registry.
final class OperationWatch: Sendable {
    private let observers: [any OperationObserver]
    private let started: StartedOperation
    /// What the observers returned when the operation began.
    private let contexts: [(any Sendable)?]
    /// Microseconds from the start until a connection was granted; negative before that.
    private let granted = Atomic<Int64>(-1)

    /// Reports the beginning of an operation; to be called with the caller's task-local values. Nil without observers.
    ///
    /// - Parameters:
    ///   - start: When it was requested.
    ///   - opening: The opening that it is a part of.
    init?(
        _ observers: [any OperationObserver], _ name: DatabaseName, _ kind: FinishedOperation.Kind,
        label: String? = nil, start: ContinuousClock.Instant = .now, in opening: OperationWatch? = nil
    ) {
        guard !observers.isEmpty else { return nil }
        self.observers = observers
        let started = StartedOperation(name: name, kind: kind, label: label, start: start)
        self.started = started
        contexts = observers.enumerated().map { index, observer in
            var operation = started
            operation.outerContext = opening?.contexts[index]
            return observer.operationBegan(operation)
        }
    }

    /// Begins a part of an opening, which needs no connection but that of the opening.
    func part(_ kind: FinishedOperation.Kind, since start: ContinuousClock.Instant = .now) -> OperationWatch? {
        let part = OperationWatch(observers, started.name, kind, start: start, in: self)
        part?.grant(at: start)
        return part
    }

    /// Records when the operation got its connection.
    func grant(at time: ContinuousClock.Instant = .now) {
        let time = (time - started.start) / Duration.microseconds(1)
        granted.store(Int64(time), ordering: .relaxed)
    }

    func end(_ error: (any Error)?) {
        // What has requested its rollback has not failed.
        let error = error is RequestedRollback ? nil : error
        let duration = ContinuousClock.now - started.start
        let granted = granted.load(ordering: .relaxed)
        for (observer, context) in zip(observers, contexts) {
            observer.operationEnded(
                FinishedOperation(
                    name: started.name, kind: started.kind, label: started.label, start: started.start,
                    wait: granted < 0 ? duration : .microseconds(granted), duration: duration, error: error,
                    context: context))
        }
    }

    /// Runs work that the observers, if there are any, receive as one operation, however often it acquires a
    /// connection: its own requests are not observed.
    ///
    /// - Parameter work: Records when it has its connection.
    static func observing<T>(
        _ observers: [any OperationObserver], _ name: DatabaseName, _ kind: FinishedOperation.Kind,
        label: String? = nil, _ work: (OperationWatch?) async throws -> T
    ) async throws -> T {
        let watch = OperationWatch(observers, name, kind, label: label)
        do {
            let value = try await work(watch)
            watch?.end(nil)
            return value
        } catch {
            watch?.end(error)
            throw error
        }
    }
}

struct OperationLimits {
    /// Its name in error messages.
    var label: String?
    /// How long it may wait and run.
    var timeout: Duration?
    /// Whether it may begin while the store is closing, as long as closing waits for other operations.
    var isLast = false
    var isObserved = true
}
