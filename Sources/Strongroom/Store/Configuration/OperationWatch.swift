import Synchronization

/// Measures one operation for an observer.
final class OperationWatch: Sendable {
    private let observer: any OperationObserver
    private let started: StartedOperation
    /// What the observer returned when the operation began.
    let context: (any Sendable)?
    /// Microseconds from the start until a connection was granted; negative before that.
    private let granted = Atomic<Int64>(-1)

    /// Reports the beginning of an operation; to be called with the caller's task-local values.
    ///
    /// - Parameters:
    ///   - outer: What the observer returned for the opening that the operation is a part of.
    ///   - start: When it was requested.
    init(
        _ observer: any OperationObserver, _ name: DatabaseName, _ kind: FinishedOperation.Kind, label: String? = nil,
        outer: (any Sendable)? = nil, start: ContinuousClock.Instant = .now
    ) {
        self.observer = observer
        started = StartedOperation(name: name, kind: kind, label: label, start: start, outerContext: outer)
        context = observer.operationBegan(started)
    }

    /// Records that the operation has its connection.
    ///
    /// - Parameter time: When it got it.
    func grant(at time: ContinuousClock.Instant = .now) {
        let time = (time - started.start) / Duration.microseconds(1)
        granted.store(Int64(time), ordering: .relaxed)
    }

    /// Reports the end of the operation.
    func end(_ error: (any Error)?) {
        let duration = ContinuousClock.now - started.start
        let granted = granted.load(ordering: .relaxed)
        observer.operationEnded(
            FinishedOperation(
                name: started.name, kind: started.kind, label: started.label, start: started.start,
                wait: granted < 0 ? duration : .microseconds(granted), duration: duration, error: error,
                context: context))
    }
}

/// The observer of one store's operations.
struct StoreObserver: Sendable {
    let observer: any OperationObserver
    let name: DatabaseName
    /// What the observer returned for the opening whose parts are observed; nil outside of openings.
    var outer: (any Sendable)?

    func watch(
        _ kind: FinishedOperation.Kind, label: String? = nil, start: ContinuousClock.Instant = .now
    ) -> OperationWatch {
        OperationWatch(observer, name, kind, label: label, outer: outer, start: start)
    }

    /// Reports a part of an opening that needs no connection but that of the opening, after its end.
    func report(_ kind: FinishedOperation.Kind, since start: ContinuousClock.Instant, _ error: (any Error)?) {
        let watch = watch(kind, start: start)
        watch.grant(at: start)
        watch.end(error)
    }
}

extension StoreObserver? {
    /// Runs work that the observer, if there is one, receives as one operation, however often it acquires a connection:
    /// its own requests are not observed.
    ///
    /// - Parameter work: Records when it has its connection.
    func observing<T>(
        _ kind: FinishedOperation.Kind, label: String, _ work: (OperationWatch?) async throws -> T
    ) async throws -> T {
        guard let watch = self?.watch(kind, label: label) else { return try await work(nil) }
        do {
            let value = try await work(watch)
            watch.end(nil)
            return value
        } catch {
            watch.end(error)
            throw error
        }
    }
}
