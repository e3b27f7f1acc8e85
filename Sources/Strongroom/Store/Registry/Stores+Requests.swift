import Dispatch
import Synchronization

/// Performs what ``StoreRegistry`` decides.
extension Stores {
    typealias Registry = StoreRegistry<Store>

    private static let tickets = Atomic<UInt64>(0)

    /// A number that no other request, holder or work has.
    static func nextTicket() -> UInt64 { tickets.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Requests a store, and waits for it.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for a limit, or for the end of what keeps the store closed; nil for no limit of
    ///     time.
    ///   - waitsForWork: Whether to wait for the end of work for which the store is kept closed; if not, it is
    ///     `alreadyOpen`.
    /// - Returns: The loan, to be returned unless the store is kept, and whether this request has opened the store.
    func request(
        _ name: DatabaseName, _ purpose: StorePurpose, timeout: Duration? = nil, waitsForWork: Bool = true
    ) async throws -> (loan: StoreLoan, store: Store, isFirst: Bool) {
        if let (loan, store) = state.withLock({ $0.registry.use(name, purpose) }) {
            guard store.pool.isClosing else { return (loan, store, false) }
            perform { $0.lost(loan, purpose) }
        }
        let request = StoreRequest(
            name: name, purpose: purpose, isNested: StoreUse.isNested(in: self), waitsForWork: waitsForWork)
        return try await StoreUse.wait(for: name, of: self) {
            try await withTaskExecutorPreference(Self.opener) { try await fulfill(request, timeout) }
        }
    }

    /// Waits for a store on the registry's own threads: the caller's actor may be blocked by a call that waits for the
    /// same store, which would then never be opened.
    @concurrent
    private func fulfill(
        _ request: StoreRequest, _ timeout: Duration?
    ) async throws -> (loan: StoreLoan, store: Store, isFirst: Bool) {
        while true {
            var (answer, isFirst) = (await self.answer(request, timeout), false)
            while case .open(let loan) = answer {
                answer = await joinOpening(loan, request)
                isFirst = true
            }
            switch answer {
            case .failed(let error): throw error
            case .use(let loan, let store) where store.pool.isClosing: perform { $0.lost(loan, request.purpose) }
            case .use(let loan, let store): return (loan, store, isFirst)
            case .refused: throw isKeptClosed(request.name)
            case .open, .reserved, .ended: throw hasShutDown(request.name)
            }
        }
    }

    /// Runs work on a file while its store is kept closed: an idle one is closed, and requests that come meanwhile wait
    /// until the work ends. A store that is in use, or kept closed for other work, is left alone, which the work finds
    /// out.
    ///
    /// - Parameter label: What the work is, for the report of a shutdown.
    func whileClosed<T>(_ name: DatabaseName, label: String, _ work: () async throws -> T) async throws -> T {
        let answer = try await StoreUse.wait(for: name, of: self) {
            await self.answer(StoreRequest(name: name, purpose: .reserve), nil)
        }
        if case .failed(let error) = answer { throw error }
        guard case .reserved(let loan) = answer else { return try await work() }
        let holder = addHolder(name, label)
        defer {
            removeHolder(holder)
            perform { $0.closed(loan) }
        }
        return try await StoreUse.run(.work, name, of: self, work)
    }

    // MARK: Waiting

    private func answer(_ request: StoreRequest, _ timeout: Duration?) async -> StoreAnswer<Store> {
        await wait(request, timeout) { state, request in state.registry.request(request) }
    }

    private func joinOpening(_ loan: StoreLoan, _ request: StoreRequest) async -> StoreAnswer<Store> {
        await wait(request, nil) { state, request in
            state.registry.join(loan, request)
            guard !state.registry.hasEnded else { return (nil, state.registry.failed(loan, hasShutDown(loan.name))) }
            state.openings[loan.number] = beginOpening(loan)
            return (nil, Registry.Steps())
        }
    }

    /// Waits for the answer to a request, which is withdrawn if the task is cancelled.
    ///
    /// - Parameter queue: Queues the request; returns the answer if it does not wait, and what follows.
    private func wait(
        _ request: StoreRequest, _ timeout: Duration?,
        _ queue: (inout State, StoreRequest) -> (answer: StoreAnswer<Store>?, steps: Registry.Steps)
    ) async -> StoreAnswer<Store> {
        var request = request
        request.ticket = Self.nextTicket()
        let queued = request
        var timer: (any DispatchSourceTimer)?
        // The thread sanitizer does not see that a continuation which is resumed before it is awaited orders the two;
        // it sees that a lock does.
        defer { state.withLock { _ in } }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let (answer, steps) = state.withLock { state in
                    let (answer, steps) = queue(&state, queued)
                    if answer == nil { state.waiters[queued.ticket] = waiter }
                    return (answer, steps)
                }
                perform(steps)
                if let answer { return waiter.resume(returning: answer) }
                sweepLater()
                // What comes before the request is queued would not find it.
                if let timeout { timer = startTimer(after: timeout) { [weak self] in self?.withdraw(queued, timeout) } }
                if Task.isCancelled { withdraw(queued) }
            }
        } onCancel: {
            withdraw(queued)
        }
    }

    private func resume(_ ticket: UInt64, _ answer: StoreAnswer<Store>) {
        state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(returning: answer)
    }

    /// Withdraws a request: its task was cancelled, or its time is over.
    private func withdraw(_ request: StoreRequest, _ timeout: Duration? = nil) {
        let (isWithdrawn, steps, numbers, limits) = state.withLock { state in
            let (isWithdrawn, steps) = state.registry.withdraw(request.name, request.ticket, isLate: timeout != nil)
            let numbers = isWithdrawn ? state.registry.statistics : StoresStatistics()
            return (isWithdrawn, steps, numbers, state.registry.limits)
        }
        perform(steps)
        guard isWithdrawn else { return }
        guard let timeout else { return resume(request.ticket, .failed(CancellationError())) }
        let error = StrongroomError(
            .timedOut,
            """
            The store could not be opened within \(timeout). In use: \(numbers.lent.counting("store")); being \
            opened: \(numbers.opening); being closed, restored or removed: \(numbers.closing); waiting: \
            \((numbers.waiting + 1).counting("request")). Raise `lendingLimits` \
            (\(limits.openStores.counting("open store"))), or end uses sooner.
            """,
            database: request.name.fileName)
        resume(request.ticket, .failed(error))
    }

    private func isKeptClosed(_ name: DatabaseName) -> StrongroomError {
        StrongroomError(
            .alreadyOpen,
            """
            The file of "\(name.fileName)" is being restored, adopted or removed in this process. Open it when that is \
            done, or with `await`, which waits for that.
            """,
            database: name.fileName)
    }

    func hasShutDown(_ name: DatabaseName) -> StrongroomError {
        StrongroomError(
            .closed, "The registry is shut down and cannot open stores.", database: name.fileName)
    }

    // MARK: Events

    /// Reports an event, and performs what follows.
    func perform(_ event: (inout Registry) -> Registry.Steps) {
        perform(state.withLock { event(&$0.registry) })
    }

    /// Reports the end of an opening or of a store.
    func ended(_ loan: StoreLoan, _ event: (inout Registry) -> Registry.Steps) {
        let steps = state.withLock { state in
            state.openings[loan.number] = nil
            return event(&state.registry)
        }
        perform(steps)
    }

    /// How many of the stores that are closed after one event are closed at the same time.
    private static let closings = 8

    func perform(_ steps: Registry.Steps) {
        for (ticket, answer) in steps.answers { resume(ticket, answer) }
        for loan in steps.abandoned { state.withLock { $0.openings[loan.number] }?.cancel() }
        guard !steps.closing.isEmpty else { return }
        let left = Locked(steps.closing[...])
        for _ in 0..<min(Self.closings, steps.closing.count) {
            ThreadPool.shared.run("strongroom.end") {
                while let closing = left.withLock({ $0.popFirst() }) {
                    // Where closing fails, the store is closed with its log.
                    try? closing.store.pool.close(keepsLog: closing.makesRoom)
                    DedicatedThread.end()
                }
            }
        }
    }

    // MARK: Idle stores

    /// How long a store is idle before its readers are closed and its memory is released.
    private static let trimTime = Duration.seconds(1)

    func sweepLater() {
        idleSweep.recordUse {
            { [weak self] in
                guard let self else { return true }
                let (trimmed, steps, isDone) = state.withLock { $0.registry.sweep(at: .now, trimTime: Self.trimTime) }
                perform(steps)
                for store in trimmed {
                    Task.detached(executorPreference: Self.opener) { try? await store.pool.releaseMemory() }
                }
                return isDone
            }
        }
    }

    // MARK: Holders

    /// Records who uses a store, for the report of a shutdown.
    ///
    /// - Returns: The number to remove it by.
    func addHolder(_ name: DatabaseName, _ label: String) -> UInt64 {
        let number = Self.nextTicket()
        state.withLock { $0.holders[number] = StoreHolder(name: name, label: label, since: .now) }
        return number
    }

    func removeHolder(_ number: UInt64) { state.withLock { $0.holders[number] = nil } }
}
