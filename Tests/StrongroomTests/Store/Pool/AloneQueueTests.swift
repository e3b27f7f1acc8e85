import StrongroomTesting
import Testing

// The queue is internal: its decisions are tested here alone, without threads, in more orders than a store could be
// brought into.
@testable import Strongroom

/// Who wants every connection waits without keeping the others from theirs, and gets them all the same.
@Suite("The queue for one who wants every connection")
struct AloneQueueTests {
    @Test func nobodyWaitsAsLongAsOneRunsThatWasThereBefore() {
        var queue = ConnectionScheduler<UInt64>(readers: 2, largestGroup: 4)
        let slow = queue.ask(.read, ticket: 1, waiter: 1).slot
        let alone = queue.ask(.alone, ticket: 2, waiter: 2).isWaiting
        #expect(slow == .reader(0) && alone)
        for ticket in UInt64(3)..<203 {
            let read = queue.ask(.read, ticket: ticket, waiter: ticket).slot
            let write = queue.ask(.write, ticket: ticket + 1_000, waiter: ticket).slot
            #expect(read == .reader(1) && write == .writer)
            let releases = [queue.release(.reader(1)), queue.release(.writer)].map(\.isIdle)
            #expect(releases == [true, true])
        }
        #expect(queue.release(.reader(0)).alone == 2)
        let (late, end) = (queue.ask(.read, ticket: 300, waiter: 300).isWaiting, queue.endAlone())
        #expect(late && end.slots.map(\.waiter) == [300] && end.alone == nil && !end.isClose)
    }

    @Test func whoCameMeanwhileIsWaitedForAndNobodyIsAdmittedThen() {
        var queue = ConnectionScheduler<UInt64>(readers: 2, largestGroup: 4)
        _ = queue.ask(.read, ticket: 1, waiter: 1)
        _ = queue.ask(.alone, ticket: 2, waiter: 2)
        let meanwhile = queue.ask(.read, ticket: 3, waiter: 3).slot
        let drain = queue.release(.reader(0)).drain
        let waiting = [queue.ask(.read, ticket: 4, waiter: 4), queue.ask(.write, ticket: 5, waiter: 5)].map(\.isWaiting)
        let free = queue.takeFreeReaders()
        let granted = queue.release(.reader(1)).alone
        let end = queue.endAlone()
        #expect(meanwhile == .reader(1) && drain == .init(ticket: 2, round: 0))
        #expect(waiting == [true, true] && free == [] && granted == 2)
        #expect(end.slots.map(\.waiter) == [4, 5] && end.slots.map(\.slot) == [.reader(0), .writer])
    }

    /// As one who reads a stream and has to write before they let go of it.
    @Test func whenThatTakesLongEverybodyIsAdmittedAndItIsTriedAgain() {
        var queue = ConnectionScheduler<UInt64>(readers: 2, largestGroup: 4)
        _ = queue.ask(.read, ticket: 1, waiter: 1)
        _ = queue.ask(.alone, ticket: 2, waiter: 2)
        _ = queue.ask(.read, ticket: 3, waiter: 3)
        guard let drain = queue.release(.reader(0)).drain else {
            Issue.record("it was not begun")
            return
        }
        _ = queue.ask(.write, ticket: 4, waiter: 4)
        let relented = queue.relent(drain)
        // It is over, so that it does nothing.
        let again = queue.relent(drain)
        let writing = queue.release(.writer).isIdle
        let admitted = queue.ask(.read, ticket: 5, waiter: 5).slot
        // Who was there when it was tried again is done.
        let second = queue.release(.reader(1)).drain
        let granted = queue.release(.reader(0)).alone
        #expect(relented.slots.map(\.waiter) == [4] && relented.alone == nil && again.slots.isEmpty)
        #expect(writing && admitted == .reader(0) && second == .init(ticket: 2, round: 1) && granted == 2)
    }

    @Test func aTransactionIsNotHandedOnToThoseWhoCameLater() {
        var queue = ConnectionScheduler<UInt64>(readers: 1, largestGroup: 4)
        _ = queue.ask(.read, ticket: 1, waiter: 1)
        _ = queue.ask(.alone, ticket: 2, waiter: 2)
        _ = queue.ask(.write, ticket: 3, waiter: 3)
        _ = queue.release(.reader(0))
        _ = queue.ask(.write, ticket: 4, waiter: 4)
        let next = queue.endTurn(mayGrow: true).waiter
        let granted = queue.release(.writer).alone
        #expect(next == nil && granted == 2)
        #expect(queue.endAlone().slots.map(\.waiter) == [4])
    }

    @Test func whoIsTakenBackKeepsNobodyOut() {
        var queue = ConnectionScheduler<UInt64>(readers: 1, largestGroup: 4)
        _ = queue.ask(.write, ticket: 1, waiter: 1)
        _ = queue.ask(.alone, ticket: 2, waiter: 2)
        _ = queue.ask(.alone, ticket: 3, waiter: 3)
        _ = queue.ask(.read, ticket: 4, waiter: 4)
        _ = queue.release(.writer)
        _ = queue.ask(.write, ticket: 5, waiter: 5)
        let first = queue.cancel(2)
        #expect(first.waiter == 2 && first.admission.slots.map(\.waiter) == [5])
        let none = queue.cancel(2)
        #expect(none.waiter == nil && none.admission.slots.isEmpty)
        let second = queue.cancel(3)
        #expect(second.waiter == 3 && second.admission.slots.isEmpty)
        let releases = [queue.release(.writer), queue.release(.reader(0))].map(\.isIdle)
        #expect(releases == [true, true])
    }

    @Test func closingWaitsForItToo() {
        var queue = ConnectionScheduler<UInt64>(readers: 1, largestGroup: 4)
        _ = queue.ask(.read, ticket: 1, waiter: 1)
        _ = queue.ask(.alone, ticket: 2, waiter: 2)
        _ = queue.ask(.read, ticket: 3, waiter: 3)
        let isIdle = queue.close()
        let refused = queue.ask(.alone, ticket: 4, waiter: 4).isClosed
        let granted = queue.release(.reader(0)).alone
        let end = queue.endAlone()
        let last = queue.release(.reader(0)).isClose
        #expect(!isIdle && refused && granted == 2 && end.slots.map(\.waiter) == [3] && !end.isClose && last)
    }

    @Test(arguments: 0...3)
    func randomSchedulesForgetNobody(readers: Int) throws {
        for seed in UInt64(0)..<1_000 {
            var run = AloneRun(readers: readers, seed: seed &* 37 &+ UInt64(readers))
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

extension ConnectionScheduler.Release {
    fileprivate var alone: Waiter? { if case .alone(let waiter) = self { waiter } else { nil } }
    fileprivate var drain: ConnectionScheduler.Drain? { if case .drain(let drain) = self { drain } else { nil } }
    fileprivate var isIdle: Bool { if case .idle = self { true } else { false } }
    fileprivate var isClose: Bool { if case .close = self { true } else { false } }
}

extension ConnectionScheduler.GroupStep {
    fileprivate var waiter: Waiter? { if case .handOn(let waiter) = self { waiter } else { nil } }
}

/// One random schedule with those who want every slot, of which is checked what must hold in any.
private struct AloneRun {
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
    /// Who has which slot.
    private var granted: [Queue.Slot: UInt64] = [:]
    private var alone: UInt64?
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
            case 0..<25: try ask(.read)
            case 25..<40: try ask(.write)
            case 40..<44: try ask(.writeAlone)
            case 44..<50: try ask(.alone)
            case 50..<84: try finishOne()
            case 84..<90: try relentOne()
            case 90..<97: try cancelOne()
            case 97..<99: takeFree()
            default: close()
            }
        }
    }

    /// Closes, lets everybody finish, and looks whether anybody was forgotten.
    mutating func drain() throws {
        close()
        while !granted.isEmpty || alone != nil {
            step += 1
            try finishOne()
        }
        try expect(waiting.isEmpty, "\(waiting) were forgotten")
        try expect(closings == 1, "closed \(closings) times")
    }

    private mutating func ask(_ request: Queue.Request) throws {
        count += 1
        switch queue.ask(request, ticket: count, waiter: count) {
        case .closed: try expect(isClosing, "\(count) was refused")
        case .waiting: waiting.insert(count)
        case .granted(let slot):
            waiting.insert(count)
            if request == .alone { try grant(count) } else { try sit(count, slot) }
        }
    }

    private mutating func sit(_ ticket: UInt64, _ slot: Queue.Slot) throws {
        try expect(waiting.remove(ticket) != nil, "\(ticket) got \(slot) and did not wait")
        try expect(alone == nil, "\(ticket) got \(slot) beside \(String(describing: alone)), who is alone")
        try expect(granted[slot] == nil, "\(ticket) got \(slot), which is taken")
        granted[slot] = ticket
    }

    private mutating func grant(_ ticket: UInt64) throws {
        try expect(waiting.remove(ticket) != nil, "\(ticket) is alone and did not wait")
        try expect(granted.isEmpty && alone == nil, "\(ticket) is not alone")
        alone = ticket
    }

    private mutating func admit(_ admission: Queue.Admission) throws {
        for (waiter, slot) in admission.slots { try sit(waiter, slot) }
        if let waiter = admission.alone { try grant(waiter) }
        if admission.isClose { closings += 1 }
    }

    private mutating func finishOne() throws {
        guard alone == nil else {
            alone = nil
            return try admit(queue.endAlone())
        }
        let slots = granted.keys.sorted { "\($0)" < "\($1)" }
        guard let slot = slots.randomElement(using: &random) else { return }
        if slot == .writer, case .handOn(let next) = queue.endTurn(mayGrow: true) {
            granted[slot] = nil
            return try sit(next, slot)
        }
        granted[slot] = nil
        switch queue.release(slot) {
        case .slot(let waiter, let slot): try sit(waiter, slot)
        case .alone(let waiter): try grant(waiter)
        case .drain(let drain): drains.append(drain)
        case .idle:
            let isStuck = granted.isEmpty && !waiting.isEmpty
            try expect(!isStuck, "\(waiting) wait and nobody runs")
        case .close: closings += 1
        }
    }

    private mutating func relentOne() throws {
        guard let drain = drains.randomElement(using: &random) else { return }
        try admit(queue.relent(drain))
    }

    private mutating func cancelOne() throws {
        guard count > 0 else { return }
        let ticket = UInt64.random(in: 1...count, using: &random)
        let (waiter, admission) = queue.cancel(ticket)
        try expect((waiter != nil) == waiting.contains(ticket), "\(ticket) was taken back, or not, wrongly")
        if waiter != nil { waiting.remove(ticket) }
        try admit(admission)
    }

    private mutating func takeFree() {
        for place in queue.takeFreeReaders() {
            count += 1
            granted[.reader(place)] = count
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
