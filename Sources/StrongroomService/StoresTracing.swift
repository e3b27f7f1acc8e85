#if Service
public import Strongroom
public import Tracing

/// Records what a registry's stores do as spans of swift-distributed-tracing, by family; nothing in a span is the name
/// of a database, a value, or a key.
///
/// ```swift
/// stores.operationObservers = [metrics, StoresTracing()]
/// ```
///
/// A span is a child of the span of the task that called the store. It begins when the operation is requested, and ends
/// when the caller gets the result: for a write, with the commit. Callers that wait for the same opening have one span
/// for it, a child of that of the first one.
///
/// | span | operation |
/// |---|---|
/// | `strongroom.open` | an opening; its rotation and migration are children of it |
/// | `strongroom.read` | a read; of a record stream, the time until it has a reader |
/// | `strongroom.write` | a write that may share its transaction |
/// | `strongroom.ungroupedWrite` | a write in a transaction of its own, or maintenance |
/// | `strongroom.migrate` | a migration of an existing file |
/// | `strongroom.rotate` | a rotation |
///
/// | attribute | value |
/// |---|---|
/// | `db.system.name` | `sqlite` |
/// | `strongroom.family` | the target of the configuration |
/// | `strongroom.wait_us` | how long it waited for a connection, in microseconds |
/// | `error.type` | why it failed: the code of the ``StrongroomError``, `cancelled`, or `failed` for another error |
///
/// A failure is recorded as a ``Failure``, without the message of the error, which may name files and contain values.
public struct StoresTracing: OperationObserver {
    private let tracer: (any Tracer)?

    /// Creates an observer.
    ///
    /// - Parameter tracer: Records the spans; nil for the one that is active for the caller's task when an operation
    ///   begins: that of `withTracer`, or the one that the program has bootstrapped.
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Why an operation failed, as a span records it.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The code of the ``StrongroomError``, `cancelled`, or `failed` for another error.
        public let outcome: String

        /// The outcome.
        public var description: String { outcome }
    }

    /// A span that has begun.
    private struct Begun: Sendable {
        let span: any Span
        let start: DefaultTracerClock.Instant
    }

    /// Starts the span of an operation.
    ///
    /// - Parameter operation: What is requested.
    /// - Returns: The span.
    public func operationBegan(_ operation: StartedOperation) -> (any Sendable)? {
        let outer = (operation.outerContext as? Begun)?.span.context
        let start = DefaultTracerClock.now.advanced(by: operation.start - .now)
        let span: any Span = (tracer ?? InstrumentationSystem.tracer).startSpan(
            "strongroom.\(operation.kind.rawValue)", context: outer ?? .current ?? .topLevel, ofKind: .internal,
            at: start)
        span.updateAttributes { attributes in
            attributes["db.system.name"] = "sqlite"
            attributes["strongroom.family"] = operation.name.target
        }
        return Begun(span: span, start: start)
    }

    /// Ends the span of an operation.
    ///
    /// - Parameter operation: What was done, and how long it took.
    public func operationEnded(_ operation: FinishedOperation) {
        guard let begun = operation.context as? Begun else { return }
        let end = begun.start.advanced(by: operation.duration)
        begun.span.updateAttributes { attributes in
            attributes["strongroom.wait_us"] = Int64(operation.wait / Duration.microseconds(1))
            if operation.error != nil { attributes["error.type"] = operation.outcome }
        }
        if operation.error != nil {
            begun.span.recordError(Failure(outcome: operation.outcome), attributes: [:], at: end)
            begun.span.setStatus(SpanStatus(code: .error))
        }
        begun.span.end(at: end)
    }
}

extension DefaultTracerClock.Instant {
    fileprivate func advanced(by duration: Duration) -> Self {
        let nanoseconds = Int64(duration / Duration.nanoseconds(1))
        return Self(nanosecondsSinceEpoch: nanosecondsSinceEpoch &+ UInt64(bitPattern: nanoseconds))
    }
}
#endif
