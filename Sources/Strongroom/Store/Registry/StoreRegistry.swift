/// Decides which stores of a registry are open, which of them is closed for another, and who waits.
///
/// A store is kept by the callers of `open`, until the program closes it, and used by borrowers. One that nobody keeps
/// stays open for an idle time after its last use. At a limit, one that is idle is closed; if all are in use, requests
/// wait, and the one that has waited longest is served first. No limit holds for a store that is open or being opened,
/// for callers of `open`, and for a request that an opening or another use waits for.
///
/// A pure state machine: each event changes the state and returns what follows, which the caller performs after it has
/// released the lock. `Opened` is an open store.
struct StoreRegistry<Opened> {
    private(set) var entries: [DatabaseName: Entry] = [:]
    /// The requests that wait for a limit; their stores have no entry.
    private var waiting = WaitingRequests()
    private var idle = IdleStores()
    /// How many stores a limit holds for, and how many of these are being opened and closed.
    private var numbers = (limited: 0, opening: 0, closing: 0)
    private var lastNumber: UInt64 = 0
    private(set) var hasEnded = false
    /// Counts since the registry was created; the present numbers in it are not kept.
    private var counts = StoresStatistics()
    private(set) var limits = LendingLimits()
    /// Whether the process has reached a limit of its own.
    private let isExceeded: (LendingLimits) -> Bool

    init(isExceeded: @escaping (LendingLimits) -> Bool = { $0.isExceeded }) {
        self.isExceeded = isExceeded
    }

    // MARK: Requests

    /// Requests a store, or that it be kept closed.
    ///
    /// - Returns: The answer, or nil if the request waits.
    mutating func request(_ request: StoreRequest) -> (answer: Answer?, steps: Steps) {
        guard !hasEnded else { return (refusal(of: request), Steps()) }
        var steps = Steps()
        let answer = admit(request, &steps)
        if request.purpose == .borrow {
            counts.loans += 1
            if answer == nil, entries[request.name]?.isOpening != true { counts.waits += 1 }
        }
        return (answer, settled(steps))
    }

    /// Lends or keeps a store that is open, without a request that waits; nil if it is not.
    mutating func use(_ name: DatabaseName, _ purpose: StorePurpose) -> (loan: StoreLoan, store: Opened)? {
        guard !hasEnded, let entry = entries[name], case .open(let store) = entry.phase else { return nil }
        let loan = StoreLoan(name: name, number: entry.number)
        if purpose == .borrow { counts.loans += 1 }
        lend(loan, purpose)
        assert(defect == nil, defect ?? "")
        return (loan, store)
    }

    /// The answer after the registry's end.
    private func refusal(of request: StoreRequest) -> Answer { request.purpose == .reserve ? .refused : .ended }

    private mutating func lend(_ loan: StoreLoan, _ purpose: StorePurpose) {
        change(loan) { $0.add(1, purpose) }
        endIdleTime(of: loan)
    }

    /// Lets the request that was answered with ``StoreAnswer/open(_:)`` wait for the opening, which its caller begins.
    mutating func join(_ loan: StoreLoan, _ request: StoreRequest) {
        change(loan) { $0.waiting.append(request) }
    }

    /// Answers a request, or lets it wait: for an opening, for the end of what keeps its store closed, or for a limit.
    private mutating func admit(_ request: StoreRequest, _ steps: inout Steps) -> Answer? {
        guard let entry = entries[request.name] else {
            if request.purpose == .reserve { return .reserved(begin(.reserved, request)) }
            guard request.isUnlimited || waiting.isNext(request) && hasRoom else {
                waiting.insert(request)
                return nil
            }
            return .open(begin(.opening, request))
        }
        let loan = StoreLoan(name: request.name, number: entry.number)
        switch (entry.phase, request.purpose) {
        case (.open(let store), .keep), (.open(let store), .borrow):
            lend(loan, request.purpose)
            return .use(loan, store)
        case (.open, .reserve) where entry.idle != nil:
            close(loan, &steps)
            change(loan) { $0.waiting.insert(request, at: 0) }
            return nil
        case (.open, .reserve), (.opening, .reserve), (.reserved, .reserve):
            return .refused
        case (.opening, _):
            change(loan) { entry in
                entry.add(1, request.purpose)
                entry.waiting.append(request)
            }
            return nil
        case (.reserved, _) where !request.waitsForWork:
            return .refused
        case (.abandoned, _), (.closing, _), (.reserved, _):
            change(loan) { $0.waiting.append(request) }
            return nil
        }
    }

    /// Adds a store; those who wait for it, too, wait for a limit no longer.
    private mutating func begin(_ phase: Entry.Phase, _ request: StoreRequest) -> StoreLoan {
        lastNumber += 1
        var entry = Entry(number: lastNumber, phase: phase)
        entry.add(1, request.purpose)
        if entry.isOpening {
            entry.returnedBefore = idle.forget(request.name)
            if request.purpose == .borrow { counts.openings += 1 }
        }
        while let other = waiting.removeFirst(named: request.name) {
            if entry.isOpening { entry.add(1, other.purpose) }
            entry.waiting.append(other)
        }
        entries[request.name] = entry
        count(entry, 1)
        return StoreLoan(name: request.name, number: lastNumber)
    }

    private var hasRoom: Bool {
        guard numbers.opening < limits.openings, numbers.limited < limits.openStores else { return false }
        // Without a store of its own to close, waiting would not help.
        return numbers.limited == 0 || !isExceeded(limits)
    }

    /// Withdraws a waiting request.
    ///
    /// - Parameter isLate: Whether its time is over, which does not include that of an opening.
    /// - Returns: Whether it is withdrawn; not if the request is already answered, or is answered when an opening that
    ///   nobody else waits for has ended.
    mutating func withdraw(
        _ name: DatabaseName, _ ticket: UInt64, isLate: Bool = false
    ) -> (isWithdrawn: Bool, steps: Steps) {
        guard waiting.remove(ticket) == nil else { return (true, settled(Steps())) }
        guard let entry = entries[name], let index = entry.waiting.firstIndex(where: { $0.ticket == ticket }),
            !(isLate && entry.isOpening)
        else { return (false, Steps()) }
        let (loan, request) = (StoreLoan(name: name, number: entry.number), entry.waiting[index])
        var steps = Steps()
        change(loan) { entry in
            entry.waiting.remove(at: index)
            guard entry.isOpening else { return }
            entry.add(-1, request.purpose)
            guard entry.isUnused else { return }
            entry.phase = .abandoned(ticket: ticket)
            steps.abandoned.append(loan)
        }
        return (steps.abandoned.isEmpty, settled(steps))
    }

    // MARK: Outcomes

    mutating func opened(_ loan: StoreLoan, _ store: Opened, at time: ContinuousClock.Instant) -> Steps {
        guard let entry = entry(loan) else { return Steps() }
        var steps = Steps()
        if case .abandoned(let ticket) = entry.phase { steps.answers.append((ticket, .failed(CancellationError()))) }
        guard !entry.isLost else {
            remove(loan, &steps)
            return settled(steps)
        }
        change(loan) { opened in
            opened.phase = .open(store)
            opened.waiting = []
        }
        guard entry.isOpening else {
            becomeIdle(loan, at: time, closes: false, &steps)
            answer(entry.waiting, &steps)
            return settled(steps)
        }
        steps.answers += entry.waiting.map { ($0.ticket, .use(loan, store)) }
        return settled(steps)
    }

    mutating func failed(_ loan: StoreLoan, _ error: any Error) -> Steps {
        guard let entry = entry(loan) else { return Steps() }
        var steps = Steps()
        if case .abandoned(let ticket) = entry.phase {
            // Those who came later have not cancelled it.
            steps.answers.append((ticket, .failed(error)))
        } else {
            steps.answers += entry.waiting.map { ($0.ticket, .failed(error)) }
            change(loan) { $0.waiting = [] }
        }
        remove(loan, &steps)
        return settled(steps)
    }

    /// Reports that a borrower has returned a store.
    ///
    /// - Parameter closes: Whether to close it if it has no other user.
    mutating func returned(_ loan: StoreLoan, at time: ContinuousClock.Instant, closes: Bool) -> Steps {
        guard let entry = entry(loan), entry.isOpen else {
            change(loan) { $0.users -= 1 }
            return Steps()
        }
        var steps = Steps()
        change(loan) { entry in
            entry.users -= 1
            // A store that is never idle is not one that was used once.
            if !entry.isUnused { entry.returnedBefore = time }
        }
        becomeIdle(loan, at: time, closes: closes, &steps)
        return settled(steps)
    }

    /// Reports that a store is being closed by the program, so that the caller whom it was given to requests it again.
    mutating func lost(_ loan: StoreLoan, _ purpose: StorePurpose) -> Steps {
        // It is counted again.
        if purpose == .borrow { counts.loans -= 1 }
        change(loan) { entry in
            entry.add(-1, purpose)
            if entry.isOpen { entry.phase = .closing }
        }
        return settled(Steps())
    }

    /// Reports that a store was closed, by whomever, or need not be kept closed any longer.
    mutating func closed(_ loan: StoreLoan) -> Steps {
        guard let entry = entry(loan) else { return Steps() }
        var steps = Steps()
        switch entry.phase {
        case .opening, .abandoned: change(loan) { $0.isLost = true }
        case .open, .closing, .reserved: remove(loan, &steps)
        }
        return settled(steps)
    }

    /// Removes a store. Requests that have waited for that are answered, or wait for a limit.
    private mutating func remove(_ loan: StoreLoan, _ steps: inout Steps) {
        endIdleTime(of: loan)
        guard let entry = entry(loan) else { return }
        entries[loan.name] = nil
        count(entry, -1)
        answer(entry.waiting, &steps)
    }

    private mutating func answer(_ requests: [StoreRequest], _ steps: inout Steps) {
        for request in requests {
            let answer = hasEnded ? refusal(of: request) : admit(request, &steps)
            if let answer { steps.answers.append((request.ticket, answer)) }
        }
    }

    // MARK: What follows

    /// What follows from an event, and from the room that it leaves.
    private mutating func settled(_ steps: Steps) -> Steps {
        var steps = steps
        while let first = waiting.first {
            guard hasRoom else {
                closeForOthers(&steps)
                break
            }
            waiting.removeFirst()
            if let answer = admit(first, &steps) { steps.answers.append((first.ticket, answer)) }
        }
        closeAhead(&steps)
        assert(defect == nil, defect ?? "")
        return steps
    }

    /// Closes as many idle stores as are waited for.
    private mutating func closeForOthers(_ steps: inout Steps) {
        // What is being opened needs no store to be closed.
        guard numbers.opening < limits.openings else { return }
        let (isExceeded, wanted) = (isExceeded(limits), waiting.names.count)
        while numbers.closing < wanted,
            isExceeded || numbers.limited - numbers.closing + wanted > limits.openStores
        {
            guard closeForAnother(&steps) else { return }
        }
    }

    /// While stores are being opened near the limit, closes idle ones ahead of the next requests, which would have to
    /// wait for that.
    private mutating func closeAhead(_ steps: inout Steps) {
        guard numbers.opening > 0 else { return }
        closeIdle(above: limits.openStores - min(limits.openings, limits.openStores / 8), &steps)
    }

    private mutating func closeIdle(above count: Int, _ steps: inout Steps) {
        while numbers.limited - numbers.closing > count, closeForAnother(&steps) {}
    }

    /// - Returns: Whether a store was idle.
    private mutating func closeForAnother(_ steps: inout Steps) -> Bool {
        guard let first = idle.elements.first, let entry = entries[first.name] else { return false }
        counts.closedForOthers += 1
        close(StoreLoan(name: first.name, number: entry.number), &steps, makesRoom: true)
        return true
    }

    private mutating func close(_ loan: StoreLoan, _ steps: inout Steps, makesRoom: Bool = false) {
        guard let entry = entry(loan), case .open(let store) = entry.phase else { return }
        if let time = entry.idle?.since { idle.remember(loan.name, time, most: limits.openStores) }
        endIdleTime(of: loan)
        change(loan) { $0.phase = .closing }
        steps.closing.append((store, makesRoom))
    }

    // MARK: Idle stores

    /// Begins the idle time of a store that nobody uses or keeps, or closes it.
    private mutating func becomeIdle(
        _ loan: StoreLoan, at time: ContinuousClock.Instant, closes: Bool, _ steps: inout Steps
    ) {
        guard let entry = entry(loan), entry.isUnused else { return }
        let element = IdleStores.Element(name: loan.name, since: time, returnedBefore: entry.returnedBefore)
        idle.insert(element)
        change(loan) { $0.idle = element }
        if closes || hasEnded || numbers.limited - numbers.closing > limits.openStores { close(loan, &steps) }
    }

    /// Removes a store from the idle ones, if it is one of them.
    private mutating func endIdleTime(of loan: StoreLoan) {
        guard let element = entry(loan)?.idle else { return }
        idle.remove(element)
        change(loan) { entry in
            entry.idle = nil
            entry.returnedBefore = element.since
            entry.isTrimmed = false
        }
    }

    /// Closes idle stores after their time, and releases the memory of others; called from time to time.
    ///
    /// - Parameter trimTime: How long a store is idle before its memory is released.
    /// - Returns: The stores whose memory to release, what follows, and whether no store is idle and no request waits.
    mutating func sweep(
        at time: ContinuousClock.Instant, trimTime: Duration
    ) -> (trimmed: [Opened], steps: Steps, isDone: Bool) {
        var (trimmed, steps) = ([Opened](), Steps())
        for element in idle.elements {
            guard let entry = entries[element.name], case .open(let store) = entry.phase else { continue }
            let loan = StoreLoan(name: element.name, number: entry.number)
            if time - element.since >= limits.idleTime {
                counts.closedWhenIdle += 1
                close(loan, &steps)
            } else if time - element.since >= trimTime, !entry.isTrimmed {
                change(loan) { $0.isTrimmed = true }
                trimmed.append(store)
            }
        }
        // The process may be below its limits again.
        let settled = settled(steps)
        return (trimmed, settled, statistics.waiting == 0 && idle.elements.isEmpty)
    }

    mutating func setLimits(_ limits: LendingLimits) -> Steps {
        self.limits = limits
        var steps = Steps()
        closeIdle(above: limits.openStores, &steps)
        return settled(steps)
    }

    /// Ends the registry: requests that wait for another caller fail, and idle stores are closed.
    mutating func end() -> Steps {
        hasEnded = true
        var steps = Steps(answers: waiting.removeAll().map { ($0.ticket, refusal(of: $0)) })
        for (name, entry) in entries where !entry.isOpening {
            steps.answers += entry.waiting.map { ($0.ticket, refusal(of: $0)) }
            change(StoreLoan(name: name, number: entry.number)) { $0.waiting = [] }
            if entry.idle != nil { close(StoreLoan(name: name, number: entry.number), &steps) }
        }
        return settled(steps)
    }
}

// MARK: Entries

extension StoreRegistry {
    private func entry(_ loan: StoreLoan) -> Entry? {
        guard let entry = entries[loan.name], entry.number == loan.number else { return nil }
        return entry
    }

    /// Changes a store's entry and what is counted of it, unless the loan has ended.
    private mutating func change(_ loan: StoreLoan, _ body: (inout Entry) -> Void) {
        guard let index = entries.index(forKey: loan.name), entries.values[index].number == loan.number else { return }
        count(entries.values[index], -1)
        body(&entries.values[index])
        count(entries.values[index], 1)
    }

    private mutating func count(_ entry: Entry, _ number: Int) {
        guard entry.isLimited else { return }
        numbers.limited += number
        if entry.isOpening || entry.isAbandoned { numbers.opening += number }
        if entry.isClosing { numbers.closing += number }
    }

    /// Whether a store is used, or is being opened or closed.
    var isInUse: Bool { entries.values.contains { !($0.isOpen && $0.users == 0) } }

    func isClosing(_ loan: StoreLoan) -> Bool { entry(loan)?.isClosing ?? false }

    var openNames: [DatabaseName] { entries.filter { !$0.value.isReserved }.map(\.key) }

    /// How many stores are in each phase, how many requests wait, and the counts; not what the process uses.
    var statistics: StoresStatistics {
        var statistics = counts
        statistics.lent = entries.values.count { $0.isOpen && $0.users > 0 }
        statistics.idle = idle.elements.count
        statistics.opening = numbers.opening
        statistics.closing = numbers.closing + entries.values.count { $0.isReserved }
        statistics.waiting = waiting.count + entries.values.reduce(0) { $0 + ($1.isOpening ? 0 : $1.waiting.count) }
        return statistics
    }

    /// The first invariant that does not hold; nil if all do.
    var defect: String? {
        for (name, entry) in entries {
            if let defect = entry.defect { return "\(name): \(defect)" }
            if let element = entry.idle, !idle.contains(element) { return "\(name) is not among the idle stores" }
        }
        let limited = entries.values.filter(\.isLimited)
        let found = (
            limited: limited.count, opening: limited.count { $0.isOpening || $0.isAbandoned },
            closing: limited.count { $0.isClosing }
        )
        if found != numbers { return "\(found) counted as \(numbers)" }
        if entries.values.count(where: { $0.idle != nil }) != idle.elements.count { return "idle without an entry" }
        if waiting.names.contains(where: { entries[$0] != nil }) { return "waits for a limit beside an entry" }
        return hasEnded && !(waiting.isEmpty && idle.elements.isEmpty) ? "something waits after the end" : nil
    }
}
