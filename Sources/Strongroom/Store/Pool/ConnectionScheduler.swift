/// Who may use which connection, and which writes share a transaction: one writer, a limited number of readers, first
/// come, first served. In a store in memory there is one connection, and those who read and those who write stand in
/// one line for it.
///
/// Who wants every connection for itself waits while the others go on: as long as one runs that was there before,
/// everybody is admitted, since nobody knows how long that one takes. Then admission stops until those who came
/// meanwhile are done. When that takes long, as with one who waits for another connection themselves, everybody is
/// admitted again and the next attempt stops admission for longer: so nobody waits for ever.
///
/// Nothing but decisions: each function changes the state and returns what is to be done, and the caller does it after
/// it has let go of the lock. `Waiter` is whatever the caller wants back.
struct ConnectionScheduler<Waiter> {
    /// What a caller wants to do.
    enum Request {
        case read
        /// To write in a transaction that others may share.
        case write
        /// To write in a transaction that nobody shares.
        case writeAlone
        /// To have every connection; ends with ``ConnectionScheduler/endAlone()``.
        case alone
    }

    /// A connection's place.
    enum Slot: Hashable {
        case writer
        case reader(Int)
    }

    /// The answer to a request.
    enum Answer {
        /// The caller has the slot and must release it; who asked to be alone has every slot, whichever is named.
        case granted(Slot)
        /// The caller is to wait until ``Release/slot(_:_:)`` names it.
        case waiting
        /// The store is closed or closing.
        case closed
    }

    /// What follows from a release.
    enum Release {
        /// The next one gets the slot.
        case slot(Waiter, Slot)
        /// Nobody waits for the slot.
        case idle
        /// It was the last slot of a store that is closing: close it.
        case close
        /// The one who waited for every slot has them.
        case alone(Waiter)
        /// Nobody is admitted until those who have slots are done: ``ConnectionScheduler/relent(_:)`` is to be called
        /// when that takes long.
        case drain(Drain)
    }

    /// An attempt to get every slot.
    struct Drain: Equatable {
        /// Who wants them.
        let ticket: UInt64
        /// How many attempts there were before.
        let round: Int
    }

    /// Those who get a slot when admission begins again.
    struct Admission {
        /// Who gets which.
        var slots: [(waiter: Waiter, slot: Slot)] = []
        /// Who gets all of them.
        var alone: Waiter?
        /// Whether nothing is left to do in a store that is closing: close it.
        var isClose = false
    }

    /// What a write that is done does with its transaction.
    enum GroupStep {
        /// The next one goes on in it; the slot is theirs.
        case handOn(Waiter)
        /// Nobody goes on: commit it, then release the slot.
        case commit
    }

    private var freeReaders: [Int]
    private var isWriterFree = true
    private var waitingReaders = FIFOQueue<(ticket: UInt64, waiter: Waiter)>()
    private var waitingWriters = FIFOQueue<(ticket: UInt64, isShared: Bool, waiter: Waiter)>()
    /// Those who want every slot; the first one's turn is next.
    private var waitingAlone = FIFOQueue<(ticket: UInt64, waiter: Waiter)>()
    /// The slots of those who were there before the first of them began to wait, or to wait anew.
    private var elders: Set<Slot> = []
    /// How often admission was stopped for the first of them.
    private var rounds = 0
    /// Whether nobody is admitted until every slot is free.
    private var isDraining = false
    /// Whether one has every slot.
    private var isAlone = false
    private let readerCount: Int
    private var grantedCount = 0
    private let largestGroup: Int
    /// How many writes have had the slot in the running transaction.
    private var groupSize = 0
    /// Whether the one who has the writer's slot shares their transaction.
    private var isWriterShared = false
    /// Whether those who read take the writer's slot, since there is no other.
    private let hasOneSeat: Bool
    private(set) var isClosing = false

    /// - Parameter readers: The readers' slots; with none, those who read take turns with those who write.
    init(readers: Int, largestGroup: Int) {
        hasOneSeat = readers == 0
        readerCount = readers
        // The lowest free place is taken first, so that no more connections are opened than are used at one time.
        freeReaders = (0..<readers).reversed()
        self.largestGroup = largestGroup
    }

    /// Asks for a slot.
    ///
    /// - Parameters:
    ///   - request: What it is for.
    ///   - ticket: Names the request, for ``cancel(_:)``.
    ///   - isLast: Whether it is admitted although the store is being closed, as long as that waits for others.
    ///   - waiter: Comes back when the request has to wait.
    mutating func ask(
        _ request: Request, ticket: UInt64, isLast: Bool = false, waiter: @autoclosure () -> Waiter
    ) -> Answer {
        guard !isClosing || isLast && grantedCount > 0 else { return .closed }
        switch request {
        case .write, .writeAlone:
            return askWriter(isShared: request == .write, ticket, waiter)
        case .read where hasOneSeat:
            return askWriter(isShared: false, ticket, waiter)
        case .alone:
            return askAlone(ticket, waiter)
        case .read:
            guard isAdmitting, let place = freeReaders.popLast() else {
                waitingReaders.append((ticket, waiter()))
                return .waiting
            }
            grantedCount += 1
            return .granted(.reader(place))
        }
    }

    private mutating func askWriter(isShared: Bool, _ ticket: UInt64, _ waiter: () -> Waiter) -> Answer {
        guard isAdmitting, isWriterFree else {
            waitingWriters.append((ticket, isShared, waiter()))
            return .waiting
        }
        isWriterFree = false
        beginGroup(isShared)
        grantedCount += 1
        return .granted(.writer)
    }

    /// Ends a write's turn, and decides whether its transaction goes on with the next one who waits.
    ///
    /// - Parameter mayGrow: False when the transaction has to be ended in any case.
    mutating func endTurn(mayGrow: Bool) -> GroupStep {
        guard mayGrow, !isDraining, isWriterShared, groupSize < largestGroup, waitingWriters.first?.isShared == true,
            let next = waitingWriters.popFirst()
        else { return .commit }
        groupSize += 1
        return .handOn(next.waiter)
    }

    private mutating func beginGroup(_ isShared: Bool) {
        groupSize = 1
        isWriterShared = isShared
    }

    /// Gives a slot back; those who wait get it before anybody who comes later, also while the store is closing.
    mutating func release(_ slot: Slot) -> Release {
        if !elders.isEmpty { elders.remove(slot) }
        // The last one who was there before: from now on it is only waited.
        let isFirstDrained = waitingAlone.first != nil && elders.isEmpty && !isDraining
        if isFirstDrained {
            isDraining = true
            rounds += 1
        }
        if isAdmitting, let next = next(for: slot) { return .slot(next, slot) }
        free(slot)
        grantedCount -= 1
        if let alone = takeAll() { return .alone(alone) }
        if isFirstDrained, let first = waitingAlone.first {
            return .drain(Drain(ticket: first.ticket, round: rounds - 1))
        }
        return isClosing && grantedCount == 0 ? .close : .idle
    }

    /// The next one who waits for a slot.
    private mutating func next(for slot: Slot) -> Waiter? {
        guard slot == .writer else { return waitingReaders.popFirst()?.waiter }
        guard let next = waitingWriters.popFirst() else { return nil }
        beginGroup(next.isShared)
        return next.waiter
    }

    private mutating func free(_ slot: Slot) {
        switch slot {
        case .writer: isWriterFree = true
        case .reader(let place):
            // Sorted downwards; the lowest is taken next.
            freeReaders.insert(place, at: freeReaders.firstIndex { $0 < place } ?? freeReaders.count)
        }
    }

    /// Takes the readers that nobody uses; each is to be released again.
    mutating func takeFreeReaders() -> [Int] {
        guard !isClosing, isAdmitting else { return [] }
        defer { freeReaders.removeAll() }
        grantedCount += freeReaders.count
        return freeReaders
    }

    /// Takes a request back that still waits.
    ///
    /// - Returns: The waiter, or nil when it is granted or gone already; and those who need not wait any more.
    mutating func cancel(_ ticket: UInt64) -> (waiter: Waiter?, admission: Admission) {
        let waiter =
            waitingReaders.remove { $0.ticket == ticket }?.waiter
            ?? waitingWriters.remove { $0.ticket == ticket }?.waiter
        if let waiter { return (waiter, Admission()) }
        let isFirst = waitingAlone.first?.ticket == ticket
        guard let alone = waitingAlone.remove(where: { $0.ticket == ticket }) else { return (nil, Admission()) }
        guard isFirst, !isAlone else { return (alone.waiter, Admission()) }
        rounds = 0
        return (alone.waiter, admit())
    }

    /// Admits nobody from now on.
    ///
    /// - Returns: True when nothing runs or waits, so that the caller closes at once; otherwise the last release says
    ///   so.
    mutating func close() -> Bool {
        guard !isClosing else { return false }
        isClosing = true
        return grantedCount == 0
    }
}

// MARK: Every slot for one

extension ConnectionScheduler {
    private var isAdmitting: Bool { !isDraining && !isAlone }

    /// The slots that somebody has.
    private var taken: Set<Slot> {
        var taken = Set((0..<readerCount).filter { !freeReaders.contains($0) }.map(Slot.reader))
        if !isWriterFree { taken.insert(.writer) }
        return taken
    }

    private mutating func askAlone(_ ticket: UInt64, _ waiter: () -> Waiter) -> Answer {
        guard grantedCount > 0 else {
            isAlone = true
            grantedCount = 1
            return .granted(.writer)
        }
        let isFirst = waitingAlone.isEmpty
        waitingAlone.append((ticket, waiter()))
        if isFirst, !isAlone {
            elders = taken
            rounds = 0
        }
        return .waiting
    }

    /// Gives every slot to the first one who waits for them, if nobody has one.
    private mutating func takeAll() -> Waiter? {
        guard grantedCount == 0, let first = waitingAlone.popFirst() else { return nil }
        (isAlone, isDraining, rounds) = (true, false, 0)
        grantedCount = 1
        return first.waiter
    }

    /// Admits everybody again when an attempt to get every slot has taken long.
    ///
    /// - Returns: Those who waited and get a slot; nobody when the attempt is over.
    mutating func relent(_ drain: Drain) -> Admission {
        guard isDraining, waitingAlone.first?.ticket == drain.ticket, rounds == drain.round + 1 else {
            return Admission()
        }
        return admit()
    }

    /// Gives every slot back.
    ///
    /// - Returns: Those who waited and get a slot.
    mutating func endAlone() -> Admission {
        isAlone = false
        grantedCount = 0
        return admit()
    }

    /// Begins to admit again.
    private mutating func admit() -> Admission {
        isDraining = false
        var admission = Admission()
        while let place = freeReaders.last, let next = waitingReaders.popFirst() {
            freeReaders.removeLast()
            admission.slots.append((next.waiter, .reader(place)))
        }
        if isWriterFree, let next = next(for: .writer) {
            isWriterFree = false
            admission.slots.append((next, .writer))
        }
        grantedCount += admission.slots.count
        elders = waitingAlone.isEmpty ? [] : taken
        admission.alone = takeAll()
        admission.isClose = isClosing && grantedCount == 0
        return admission
    }
}
