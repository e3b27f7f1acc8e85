import Dispatch
public import Strongroom

/// Ships what is committed to a store's database to its replica, as long as the store is open.
///
/// ```swift
/// let store = try await stores.open("clinic_a.sqlite")
/// try await store.write { db in try Patient.insert(patient, in: db) }
/// try await store.replication?.waitUntilShipped()
/// ```
///
/// The loop is one task; the connections are used by one thread at a time.
public final class Replication: StoreParticipant {
    let replica: Replica
    let folder: ReplicaFolder
    let leases: Leases?
    /// Not retained: the store retains this.
    let store: WeakStore
    let state: Locked<State>
    /// The connections; used on threads that may block.
    let reading: ReadingThread
    let wakeup: WakeUp
    let shipper: Shipper
    /// Watches the lease and the length of the WAL while the loop may be waiting for the object store.
    private let guardian = GuardThread()

    struct State {
        var status = ReplicationStatus()
        var isSuspended = false
        var isEnding = false
        /// The number of requests to ship what is committed.
        var requests = 0
        var waiters: [(request: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var loop: Task<Void, Never>?
        /// The number of failures since the last success.
        var failures = 0
        /// The lease; nil without one, and when it was given back.
        var lease: Leases.Held?
        /// Whether no other host can have had the lease since this one was found to be the replica's writer.
        var isWriter = false
        /// The length of the WAL, in bytes, at which it was let go last.
        var releasedLength: Int64 = 0
    }

    init(_ replica: Replica, of store: Store) {
        self.replica = replica
        self.store = WeakStore(store)
        folder = replica.folder(of: store.name)
        leases = replica.leases(of: store.name)
        state = Locked(State())
        reading = ReadingThread()
        wakeup = WakeUp()
        shipper = Shipper(replica, folder, reading)
    }

    /// How far the replica has followed.
    public var status: ReplicationStatus { state.withLock { $0.status } }

    /// Waits until every commit that was made before the call, by any process, is in the replica.
    ///
    /// - Parameter timeout: How long to wait; nil for no limit.
    /// - Throws: `CancellationError`; `StrongroomError` with `replicaBehind`; `notOwner` if another store or host has
    ///   taken over the replica; `damaged` if the disk has damaged a page that is to be shipped; `replicaMissing` if
    ///   the replica has lost what was shipped; `diskFull`, `permissionDenied` or `tooManyOpenFiles` if it cannot be
    ///   written or read for that reason, which is tried again all the same; `closed`.
    public func waitUntilShipped(timeout: Duration? = nil) async throws {
        guard let timeout else { return try await waitForShipping() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.waitForShipping() }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw self.late(timeout)
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    private func waitForShipping() async throws {
        let request = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let error: (any Error)? = state.withLock { state in
                    if Task.isCancelled { return CancellationError() }
                    if state.status.phase == .lost {
                        return state.status.failure ?? StrongroomError.notOwner(folder.name)
                    }
                    if state.status.phase == .ended || state.isEnding { return ended }
                    state.waiters.append((request, continuation))
                    return nil
                }
                if let error { return continuation.resume(throwing: error) }
                wakeup.signal()
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.request == request }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func late(_ timeout: Duration) -> StrongroomError {
        let failure = status.failure.map { " The object store failed last with: \($0.message)" } ?? ""
        return StrongroomError(
            .replicaBehind,
            """
            The replica "\(folder.name)" does not have the newest commits after \(timeout). They are committed in the \
            database, and are shipped as soon as possible.\(failure)
            """)
    }

    var ended: StrongroomError {
        StrongroomError(.closed, "The store of the replica \"\(folder.name)\" is closed; open it again.")
    }

    // MARK: The store's calls

    func begin() {
        let interval = max(replica.interval, .milliseconds(1))
        let guardInterval = leases == nil ? Self.guardIntervals.log : Self.guardIntervals.lease
        state.withLock { state in
            state.loop = Task { [weak self, wakeup] in
                while await self?.iterate() == true { await wakeup.wait(atMost: self?.pause ?? interval) }
            }
        }
        guardian.run(every: guardInterval) { [weak self] in await self?.guardOnce() ?? false }
    }

    /// The time between two checks of the lease and of the WAL, which needs fewer.
    private static let guardIntervals = (lease: Duration.milliseconds(250), log: Duration.seconds(1))

    package func suspend() {
        state.withLock { $0.isSuspended = true }
        reading.suspend()
        shipper.suspend()
    }

    package func resume() {
        reading.resume()
        state.withLock { $0.isSuspended = false }
        wakeup.signal()
    }

    package func checkpointing() {
        // What fails here is a gap, after which the replica is compared with the file.
        try? reading.runNow { reader in
            try reader.readAhead(limit: Shipper.pagesAtOnce(reader.form), mostBytes: Self.mostAhead)
        }
    }

    /// What is kept in memory, in bytes, while the object store is slower than the writer.
    private static let mostAhead = 32 << 20

    package func finish() {
        let loop = state.withLock { state in
            state.isEnding = true
            return state.loop
        }
        wakeup.signal()
        // The last iteration ships what is left.
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            await loop?.value
            isDone.signal()
        }
        let limit = DispatchTime.now() + .milliseconds(Int(clamping: replica.closingTimeout.milliseconds))
        if isDone.wait(timeout: limit) == .timedOut {
            loop?.cancel()
            // An object store that does not answer, not even to that, is left behind.
            _ = isDone.wait(timeout: .now() + .milliseconds(Self.cancellationTime))
        }
        guardian.end()
    }

    /// How long the loop has, in milliseconds, to end after its cancellation.
    private static let cancellationTime = 500
}

extension Store {
    /// The replication of the store; nil if its configuration has no replica.
    public var replication: Replication? { participant(Replication.self) }
}

extension Replica: StartedExtension {
    public func _prepare(_ name: DatabaseName) async throws -> (@Sendable () async -> Void)? {
        guard let leases = leases(of: name) else { return nil }
        let lease = try await leases.acquire()
        guard lease.isNew else { return nil }
        return { try? await leases.release(lease) }
    }

    package func attach(to store: Store) async throws {
        // Refuses a database that a replica cannot have.
        _ = try store.commitReaders()
        guard store.replication == nil else {
            throw StrongroomError(
                .invalidSetting,
                """
                The configuration of "\(store.name)" lists two replicas. List one; a copy of it elsewhere is created \
                by copying its objects, or by `strongroom replicate`.
                """,
                database: store.name.fileName)
        }
        let replication = Replication(self, of: store)
        try await replication.beginWithLease(store)
        try store.add(replication)
        replication.begin()
    }
}

/// A store that is not retained.
final class WeakStore: @unchecked Sendable {  // written once
    private weak let stored: Store?

    init(_ store: Store) { stored = store }

    var value: Store? { stored }
}
