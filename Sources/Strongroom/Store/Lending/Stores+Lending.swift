import Dispatch
import Synchronization

typealias Lending = LendingQueue<LentStore, LendingWaiter>

/// An open store, and the use of it that keeps it open.
struct LentStore: Sendable {
    let opening: SharedOpening
    let store: Store
}

/// A request for a store that waits; resumed with the answer, or with the error.
struct LendingWaiter: Sendable {
    let resume: @Sendable (Result<Lending.Grant, any Error>) -> Void
}

/// Stores that are open while they are used.
extension Stores {
    /// How many lent stores are kept open, and for how long.
    ///
    /// A lower limit closes idle stores at once, and stores in use when they are returned.
    public var lendingLimits: LendingLimits {
        get { lending.withLock { $0.limits } }
        set { perform(lending.withLock { $0.setLimits(newValue) }) }
    }

    /// Uses a store, which is opened if necessary, shared with other users meanwhile, and kept open for an idle time
    /// afterwards.
    ///
    /// ```swift
    /// let names = try await stores.withStore("clinic_a.sqlite") { store in
    ///     try await store.read { db in try Patient.order { $0.name }.fetch(in: db) }
    /// }
    /// ```
    ///
    /// At the limit of ``lendingLimits``, an idle store is closed for this one; if all are in use, the call waits in
    /// FIFO order, except inside the closure of another use, which may have what it would wait for: the limit is
    /// exceeded then. A store is not closed while a closure uses it, unless a program closes it itself, by `close` or
    /// `closeAll`. Use nothing of it afterwards; what lasts longer, such as a loop over observed values, needs a
    /// ``StoreLease``.
    ///
    /// - Parameters:
    ///   - fileName: The database's name, such as `clinic_a.sqlite`.
    ///   - timeout: How long to wait for other users at a limit; nil for no limit of time.
    ///   - label: Who uses the store, for the report of a shutdown; nil for the source file and line.
    ///   - file: The source file of the call.
    ///   - line: The line of the call.
    ///   - body: Uses the store; called once, in the caller's isolation.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; as `open`; `CancellationError` if the task is cancelled while it waits;
    ///   ``StrongroomError`` with `timedOut`, `closed` after ``shutDown(within:)``.
    @discardableResult
    public func withStore<T>(
        _ fileName: String, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: (Store) async throws -> T
    ) async throws -> T {
        try await withStore(DatabaseName(fileName), timeout: timeout, label: label, file: file, line: line, body)
    }

    /// Uses a store whose name is already validated.
    ///
    /// - Parameters:
    ///   - name: The database's name.
    ///   - timeout: How long to wait for other users at a limit; nil for no limit of time.
    ///   - label: Who uses the store, for the report of a shutdown; nil for the source file and line.
    ///   - file: The source file of the call.
    ///   - line: The line of the call.
    ///   - body: Uses the store; called once, in the caller's isolation.
    /// - Returns: What the closure returns.
    /// - Throws: As the method for a text.
    @discardableResult
    public func withStore<T>(
        _ name: DatabaseName, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: (Store) async throws -> T
    ) async throws -> T {
        let lease = try await lease(name, timeout: timeout, label: label, file: file, line: line)
        defer { lease.end() }
        return try await StoreUse.run(self) { try await body(lease.store) }
    }

    /// Opens a store if necessary, and keeps it open until the lease ends. A task that has a lease and requests another
    /// store waits for the limits: with as many such tasks as stores that may be open, they wait for each other.
    ///
    /// ```swift
    /// let lease = try await stores.lease("clinic_a.sqlite")
    /// defer { lease.end() }
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name, such as `clinic_a.sqlite`.
    ///   - timeout: How long to wait for other users at a limit; nil for no limit of time.
    ///   - label: Who uses the store, for the report of a shutdown; nil for the source file and line.
    ///   - file: The source file of the call.
    ///   - line: The line of the call.
    /// - Returns: The lease.
    /// - Throws: As ``withStore(_:timeout:label:file:line:_:)-(String,_,_,_,_,_)``.
    public func lease(
        _ fileName: String, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> StoreLease {
        try await lease(DatabaseName(fileName), timeout: timeout, label: label, file: file, line: line)
    }

    /// Opens a store whose name is already validated if necessary, and keeps it open until the lease ends.
    ///
    /// - Parameters:
    ///   - name: The database's name.
    ///   - timeout: How long to wait for other users at a limit; nil for no limit of time.
    ///   - label: Who uses the store, for the report of a shutdown; nil for the source file and line.
    ///   - file: The source file of the call.
    ///   - line: The line of the call.
    /// - Returns: The lease.
    /// - Throws: As the method for a text.
    public func lease(
        _ name: DatabaseName, timeout: Duration? = nil, label: String? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> StoreLease {
        while true {
            switch try await admit(name, timeout) {
            case .ended: throw hasShutDown(name)
            case .use(let loan, let lent):
                guard !lent.store.pool.isClosing else {
                    // Another caller has closed it.
                    perform(lending.withLock { $0.lost(loan) })
                    continue
                }
                return makeLease(loan, lent, label ?? "\(file):\(line)", .found)
            case .open(let loan):
                guard let (lent, origin) = try await open(loan) else { continue }
                return makeLease(loan, lent, label ?? "\(file):\(line)", origin)
            }
        }
    }

    private func makeLease(
        _ loan: Lending.Loan, _ lent: LentStore, _ label: String, _ origin: StoreLease.Origin
    ) -> StoreLease {
        let holder = StoreHolder(name: loan.name, label: label, since: .now)
        let number = holders.add(holder)
        return StoreLease(lent.store, holder, origin, shutdown) { [self] closes in
            holders.remove(number)
            // A store that a caller of `open` keeps needs no idle time.
            let closes = closes || lent.opening.keptStore != nil
            let steps = lending.withLock { $0.returned(loan, at: .now, closes: closes) }
            sweepLater()
            return steps
        } perform: { [self] steps in
            perform(steps)
        }
    }

    /// Opens the store of a loan, alone or beside others.
    ///
    /// - Returns: Nil if the loan has ended meanwhile.
    private func open(_ loan: Lending.Loan) async throws -> (LentStore, StoreLease.Origin)? {
        do {
            let (opening, store, isNew) = try await borrow(loan.name)
            let lent = LentStore(opening: opening, store: store)
            let (outcome, steps) = lending.withLock { $0.opened(loan, lent) { $0.opening === $1.opening } }
            perform(steps)
            // The registry needs one use of the store, however many callers have opened it together.
            switch outcome {
            case .kept(let replaced):
                if let replaced { try? await release(replaced.opening) }
                return (lent, isNew ? .opened : .foundOutside)
            case .known:
                try? await release(opening)
                return (lent, .found)
            case .stale:
                try? await release(opening)
                return nil
            }
        } catch {
            perform(lending.withLock { $0.failed(loan) })
            sweepLater()
            throw error
        }
    }

    // MARK: Waiting

    private static let tickets = Atomic<UInt64>(0)

    /// Requests a store from the lending queue, and waits for the answer.
    private func admit(_ name: DatabaseName, _ timeout: Duration?) async throws -> Lending.Grant {
        try Task.checkCancellation()
        guard !StoreUse.isInside(self, keepingClosed: name) else {
            throw StrongroomError(
                .nestedAccess,
                "The store is kept closed while its file is restored or removed, and cannot be used for that.",
                database: name.fileName)
        }
        let ticket = Self.tickets.wrappingAdd(1, ordering: .relaxed).newValue
        let isNested = StoreUse.isInside(self) || OpeningWaits.isInsideOpening
        let timer = Locked<(any DispatchSourceTimer)?>(nil)
        defer { timer.withLock { $0?.cancel() } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = LendingWaiter { continuation.resume(with: $0) }
                let (grant, steps) = lending.withLock {
                    $0.request(name, isNested: isNested, ticket: ticket, waiter: waiter)
                }
                perform(steps)
                if let grant { return continuation.resume(returning: grant) }
                sweepLater()
                // In this order: what comes before the request is queued does not find it.
                if let timeout {
                    let started = self.timer(timeout, ticket, name)
                    timer.withLock { $0 = started }
                }
                if Task.isCancelled { cancel(ticket, CancellationError()) }
            }
        } onCancel: {
            cancel(ticket, CancellationError())
        }
    }

    private func cancel(_ ticket: UInt64, _ error: any Error) {
        let (waiter, steps) = lending.withLock { $0.cancel(ticket) }
        perform(steps)
        waiter?.resume(.failure(error))
    }

    private func timer(_ timeout: Duration, _ ticket: UInt64, _ name: DatabaseName) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .milliseconds(Int(clamping: max(0, timeout.milliseconds))))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            let numbers = statistics
            let error = StrongroomError(
                .timedOut,
                """
                The store could not be opened within \(timeout). In use: \(numbers.lent.counting("store")); being \
                opened: \(numbers.opening); being closed, restored or removed: \(numbers.closing); waiting: \
                \(numbers.waiting.counting("request")). Raise `lendingLimits` \
                (\(lendingLimits.openStores.counting("open store"))), or end uses sooner.
                """,
                database: name.fileName)
            cancel(ticket, error)
        }
        timer.resume()
        return timer
    }

    // MARK: Closing

    /// How many of the stores that are closed after one change are closed at the same time.
    private static let closings = 8

    /// Performs what follows from a change of the lending queue.
    func perform(_ steps: Lending.Steps) {
        for (waiter, grant) in steps.granted { waiter.resume(.success(grant)) }
        guard !steps.closing.isEmpty else { return }
        let left = Locked(steps.closing[...])
        for _ in 0..<min(Self.closings, steps.closing.count) {
            KeptThreads.shared.run("strongroom.end") { [self] in
                while let closing = left.withLock({ $0.popFirst() }) { close(closing) }
            }
        }
    }

    /// To be called on a thread that may block.
    private func close(_ closing: Lending.Closing) {
        try? release(closing.store.opening, keepsLog: closing.makesRoom)
        DedicatedThread.end()
        perform(lending.withLock { $0.closed(closing.loan) })
    }

    /// Ends a use, and closes the store if the use opened it and there is no other; returns when that is done.
    func endAndClose(_ lease: StoreLease) async throws {
        var steps = lease.endedUse(closes: true)
        let own = steps.closing.first { $0.store.store === lease.store }
        steps.closing.removeAll { $0.store.store === lease.store }
        perform(steps)
        guard let own else { return }
        defer { perform(lending.withLock { $0.closed(own.loan) }) }
        try await release(own.store.opening)
    }

    /// How long a store is idle before its readers are closed and its memory is released.
    private static let trimTime = Duration.seconds(1)

    private func sweepLater() {
        idleSweep.recordUse { makeIdleStoreCheck() }
    }

    private func makeIdleStoreCheck() -> IdleTimer.Check {
        { [weak self] in
            guard let self else { return true }
            let (trimmed, steps, isDone) = lending.withLock { $0.sweep(at: .now, trimTime: Self.trimTime) }
            perform(steps)
            for lent in trimmed {
                Task.detached(executorPreference: Self.opener) { try? await lent.store.pool.releaseMemory() }
            }
            return isDone
        }
    }
}
