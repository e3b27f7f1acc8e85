import Synchronization

/// The use of a store that a registry keeps open meanwhile.
///
/// ```swift
/// let lease = try await stores.lease("clinic_a.sqlite")
/// defer { lease.end() }
/// for try await count in lease.store.values({ db in try Patient.count(in: db) }) { print(count) }
/// ```
///
/// The use ends with ``end()``, or when the lease is deinitialized.
public final class StoreLease: Sendable {
    /// The open store. Do not close it, and do not use it after the lease has ended: it may be closed then.
    public let store: Store

    let loan: StoreLoan
    /// Whether the store was opened for this lease.
    let isFirst: Bool

    private let stores: Stores
    /// The number of the holder in the registry.
    private let holder: UInt64
    private let hasEnded = Atomic(false)

    init(_ store: Store, _ loan: StoreLoan, of stores: Stores, label: String, isFirst: Bool) {
        self.store = store
        self.loan = loan
        self.stores = stores
        self.isFirst = isFirst
        holder = stores.addHolder(loan.name, label)
    }

    deinit { end() }

    /// Runs work that would last for ever, such as a loop over observed values, until the registry is shut down: the
    /// work is cancelled then.
    ///
    /// ```swift
    /// try await lease.untilShutdown {
    ///     for try await count in lease.store.values({ db in try Patient.count(in: db) }) { send(count) }
    /// }
    /// ```
    ///
    /// - Parameter work: The work; it must end when its task is cancelled.
    /// - Throws: What the work throws; not the `CancellationError` of a shutdown.
    public func untilShutdown(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let (task, number) = (Task { try await work() }, Stores.nextTicket())
        let hasEnded = stores.state.withLock { state in
            state.endless[number] = task
            return state.registry.hasEnded
        }
        defer { stores.state.withLock { $0.endless[number] = nil } }
        if hasEnded { task.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where stores.state.withLock({ $0.registry.hasEnded }) && !Task.isCancelled {
            return
        }
    }

    /// Ends the use of the store; a second call has no effect.
    public func end() { end(closes: false) }

    /// - Parameter closes: Whether to close the store if it has no other user.
    func end(closes: Bool) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        stores.removeHolder(holder)
        stores.perform { $0.returned(loan, at: .now, closes: closes) }
        stores.sweepLater()
    }

    /// Ends the use of the store, and closes a store that was opened for it and has no other user; returns when that is
    /// done.
    func endAndClose() async throws {
        end(closes: isFirst)
        guard stores.state.withLock({ $0.registry.isClosing(loan) }) else { return }
        // Waits for the registry, which closes it.
        try await store.close()
    }
}

/// Who uses a lent store.
public struct StoreHolder: Sendable, CustomStringConvertible {
    /// The database's name.
    public let name: DatabaseName
    /// The label that was given, or the source file and line of the call.
    public let label: String
    /// When the use began.
    public let since: ContinuousClock.Instant

    /// The name, the label and the time of use so far.
    public var description: String {
        "\(name), used by \(label) for \((ContinuousClock.now - since).milliseconds) ms"
    }
}
