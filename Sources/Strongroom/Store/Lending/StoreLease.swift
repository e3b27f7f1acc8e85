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

    /// Who uses the store, as a report of a shutdown names it.
    let holder: StoreHolder
    let origin: Origin

    /// Where the store came from.
    enum Origin {
        /// This lease opened it.
        case opened
        /// It was open, for a caller of `open`.
        case foundOutside
        /// It was lent or idle.
        case found
    }

    private let release: @Sendable (_ closes: Bool) -> Lending.Steps
    private let shutdown: ShutdownSignal
    private let perform: @Sendable (Lending.Steps) -> Void
    private let hasEnded = Atomic(false)

    /// - Parameters:
    ///   - release: Called once, with whether the store is to be closed if it has no other user.
    ///   - perform: Performs what follows from that.
    init(
        _ store: Store, _ holder: StoreHolder, _ origin: Origin, _ shutdown: ShutdownSignal,
        release: @escaping @Sendable (_ closes: Bool) -> Lending.Steps,
        perform: @escaping @Sendable (Lending.Steps) -> Void
    ) {
        self.perform = perform
        self.shutdown = shutdown
        self.store = store
        self.holder = holder
        self.origin = origin
        self.release = release
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
        let isShutdown = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask { [shutdown] in
                await shutdown.wait()
                isShutdown.withLock { $0 = !Task.isCancelled }
            }
            do {
                // The first one of the two to end.
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            } catch is CancellationError where isShutdown.withLock({ $0 }) {
                return
            }
        }
    }

    /// Ends the use of the store; a second call has no effect.
    public func end() {
        perform(endedUse(closes: false))
    }

    /// Ends the use of the store.
    ///
    /// - Parameter closes: Whether to close the store if it has no other user, and was not lent or idle before.
    /// - Returns: What follows; the caller performs it.
    func endedUse(closes: Bool) -> Lending.Steps {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return Lending.Steps() }
        return release(closes && origin != .found)
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
