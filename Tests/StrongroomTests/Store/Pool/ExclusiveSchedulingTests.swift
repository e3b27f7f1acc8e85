import StrongroomTesting
import Testing

// The scheduler is internal: its decisions are tested without threads, in more orders than a store would produce.
@testable import Strongroom

/// An exclusive request waits without stopping other operations for long, and is granted in the end.
@Suite("Exclusive requests of the scheduler")
struct ExclusiveSchedulingTests {
    @Test func admissionContinuesWhileAnOlderOperationRuns() {
        var queue = ConnectionScheduler<UInt64>(readers: 2, largestGroup: 4)
        let slow = queue.request(.read, ticket: 1, waiter: 1).slot
        let exclusive = queue.request(.exclusive, ticket: 2, waiter: 2).isWaiting
        #expect(slow == .reader(0) && exclusive)
        for ticket in UInt64(3)..<203 {
            let read = queue.request(.read, ticket: ticket, waiter: ticket).slot
            let write = queue.request(.write, ticket: ticket + 1_000, waiter: ticket).slot
            #expect(read == .reader(1) && write == .writer)
            let releases = [queue.release(.reader(1)), queue.release(.writer)].map(\.isIdle)
            #expect(releases == [true, true])
        }
        #expect(queue.release(.reader(0)).exclusive == 2)
        let (late, end) = (queue.request(.read, ticket: 300, waiter: 300).isWaiting, queue.endExclusive())
        #expect(late && end.slots.map(\.waiter) == [300] && end.exclusive == nil && !end.isClose)
    }

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

    @Test func closingWaitsForExclusiveRequests() {
        var queue = ConnectionScheduler<UInt64>(readers: 1, largestGroup: 4)
        _ = queue.request(.read, ticket: 1, waiter: 1)
        _ = queue.request(.exclusive, ticket: 2, waiter: 2)
        _ = queue.request(.read, ticket: 3, waiter: 3)
        let isIdle = queue.close()
        let refused = queue.request(.exclusive, ticket: 4, waiter: 4).isClosed
        let granted = queue.release(.reader(0)).exclusive
        let end = queue.endExclusive()
        let last = queue.release(.reader(0)).isClose
        #expect(!isIdle && refused && granted == 2 && end.slots.map(\.waiter) == [3] && !end.isClose && last)
    }

    @Test(arguments: 0...3)
    func randomSchedulesResumeEveryRequest(readers: Int) throws {
        for seed in UInt64(0)..<1_000 {
            var run = ExclusiveRun(readers: readers, seed: seed &* 37 &+ UInt64(readers))
            try run.play(steps: 150)
            try run.drain()
        }
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

/// One random schedule with exclusive requests, checked for the invariants of all schedules.
private struct ExclusiveRun {
    typealias Queue = ConnectionScheduler<UInt64>

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private let readers: Int
    private let seed: UInt64
    private var random: SeededGenerator
    private var queue: Queue
    private var step = 0
    private var count: UInt64 = 0
    /// The tickets that hold the slots.
    private var granted: [Queue.Slot: UInt64] = [:]
    private var exclusive: UInt64?
    private var waiting: Set<UInt64> = []
    private var drains: [Queue.Drain] = []
    private var closings = 0
    private var isClosing = false

    init(readers: Int, seed: UInt64) {
        self.readers = readers
        self.seed = seed
        random = SeededGenerator(seed)
        queue = Queue(readers: readers, largestGroup: 3)
    }

    mutating func play(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            switch UInt64.random(in: 0..<100, using: &random) {
            case 0..<25: try request(.read)
            case 25..<40: try request(.write)
            case 40..<44: try request(.ungroupedWrite)
            case 44..<50: try request(.exclusive)
            case 50..<84: try finishOne()
            case 84..<90: try resumeOne()
            case 90..<97: try cancelOne()
            case 97..<99: acquireFree()
            default: close()
            }
        }
    }

    /// Closes, lets every operation finish, and checks that no request is left waiting.
    mutating func drain() throws {
        close()
        while !granted.isEmpty || exclusive != nil {
            step += 1
            try finishOne()
        }
        try expect(waiting.isEmpty, "\(waiting) were never resumed")
        try expect(closings == 1, "closed \(closings) times")
    }

    private mutating func request(_ request: Queue.Request) throws {
        count += 1
        switch queue.request(request, ticket: count, waiter: count) {
        case .closed: try expect(isClosing, "\(count) was refused")
        case .waiting: waiting.insert(count)
        case .granted(let slot):
            waiting.insert(count)
            if request == .exclusive { try grantAll(count) } else { try grant(count, slot) }
        }
    }

    private mutating func grant(_ ticket: UInt64, _ slot: Queue.Slot) throws {
        try expect(waiting.remove(ticket) != nil, "\(ticket) got \(slot) and did not wait")
        try expect(exclusive == nil, "\(ticket) got \(slot), but \(String(describing: exclusive)) has exclusive access")
        try expect(granted[slot] == nil, "\(ticket) got \(slot), which is held")
        granted[slot] = ticket
    }

    private mutating func grantAll(_ ticket: UInt64) throws {
        try expect(waiting.remove(ticket) != nil, "\(ticket) got exclusive access and did not wait")
        try expect(granted.isEmpty && exclusive == nil, "\(ticket) got exclusive access while slots are held")
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
        let slots = granted.keys.sorted { "\($0)" < "\($1)" }
        guard let slot = slots.randomElement(using: &random) else { return }
        if slot == .writer, let next = queue.finishWrite(mayGrow: true) {
            granted[slot] = nil
            return try grant(next, slot)
        }
        granted[slot] = nil
        try admit(queue.release(slot))
        let isStuck = granted.isEmpty && exclusive == nil && !waiting.isEmpty
        try expect(!isStuck, "\(waiting) wait and no operation runs")
    }

    private mutating func resumeOne() throws {
        guard let drain = drains.randomElement(using: &random) else { return }
        try admit(queue.resumeAdmission(drain))
    }

    private mutating func cancelOne() throws {
        guard count > 0 else { return }
        let ticket = UInt64.random(in: 1...count, using: &random)
        let (waiter, admission) = queue.cancel(ticket)
        try expect((waiter != nil) == waiting.contains(ticket), "the cancellation of \(ticket) has the wrong result")
        if waiter != nil { waiting.remove(ticket) }
        try admit(admission)
    }

    private mutating func acquireFree() {
        for index in queue.acquireFreeReaders() {
            count += 1
            granted[.reader(index)] = count
        }
    }

    private mutating func close() {
        isClosing = true
        if queue.close() { closings += 1 }
    }

    private func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        if !isTrue { throw Mismatch(description: "\(readers) readers, seed \(seed), step \(step): \(what())") }
    }
}
