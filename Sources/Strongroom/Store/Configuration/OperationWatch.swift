import Synchronization

/// Measures one operation for an observer.
final class OperationWatch: Sendable {
    private let observer: any OperationObserver
    private let name: DatabaseName
    private let kind: FinishedOperation.Kind
    private let label: String?
    private let start = ContinuousClock.now
    /// Microseconds from the start until a connection was granted; negative before that.
    private let granted = Atomic<Int64>(-1)

    init(
        _ observer: any OperationObserver, _ name: DatabaseName, _ kind: FinishedOperation.Kind, label: String? = nil
    ) {
        self.observer = observer
        self.name = name
        self.kind = kind
        self.label = label
    }

    /// Records that the operation has its connection.
    func grant() {
        let time = (ContinuousClock.now - start) / Duration.microseconds(1)
        granted.store(Int64(time), ordering: .relaxed)
    }

    /// Reports the end of the operation.
    func end(_ error: (any Error)?) {
        let duration = ContinuousClock.now - start
        let granted = granted.load(ordering: .relaxed)
        observer.operationEnded(
            FinishedOperation(
                name: name, kind: kind, label: label, start: start,
                wait: granted < 0 ? duration : .microseconds(granted), duration: duration, error: error))
    }
}

/// The observer of one store's operations.
struct StoreObserver: Sendable {
    let observer: any OperationObserver
    let name: DatabaseName

    func watch(_ kind: FinishedOperation.Kind, label: String?) -> OperationWatch {
        OperationWatch(observer, name, kind, label: label)
    }
}
