#if Service
public import CoreMetrics
import Metrics
public import ServiceLifecycle
public import Strongroom

/// Reports what a registry's stores do to swift-metrics, by family; the name of a database is never a dimension.
///
/// ```swift
/// let metrics = StoresMetrics(stores)
/// stores.operationObservers = [metrics]
/// ```
///
/// As a service of swift-service-lifecycle it also reports the registry's own numbers, once an interval.
///
/// | metric | kind | dimensions |
/// |---|---|---|
/// | `strongroom_operation` | timer, of waiting and running | family, operation: `open`, `read`, …, outcome |
/// | `strongroom_operation_wait` | timer, of waiting for a connection | family, operation |
/// | `strongroom_key_events` | counter, of events of keys | family, kind: `opened`, …, recovery: `true`, `false` |
/// | `strongroom_stores` | gauge | state: lent, idle, opening, closing |
/// | `strongroom_waiting_requests` | gauge, of requests that wait for a limit | |
/// | `strongroom_threads` | gauge | |
/// | `strongroom_engine_memory_bytes` | gauge | |
/// | `strongroom_loans` | counter, of requests for stores | |
/// | `strongroom_store_openings` | counter, of those that opened one | |
/// | `strongroom_store_evictions` | counter, of idle stores that were closed for others | |
/// | `strongroom_wal_bytes` | gauge, of the WALs of all open stores | family |
/// | `strongroom_largest_wal_bytes` | gauge, of the largest of these | family |
/// | `strongroom_busy_retries` | counter, of retries after a lock of another connection | family |
/// | `strongroom_busy_wait_milliseconds` | counter, of the time waited for such locks | family |
/// | `strongroom_page_cache_hits` | counter, of pages found decrypted | family |
/// | `strongroom_page_cache_misses` | counter, of pages read and decrypted | family |
public final class StoresMetrics: OperationObserver, Service {
    private struct Label: Hashable {
        let name: String
        let family: String
        let operation: String
        let outcome: String?

        var dimensions: [(String, String)] {
            [("family", family), ("operation", operation)] + (outcome.map { [("outcome", $0)] } ?? [])
        }
    }

    private weak let stores: Stores?
    private let interval: Duration
    private let factory: any MetricsFactory
    private let timers = Locked<[Label: Timer]>([:])

    /// Creates metrics of a registry.
    ///
    /// - Parameters:
    ///   - stores: The registry.
    ///   - interval: How often its own numbers are reported, at least 10 ms.
    ///   - factory: The metrics system; by default the one that the program has bootstrapped.
    public init(
        _ stores: Stores, every interval: Duration = .seconds(10), factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.stores = stores
        self.interval = max(interval, .milliseconds(10))
        self.factory = factory
    }

    /// Records the times of an operation.
    public func operationEnded(_ operation: FinishedOperation) {
        let (family, kind) = (operation.name.target, operation.kind.rawValue)
        let whole = Label(name: "strongroom_operation", family: family, operation: kind, outcome: operation.outcome)
        let wait = Label(name: "strongroom_operation_wait", family: family, operation: kind, outcome: nil)
        timer(whole).record(duration: operation.duration)
        timer(wait).record(duration: operation.wait)
    }

    /// Counts an event of a key.
    public func keyEventOccurred(_ event: KeyEvent) {
        let isRecovery = event.slot?.isRecovery ?? false
        let dimensions = [
            ("family", event.name.target), ("kind", "\(event.kind)"), ("recovery", "\(isRecovery)"),
        ]
        // Rare, so the counter is not kept.
        Counter(label: "strongroom_key_events", dimensions: dimensions, factory: factory).increment()
    }

    /// The timer of a label, which is created when it is first used.
    private func timer(_ label: Label) -> Timer {
        if let timer = timers.withLock({ $0[label] }) { return timer }
        // The factory is foreign code, and is not called under the lock.
        let created = Timer(label: label.name, dimensions: label.dimensions, factory: factory)
        return timers.withLock { timers in
            if let timer = timers[label] { return timer }
            timers[label] = created
            return created
        }
    }

    /// Reports the registry's numbers until the program is asked to end, or the task is cancelled.
    public func run() async throws {
        var reporter = StoresReporter(factory)
        reporter = await cancelWhenGracefulShutdown { [self, reporter] in
            var reporter = reporter
            // The registry is not retained while this sleeps.
            while reporter.report(stores) {
                guard (try? await Task.sleep(for: interval)) != nil else { break }
            }
            return reporter
        }
        reporter.report(stores)
    }
}
#endif
