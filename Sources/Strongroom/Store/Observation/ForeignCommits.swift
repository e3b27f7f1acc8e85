import Dispatch
import Logging
import Synchronization

/// Notifies the observers of a store of commits that other connections make to its file: other processes', and other
/// programs'. It does nothing while the store is not observed.
///
/// The system reports that the file or its WAL was written, which the store's own commits do as well. The writer's
/// connection then says whether another one has committed (``Connection/findForeignCommits()``). It is asked by the
/// holder of its slot: by the one that releases it next, or, if it is free, by a check that acquires it. A transaction
/// that writes asks at its beginning, and no other process commits until its end. Which tables the commit has written
/// is not known.
///
/// No commit is missed. The frames of a commit are in the WAL before the system reports the last of them, and each
/// report is followed by a check that begins after it. If the commit is valid then, the check finds it. If it is not,
/// the check finds its frames, and is repeated until the commit is valid, or until the write lock shows that its
/// process has been killed. Without a WAL, the file is locked from the first write to the end of the commit, and the
/// check is repeated until it is not.
final class ForeignCommits: Sendable {
    private struct State {
        var watch: FileWatch?
        var timer: (any DispatchSourceTimer)?
        var isLogged = false
        var acquireWriter: (@Sendable () -> Bool)?

        var isOn: Bool { watch != nil || timer != nil }
    }

    /// The file; nil for one whose commits of other connections are not found.
    private let path: String?
    private let changes: ForeignChanges
    private let logger: Logger?
    private let broadcaster: ChangeBroadcaster
    private let statistics: Locked<StoreStatistics>
    private let state = Locked(State())
    private let hasObservers = Atomic(false)
    private let isRequested = Atomic(false)
    /// The number of repeated checks since the last report.
    private let repetitions = Atomic<Int>(0)
    /// Whether a repeated check is to come.
    private let isRepeating = Atomic(false)
    /// Writes that run in a transaction which may not have the write lock.
    private let deferredWrites = Atomic<Int>(0)

    private static let queue = DispatchQueue(label: "strongroom.foreign")
    private static let pollingInterval = Duration.milliseconds(50)
    /// Milliseconds between the repetitions of a check; the last one applies to all further ones.
    private static let pauses = [1, 2, 4, 8, 16, 32, 50]
    /// The repetition, after about two seconds, from which the write lock is tried: before, it could make a write of a
    /// program fail that does not wait for locks.
    private static let patience = 45
    /// The repetition, after about a minute, from which the pause is long: a read-only store cannot try the write lock.
    private static let maxRepetitions = 1_200
    private static let longPause = 1_000

    /// - Parameter path: The path of the file; nil for a database that no other connection changes.
    init(
        _ path: String?, _ changes: ForeignChanges, _ logger: Logger?, _ broadcaster: ChangeBroadcaster,
        _ statistics: Locked<StoreStatistics>
    ) {
        self.path = changes == .ignored ? nil : path
        self.changes = changes
        self.logger = logger
        self.broadcaster = broadcaster
        self.statistics = statistics
    }

    /// Begins to follow the observers.
    ///
    /// - Parameter acquireWriter: Acquires and releases the writer, on another thread; false if it is not free.
    func begin(acquireWriter: @escaping @Sendable () -> Bool) {
        guard path != nil else { return }
        state.withLock { $0.acquireWriter = acquireWriter }
        broadcaster.whenObserved { [weak self] in self?.follow() }
    }

    var isOn: Bool { hasObservers.load(ordering: .relaxed) }

    /// Whether the writer is to be asked before its slot is released.
    var isDue: Bool { isRequested.load(ordering: .sequentiallyConsistent) }

    // MARK: The watch

    private func follow() {
        guard let path else { return }
        let (hasBegun, fallback) = state.withLock { state -> (Bool, Logger?) in
            let isObserved = broadcaster.isObserved
            guard isObserved != state.isOn else { return (false, nil) }
            hasObservers.store(isObserved, ordering: .sequentiallyConsistent)
            guard isObserved else {
                end(&state)
                return (false, nil)
            }
            if case .polled(let interval) = changes {
                poll(every: interval, &state)
                return (true, nil)
            }
            state.watch = FileWatching.shared.watch(path) { [weak self] report in self?.handle(report) }
            return (true, state.watch == nil ? fallBack(&state) : nil)
        }
        log(fallback)
        // What was committed before the watch began.
        if hasBegun { request() }
    }

    private func end(_ state: inout State) {
        state.watch = nil
        state.timer.take()?.cancel()
        statistics.withLock { $0.isPolling = false }
    }

    private func poll(every interval: Duration, _ state: inout State) {
        let milliseconds = Int(clamping: max(1, interval.milliseconds))
        let timer = DispatchSource.makeTimerSource(queue: Self.queue)
        timer.schedule(
            deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds),
            leeway: .milliseconds(milliseconds / 10))
        timer.setEventHandler { [weak self] in self?.request() }
        timer.activate()
        state.timer = timer
        statistics.withLock { $0.isPolling = true }
    }

    /// Polls instead of watching.
    ///
    /// - Returns: The logger, the first time.
    private func fallBack(_ state: inout State) -> Logger? {
        state.watch = nil
        poll(every: Self.pollingInterval, &state)
        defer { state.isLogged = true }
        return state.isLogged ? nil : logger
    }

    private func log(_ logger: Logger?) {
        logger?.notice(
            "polling for commits of other processes: the system has no watch for the file",
            metadata: ["interval": "\(Self.pollingInterval)"])
    }

    private func handle(_ report: FileWatching.Report) {
        if report == .loss { log(state.withLock { $0.watch == nil ? nil : fallBack(&$0) }) }
        repetitions.store(0, ordering: .relaxed)
        request()
    }

    /// Watches the file that is at the path now, after the connections were closed and opened again.
    func renew() {
        guard isOn else { return }
        state.withLock { $0.watch }?.renew()
        request()
    }

    // MARK: Checks

    func request() {
        guard isOn else { return }
        // Before the slot is requested: its holder looks for the request after releasing it.
        isRequested.store(true, ordering: .sequentiallyConsistent)
        guard state.withLock({ $0.acquireWriter })?() == false else { return }
        // The check could take as long as the write.
        if deferredWrites.load(ordering: .sequentiallyConsistent) > 0 { report() }
    }

    /// Checks whether another connection has committed; only for the holder of the writer's slot.
    ///
    /// - Parameter connection: The writer's connection; nil if it has none.
    func check(_ connection: Connection?) {
        isRequested.store(false, ordering: .sequentiallyConsistent)
        guard isOn else { return }
        // The file that such a connection reads has no counter.
        guard let connection, connection.mode != .untouched, connection.mode != .withoutIndex else { return report() }
        connection.beginWork(.unshared)
        do {
            let found =
                try repetitions.load(ordering: .relaxed) >= Self.patience
                ? connection.findForeignCommitsLockingOut() : connection.findForeignCommits()
            if found.isFound { report() }
            if found.mayFollow { repeatCheck() }
        } catch {
            // The file cannot be read, for example because another process has rotated it: so does an observer's read,
            // which finds the new key or throws the reason.
            report()
        }
    }

    /// As ``check(_:)`` in a transaction that has just begun.
    func checkInTransaction(_ connection: Connection) {
        guard isOn else { return }
        let found = try? connection.findForeignCommits()
        if found?.isFound ?? true { report() }
    }

    /// Runs a transaction that may not have the write lock, so that others can commit until its end.
    func whileDeferred<T>(on connection: Connection, _ body: () throws -> T) rethrows -> T {
        deferredWrites.add(1, ordering: .sequentiallyConsistent)
        defer { deferredWrites.subtract(1, ordering: .sequentiallyConsistent) }
        if isDue { check(connection) }
        return try body()
    }

    private func repeatCheck() {
        guard !isRepeating.exchange(true, ordering: .sequentiallyConsistent) else { return }
        let number = repetitions.wrappingAdd(1, ordering: .relaxed).oldValue
        let pause = number < Self.maxRepetitions ? Self.pauses[min(number, Self.pauses.count - 1)] : Self.longPause
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
            guard let self else { return }
            isRepeating.store(false, ordering: .sequentiallyConsistent)
            request()
        }
    }

    /// Reports commits that may have written any table.
    private func report() {
        statistics.withLock { $0.foreignChanges += 1 }
        broadcaster.report(nil)
    }
}
