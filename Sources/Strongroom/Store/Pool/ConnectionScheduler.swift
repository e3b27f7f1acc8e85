/// Decides which operation may use which connection, and which writes share a transaction: one writer, a limited number
/// of readers, in FIFO order. A store in memory has one connection, and reads and writes share one queue for it.
///
/// An operation that needs every slot waits while others are admitted: as long as an operation runs that was there
/// before the request, admission continues, since its duration is unknown. Then admission stops until the remaining
/// slots are released. If that takes long, for instance because a holder waits for another slot itself, admission
/// resumes, and the next attempt stops it for longer. So no operation waits forever.
///
/// A pure state machine: each function changes the state and returns an action, which the caller performs after it has
/// released the lock. `Waiter` is whatever value the caller needs back.
struct ConnectionScheduler<Waiter> {
    /// What a slot is requested for.
    enum Request {
        case read
        /// A write whose transaction may be shared.
        case write
        /// A write in a separate transaction.
        case ungroupedWrite
        /// Every connection at once; ends with ``ConnectionScheduler/endExclusive()``.
        case exclusive
    }

    /// The slot of a connection.
    enum Slot: Hashable {
        case writer
        case reader(Int)
    }

    /// The answer to a request.
    enum Answer {
        /// The caller has the slot and must release it; an `exclusive` request has every slot, whichever is named.
        case granted(Slot)
        /// The caller waits until an ``Admission`` names it.
        case waiting
        /// The store is closed or closing.
        case closed
    }

    /// An attempt to acquire every slot.
    struct Drain: Equatable {
        /// The ticket of the request.
        let ticket: UInt64
        /// The number of earlier attempts.
        let round: Int
    }

    /// What follows when slots are released.
    struct Admission {
        var slots: [(waiter: Waiter, slot: Slot)] = []
        var exclusive: Waiter?
        /// Admission stops until the held slots are released. If that takes long, call
        /// ``ConnectionScheduler/resumeAdmission(_:)``.
        var drain: Drain?
        /// Whether the store is closing and no operation is left: close it.
        var isClose = false
    }

    private var freeReaders: [Int]
    private var isWriterFree = true
    private var waitingReaders = FIFOQueue<(ticket: UInt64, waiter: Waiter)>()
    private var waitingWriters = FIFOQueue<(ticket: UInt64, isShared: Bool, waiter: Waiter)>()
    /// Requests for every slot; the first one is next.
    private var waitingExclusive = FIFOQueue<(ticket: UInt64, waiter: Waiter)>()
    /// The slots that were held when the first of them began to wait, or admission resumed.
    private var olderSlots: Set<Slot> = []
    /// How often admission was stopped for the first of them.
    private var rounds = 0
    /// Whether admission is stopped until every slot is free.
    private var isDraining = false
    /// Whether one operation has every slot.
    private var isExclusive = false
    private let readerCount: Int
    private var grantedCount = 0
    private let largestGroup: Int
    /// How many writes have run in the current transaction.
    private var groupSize = 0
    /// Whether the holder of the writer's slot shares its transaction.
    private var isWriterShared = false
    /// Whether reads use the writer's slot because there are no readers.
    private let hasOneConnection: Bool
    private(set) var isClosing = false

    /// - Parameter readers: The number of readers; with 0, reads and writes share the writer's slot.
    init(readers: Int, largestGroup: Int) {
        hasOneConnection = readers == 0
        readerCount = readers
        // The lowest free index is used first, so that no more connections are opened than are used at the same time.
        freeReaders = (0..<readers).reversed()
        self.largestGroup = largestGroup
    }

    /// Requests a slot.
    ///
    /// - Parameters:
    ///   - request: What the slot is for.
    ///   - ticket: Identifies the request for ``cancel(_:)``.
    ///   - isLast: Whether the request is accepted while the store is closing, as long as other operations run.
    ///   - waiter: Returned later if the request has to wait.
    mutating func request(
        _ request: Request, ticket: UInt64, isLast: Bool = false, waiter: @autoclosure () -> Waiter
    ) -> Answer {
        guard !isClosing || isLast && grantedCount > 0 else { return .closed }
        switch request {
        case .write, .ungroupedWrite:
            return requestWriter(isShared: request == .write, ticket, waiter)
        case .read where hasOneConnection:
            return requestWriter(isShared: false, ticket, waiter)
        case .exclusive:
            return requestExclusive(ticket, waiter)
        case .read:
            guard isAdmitting, let index = freeReaders.popLast() else {
                waitingReaders.append((ticket, waiter()))
                return .waiting
            }
            grantedCount += 1
            return .granted(.reader(index))
        }
    }

    private mutating func requestWriter(isShared: Bool, _ ticket: UInt64, _ waiter: () -> Waiter) -> Answer {
        guard isAdmitting, isWriterFree else {
            waitingWriters.append((ticket, isShared, waiter()))
            return .waiting
        }
        isWriterFree = false
        beginGroup(isShared)
        grantedCount += 1
        return .granted(.writer)
    }

    /// Ends a write, and decides whether the next waiting write continues its transaction.
    ///
    /// - Parameter mayGrow: False if the transaction has to end in any case.
    /// - Returns: The next write, which gets the slot; nil if the transaction is to be committed.
    mutating func finishWrite(mayGrow: Bool) -> Waiter? {
        guard mayGrow, !isDraining, isWriterShared, groupSize < largestGroup, waitingWriters.first?.isShared == true,
            let next = waitingWriters.popFirst()
        else { return nil }
        groupSize += 1
        return next.waiter
    }

    private mutating func beginGroup(_ isShared: Bool) {
        groupSize = 1
        isWriterShared = isShared
    }

    /// Releases a slot; waiting requests get it before later ones, also while the store is closing.
    mutating func release(_ slot: Slot) -> Admission {
        if !olderSlots.isEmpty { olderSlots.remove(slot) }
        // The last slot that was held before the request: from now on, admission stops.
        let isFirstDrained = waitingExclusive.first != nil && olderSlots.isEmpty && !isDraining
        if isFirstDrained {
            isDraining = true
            rounds += 1
        }
        if isAdmitting, let next = next(for: slot) { return Admission(slots: [(next, slot)]) }
        free(slot)
        grantedCount -= 1
        if let waiter = grantAll() { return Admission(exclusive: waiter) }
        if isFirstDrained, let first = waitingExclusive.first {
            return Admission(drain: Drain(ticket: first.ticket, round: rounds - 1))
        }
        return Admission(isClose: isClosing && grantedCount == 0)
    }

    private mutating func next(for slot: Slot) -> Waiter? {
        guard slot == .writer else { return waitingReaders.popFirst()?.waiter }
        guard let next = waitingWriters.popFirst() else { return nil }
        beginGroup(next.isShared)
        return next.waiter
    }

    private mutating func free(_ slot: Slot) {
        switch slot {
        case .writer: isWriterFree = true
        case .reader(let index):
            // Sorted in descending order; the lowest is used next.
            freeReaders.insert(index, at: freeReaders.firstIndex { $0 < index } ?? freeReaders.count)
        }
    }

    /// Acquires the unused readers; each of them has to be released.
    mutating func acquireFreeReaders() -> [Int] {
        guard !isClosing, isAdmitting else { return [] }
        defer { freeReaders.removeAll() }
        grantedCount += freeReaders.count
        return freeReaders
    }

    /// Whether the writer's slot can be acquired at once.
    var hasFreeWriter: Bool { !isClosing && isAdmitting && isWriterFree }

    /// Acquires the writer's slot if no request has to wait for that; it has to be released.
    mutating func acquireFreeWriter() -> Bool {
        guard hasFreeWriter else { return false }
        isWriterFree = false
        beginGroup(false)
        grantedCount += 1
        return true
    }

    /// Withdraws a waiting request.
    ///
    /// - Returns: The waiter, or nil if the request is already granted or unknown; and the waiters that are admitted as
    ///   a result.
    mutating func cancel(_ ticket: UInt64) -> (waiter: Waiter?, admission: Admission) {
        let waiter =
            waitingReaders.remove { $0.ticket == ticket }?.waiter
            ?? waitingWriters.remove { $0.ticket == ticket }?.waiter
        if let waiter { return (waiter, Admission()) }
        let isFirst = waitingExclusive.first?.ticket == ticket
        guard let request = waitingExclusive.remove(where: { $0.ticket == ticket }) else { return (nil, Admission()) }
        guard isFirst, !isExclusive else { return (request.waiter, Admission()) }
        rounds = 0
        return (request.waiter, admit())
    }

    /// Stops accepting requests.
    ///
    /// - Returns: True if nothing runs or waits, so that the caller closes at once; otherwise the last release reports
    ///   it.
    mutating func close() -> Bool {
        guard !isClosing else { return false }
        isClosing = true
        return grantedCount == 0
    }
}

// MARK: Exclusive requests

extension ConnectionScheduler {
    private var isAdmitting: Bool { !isDraining && !isExclusive }

    private var heldSlots: Set<Slot> {
        var slots = Set((0..<readerCount).filter { !freeReaders.contains($0) }.map(Slot.reader))
        if !isWriterFree { slots.insert(.writer) }
        return slots
    }

    private mutating func requestExclusive(_ ticket: UInt64, _ waiter: () -> Waiter) -> Answer {
        guard grantedCount > 0 else {
            isExclusive = true
            grantedCount = 1
            return .granted(.writer)
        }
        let isFirst = waitingExclusive.isEmpty
        waitingExclusive.append((ticket, waiter()))
        if isFirst, !isExclusive {
            olderSlots = heldSlots
            rounds = 0
        }
        return .waiting
    }

    /// Grants every slot to the first request for them if none is held.
    private mutating func grantAll() -> Waiter? {
        guard grantedCount == 0, let first = waitingExclusive.popFirst() else { return nil }
        (isExclusive, isDraining, rounds) = (true, false, 0)
        grantedCount = 1
        return first.waiter
    }

    /// Resumes admission if an attempt to acquire every slot has taken long.
    ///
    /// - Returns: The waiters that get a slot; empty if the attempt is over.
    mutating func resumeAdmission(_ drain: Drain) -> Admission {
        guard isDraining, waitingExclusive.first?.ticket == drain.ticket, rounds == drain.round + 1 else {
            return Admission()
        }
        return admit()
    }

    /// Releases every slot.
    ///
    /// - Returns: The waiters that get a slot.
    mutating func endExclusive() -> Admission {
        isExclusive = false
        grantedCount = 0
        return admit()
    }

    private mutating func admit() -> Admission {
        isDraining = false
        var admission = Admission()
        while let index = freeReaders.last, let next = waitingReaders.popFirst() {
            freeReaders.removeLast()
            admission.slots.append((next.waiter, .reader(index)))
        }
        if isWriterFree, let next = next(for: .writer) {
            isWriterFree = false
            admission.slots.append((next, .writer))
        }
        grantedCount += admission.slots.count
        olderSlots = waitingExclusive.isEmpty ? [] : heldSlots
        admission.exclusive = grantAll()
        admission.isClose = isClosing && grantedCount == 0
        return admission
    }
}
