import Synchronization

/// The use of a store that a registry keeps open meanwhile.
///
/// ```swift
/// let lease = try await stores.lease("clinic_a.sqlite")
/// defer { lease.end() }
/// for try await patients in lease.store.table(Patient.self).values() { … }
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

    private let giveBack: @Sendable (_ closes: Bool) -> Lending.Steps
    private let perform: @Sendable (Lending.Steps) -> Void
    private let hasEnded = Atomic(false)

    /// - Parameters:
    ///   - giveBack: Called once, with whether the store is to be closed if nobody else uses it.
    ///   - perform: Performs what follows from that.
    init(
        _ store: Store, _ holder: StoreHolder, _ origin: Origin,
        giveBack: @escaping @Sendable (_ closes: Bool) -> Lending.Steps,
        perform: @escaping @Sendable (Lending.Steps) -> Void
    ) {
        self.perform = perform
        self.store = store
        self.holder = holder
        self.origin = origin
        self.giveBack = giveBack
    }

    deinit { end() }

    /// Ends the use of the store; a second call has no effect.
    public func end() {
        perform(endedUse(closes: false))
    }

    /// Ends the use of the store.
    ///
    /// - Parameter closes: Whether to close the store if nobody else uses it and it was not lent or idle before.
    /// - Returns: What follows; the caller performs it.
    func endedUse(closes: Bool) -> Lending.Steps {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return Lending.Steps() }
        return giveBack(closes && origin != .found)
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
