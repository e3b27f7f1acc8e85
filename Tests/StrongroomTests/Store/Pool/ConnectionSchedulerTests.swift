import StrongroomTesting
import Testing

// The scheduler is internal: its decisions are tested without threads, in more orders than a store would produce.
@testable import Strongroom

@Suite("Scheduler of a store's connections")
struct ConnectionSchedulerTests {
    /// Without readers, as in a store in memory, reads and writes share one queue.
    @Test(arguments: 0...4, [false, true])
    func randomSchedulesAgreeWithASimpleModel(readers: Int, hasExclusive: Bool) throws {
        for seed in UInt64(0)..<1_000 {
            var program = SchedulerProgram(
                readers: readers, hasExclusive: hasExclusive, seed: seed &* 31 &+ UInt64(readers))
            try program.play(steps: 150)
            try program.drain()
        }
    }

    @Test func aWaiterIsCreatedOnlyForAWaitingRequest() {
        var queue = ConnectionScheduler<Int>(readers: 1, largestGroup: 4)
        var made: [UInt64] = []
        func ask(_ ticket: UInt64) {
            func waiter() -> Int {
                made.append(ticket)
                return 0
            }
            _ = queue.request(.write, ticket: ticket, waiter: waiter())
        }
        ask(1)
        ask(2)
        _ = queue.close()
        ask(3)
        #expect(made == [2])
    }
}

/// An exclusive request waits without stopping other operations for long, and is granted in the end.
@Suite("Exclusive requests of the scheduler")
struct ExclusiveSchedulingTests {
    @Test func admissionStopsUntilNewerOperationsHaveEnded() {
        var queue = ConnectionScheduler<UInt64>(readers: 2, largestGroup: 4)
        _ = queue.request(.read, ticket: 1, waiter: 1)
        _ = queue.request(.exclusive, ticket: 2, waiter: 2)
        let meanwhile = queue.request(.read, ticket: 3, waiter: 3).slot
        let drain = queue.release(.reader(0)).drain
        let requests = [queue.request(.read, ticket: 4, waiter: 4), queue.request(.write, ticket: 5, waiter: 5)]
        let waiting = requests.map(\.isWaiting)
        let free = queue.acquireFreeReaders()
        let granted = queue.release(.reader(1)).exclusive
        let end = queue.endExclusive()
        #expect(meanwhile == .reader(1) && drain == .init(ticket: 2, round: 0))
        #expect(waiting == [true, true] && free == [] && granted == 2)
        #expect(end.slots.map(\.waiter) == [4, 5] && end.slots.map(\.slot) == [.reader(0), .writer])
    }

    /// Like a task that reads a stream, and has to write before it releases the reader.
    @Test func admissionResumesIfAnAttemptTakesLong() {
        var queue = ConnectionScheduler<UInt64>(readers: 2, largestGroup: 4)
        _ = queue.request(.read, ticket: 1, waiter: 1)
        _ = queue.request(.exclusive, ticket: 2, waiter: 2)
        _ = queue.request(.read, ticket: 3, waiter: 3)
        guard let drain = queue.release(.reader(0)).drain else {
            Issue.record("admission was not stopped")
            return
        }
        _ = queue.request(.write, ticket: 4, waiter: 4)
        let resumed = queue.resumeAdmission(drain)
        // The attempt is over, so the second call has no effect.
        let again = queue.resumeAdmission(drain)
        let writing = queue.release(.writer).isIdle
        let admitted = queue.request(.read, ticket: 5, waiter: 5).slot
        // The operations from before the second attempt are done.
        let second = queue.release(.reader(1)).drain
        let granted = queue.release(.reader(0)).exclusive
        #expect(resumed.slots.map(\.waiter) == [4] && resumed.exclusive == nil && again.slots.isEmpty)
        #expect(writing && admitted == .reader(0) && second == .init(ticket: 2, round: 1) && granted == 2)
    }

    @Test func aTransactionIsNotHandedOnWhileAdmissionIsStopped() {
        var queue = ConnectionScheduler<UInt64>(readers: 1, largestGroup: 4)
        _ = queue.request(.read, ticket: 1, waiter: 1)
        _ = queue.request(.exclusive, ticket: 2, waiter: 2)
        _ = queue.request(.write, ticket: 3, waiter: 3)
        _ = queue.release(.reader(0))
        _ = queue.request(.write, ticket: 4, waiter: 4)
        let next = queue.finishWrite(mayGrow: true)
        let granted = queue.release(.writer).exclusive
        #expect(next == nil && granted == 2)
        #expect(queue.endExclusive().slots.map(\.waiter) == [4])
    }

    @Test func aCancelledRequestResumesAdmission() {
        var queue = ConnectionScheduler<UInt64>(readers: 1, largestGroup: 4)
        _ = queue.request(.write, ticket: 1, waiter: 1)
        _ = queue.request(.exclusive, ticket: 2, waiter: 2)
        _ = queue.request(.exclusive, ticket: 3, waiter: 3)
        _ = queue.request(.read, ticket: 4, waiter: 4)
        _ = queue.release(.writer)
        _ = queue.request(.write, ticket: 5, waiter: 5)
        let first = queue.cancel(2)
        #expect(first.waiter == 2 && first.admission.slots.map(\.waiter) == [5])
        let none = queue.cancel(2)
        #expect(none.waiter == nil && none.admission.slots.isEmpty)
        let second = queue.cancel(3)
        #expect(second.waiter == 3 && second.admission.slots.isEmpty)
        let releases = [queue.release(.writer), queue.release(.reader(0))].map(\.isIdle)
        #expect(releases == [true, true])
    }
}

extension ConnectionScheduler.Answer {
    fileprivate var slot: ConnectionScheduler.Slot? { if case .granted(let slot) = self { slot } else { nil } }
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
    fileprivate var isClosed: Bool { if case .closed = self { true } else { false } }
}

extension ConnectionScheduler.Admission {
    fileprivate var isIdle: Bool { slots.isEmpty && exclusive == nil && drain == nil && !isClose }
}

/// One random schedule, run on the scheduler and on a model of it: the waiting requests in their order, and a table of
/// the held slots.
private struct SchedulerProgram {
    typealias Queue = ConnectionScheduler<UInt64>

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// What a request waits for.
    fileprivate enum Kind: CaseIterable {
        case reader, writer, all
    }

    private static let largestGroup = 4

    private let readers: Int
    private let hasExclusive: Bool
    private let seed: UInt64
    private var random: SeededGenerator
    private var queue: Queue
    private var step = 0
    private var count: UInt64 = 0
    /// The tickets that hold the slots.
    private var granted: [Queue.Slot: UInt64] = [:]
    private var exclusive: UInt64?
    private var waiting: [Kind: [UInt64]] = [:]
    /// The requests that may share a transaction.
    private var shared: Set<UInt64> = []
    private var groupSize = 0
    private var drains: [Queue.Drain] = []
    private var isClosing = false
    private var closings = 0

    init(readers: Int, hasExclusive: Bool, seed: UInt64) {
        (self.readers, self.hasExclusive, self.seed) = (readers, hasExclusive, seed)
        random = SeededGenerator(seed)
        queue = Queue(readers: readers, largestGroup: Self.largestGroup)
    }

    mutating func play(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            switch UInt64.random(in: 0..<100, using: &random) {
            case 0..<27: try request(.read)
            case 27..<42: try request(.write)
            case 42..<46: try request(.ungroupedWrite)
            case 46..<50: try request(hasExclusive ? .exclusive : .read)
            case 50..<84: try finishOne()
            case 84..<88: try resumeOne()
            case 88..<96: try cancelOne()
            case 96..<98: try acquireFree()
            default: try close()
            }
            try expect(queue.isClosing == isClosing, "isClosing")
        }
    }

    /// Closes, lets every operation finish, and checks that no request is left waiting.
    mutating func drain() throws {
        try close()
        while !granted.isEmpty || exclusive != nil {
            step += 1
            try finishOne()
        }
        try expect(!isAnyWaiting, "\(waiting) were never resumed")
        try expect(closings == 1, "closed \(closings) times")
    }

    private var isAnyWaiting: Bool { waiting.values.contains { !$0.isEmpty } }

    /// Whether somebody has or awaits exclusive access, for which others may have to wait beside free slots.
    private var mayStop: Bool { exclusive != nil || waiting[.all]?.isEmpty == false }

    private func isFree(_ kind: Kind) -> Bool {
        switch kind {
        case .all: granted.isEmpty && exclusive == nil
        case .writer: granted[.writer] == nil
        case .reader: (0..<readers).contains { granted[.reader($0)] == nil }
        }
    }

    private mutating func request(_ request: Queue.Request) throws {
        count += 1
        let ticket = count
        let kind: Kind = request == .exclusive ? .all : request == .read && readers > 0 ? .reader : .writer
        let isFree = isFree(kind)
        if request == .write { shared.insert(ticket) }
        switch queue.request(request, ticket: ticket, waiter: ticket) {
        case .closed: try expect(isClosing, "\(ticket) was refused by an open queue")
        case .waiting:
            try expect(!isClosing && (!isFree || mayStop), "\(ticket) waits while a slot is free")
            waiting[kind, default: []].append(ticket)
        case .granted(let slot):
            try expect(!isClosing && isFree, "\(ticket) got \(slot), and none was free")
            let lower = (0..<max(0, slot.place)).filter { granted[.reader($0)] == nil }
            try expect(lower.isEmpty, "\(ticket) got \(slot) while \(lower) are free")
            waiting[kind, default: []].append(ticket)
            if kind == .all { try grantAll(ticket) } else { try grant(ticket, slot) }
        }
    }

    private mutating func grant(_ ticket: UInt64, _ slot: Queue.Slot) throws {
        let first = waiting[slot.kind]?.first
        try expect(first == ticket, "\(ticket) got \(slot) before \(String(describing: first))")
        try expect(exclusive == nil && granted[slot] == nil, "\(ticket) got \(slot), which is held")
        try expect(slot.place < readers, "a reader that does not exist")
        waiting[slot.kind]?.removeFirst()
        granted[slot] = ticket
        if slot == .writer { groupSize = 1 }
    }

    private mutating func grantAll(_ ticket: UInt64) throws {
        try expect(waiting[.all]?.first == ticket, "\(ticket) got exclusive access, and was not the first")
        try expect(granted.isEmpty && exclusive == nil, "\(ticket) got exclusive access while slots are held")
        waiting[.all]?.removeFirst()
        exclusive = ticket
    }

    private mutating func admit(_ admission: Queue.Admission) throws {
        for (waiter, slot) in admission.slots { try grant(waiter, slot) }
        if let waiter = admission.exclusive { try grantAll(waiter) }
        if let drain = admission.drain { drains.append(drain) }
        if admission.isClose { closings += 1 }
    }

    private mutating func finishOne() throws {
        guard exclusive == nil else {
            exclusive = nil
            return try admit(queue.endExclusive())
        }
        let slots = granted.keys.sorted { $0.place < $1.place }
        guard let slot = slots.randomElement(using: &random), let holder = granted.removeValue(forKey: slot) else {
            return
        }
        let next = waiting[slot.kind]?.first
        if slot == .writer, try handOn(from: holder, to: next) { return }
        let admission = queue.release(slot)
        if let (_, given) = admission.slots.first {
            try expect(given == slot, "\(given) was handed on in place of \(slot)")
        }
        if admission.isIdle {
            try expect(next == nil || mayStop, "\(slot) stays free while \(String(describing: next)) waits")
            try expect(!granted.isEmpty || !isAnyWaiting && !isClosing, "\(waiting) wait and no operation runs")
        }
        if admission.isClose {
            try expect(isClosing && granted.isEmpty && !isAnyWaiting, "closed too early")
        }
        try admit(admission)
    }

    /// Ends a write.
    ///
    /// - Returns: Whether the next one has its transaction now.
    private mutating func handOn(from holder: UInt64, to next: UInt64?) throws -> Bool {
        let mayGrow = UInt64.random(in: 0..<4, using: &random) > 0
        let isShared = shared.contains(holder) && next.map(shared.contains) == true
        let (mustGrow, size) = (mayGrow && groupSize < Self.largestGroup && isShared, groupSize)
        guard let waiter = queue.finishWrite(mayGrow: mayGrow) else {
            try expect(!mustGrow || mayStop, "\(String(describing: next)) could have continued \(holder)'s transaction")
            return false
        }
        try expect(mustGrow, "\(waiter) was given the transaction of \(holder)")
        try grant(waiter, .writer)
        groupSize = size + 1
        return true
    }

    private mutating func resumeOne() throws {
        guard let drain = drains.randomElement(using: &random) else { return }
        try admit(queue.resumeAdmission(drain))
    }

    private mutating func cancelOne() throws {
        guard count > 0 else { return }
        let ticket = UInt64.random(in: 1...count, using: &random)
        let (waiter, admission) = queue.cancel(ticket)
        let isWaiting = waiting.values.contains { $0.contains(ticket) }
        try expect(waiter == (isWaiting ? ticket : nil), "the cancellation of \(ticket) has the wrong result")
        for kind in Kind.allCases { waiting[kind]?.removeAll { $0 == ticket } }
        try admit(admission)
    }

    private mutating func acquireFree() throws {
        let free = (0..<readers).filter { granted[.reader($0)] == nil }
        let taken = queue.acquireFreeReaders()
        let isRefused = taken.isEmpty && (isClosing || mayStop)
        try expect(isRefused || !isClosing && taken.sorted() == free, "\(taken) were taken while \(free) are free")
        for index in taken {
            count += 1
            granted[.reader(index)] = count
        }
    }

    private mutating func close() throws {
        let isLast = !isClosing && granted.isEmpty && exclusive == nil
        let answer = queue.close()
        try expect(answer == isLast, "close answered \(answer)")
        isClosing = true
        if answer { closings += 1 }
    }

    private func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        if !isTrue { throw Mismatch(description: "\(readers) readers, seed \(seed), step \(step): \(what())") }
    }
}

extension ConnectionScheduler.Slot {
    fileprivate var place: Int { if case .reader(let place) = self { place } else { -1 } }

    fileprivate var kind: SchedulerProgram.Kind { self == .writer ? .writer : .reader }
}
