/// Receives the operations of a registry's stores; for metrics and traces.
///
/// ```swift
/// stores.operationObserver = metrics
/// ```
///
/// ``OperationObservers`` combines several.
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
}

extension OperationObserver {
    /// Does nothing.
    ///
    /// - Parameter operation: What is requested.
    /// - Returns: Nil.
    public func operationBegan(_ operation: StartedOperation) -> (any Sendable)? { nil }
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
    ///
    /// An observer that wraps another one sets it to what the other one returned.
    public var outerContext: (any Sendable)?
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
        /// The key was rotated: in an opening, if there was something to do, or by ``Store/rotate(timeout:progress:)``.
        case rotate
    }

    /// The database's name.
    public let name: DatabaseName
    public let kind: Kind
    /// The label that the caller gave.
    public let label: String?
    /// When it was requested.
    public let start: ContinuousClock.Instant
    /// How long it waited for a connection; the whole time if it never got one.
    public let wait: Duration
    /// How long it took in all, with the wait.
    public let duration: Duration
    /// Why it failed; nil if it did not.
    public let error: (any Error)?
    /// What the observer returned when the operation began.
    ///
    /// An observer that wraps another one sets it to what the other one returned.
    public var context: (any Sendable)?

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

/// Several observers of the same operations.
///
/// ```swift
/// stores.operationObserver = OperationObservers(metrics, StoresTracing())
/// ```
public struct OperationObservers: OperationObserver {
    private let observers: [any OperationObserver]

    private struct Contexts: Sendable {
        let each: [(any Sendable)?]
    }

    /// Combines observers.
    ///
    /// - Parameter observers: Each is called for every operation, in this order.
    public init(_ observers: any OperationObserver...) {
        self.observers = observers
    }

    /// Calls each observer.
    ///
    /// - Parameter operation: What is requested.
    /// - Returns: What they returned.
    public func operationBegan(_ operation: StartedOperation) -> (any Sendable)? {
        let outer = operation.outerContext as? Contexts
        return Contexts(
            each: observers.indices.map { index in
                observers[index].operationBegan(
                    StartedOperation(
                        name: operation.name, kind: operation.kind, label: operation.label, start: operation.start,
                        outerContext: outer?.each[index]))
            })
    }

    /// Calls each observer, with what it returned at the beginning.
    ///
    /// - Parameter operation: What was done, and how long it took.
    public func operationEnded(_ operation: FinishedOperation) {
        let contexts = operation.context as? Contexts
        for (index, observer) in observers.enumerated() {
            var part = operation
            part.context = contexts?.each[index]
            observer.operationEnded(part)
        }
    }
}
