import StrongroomTesting
import Testing

// The scheduler is internal: its decisions are tested without threads, in more orders than a store would produce.
@testable import Strongroom

@Suite("Scheduler of a store's connections")
struct ConnectionSchedulerTests {
    @Test(arguments: 1...4)
    func randomSchedulesAgreeWithASimpleModel(readers: Int) throws {
        for seed in UInt64(0)..<1_000 {
            var run = QueueRun(readers: readers, seed: seed &* 31 &+ UInt64(readers))
            try run.play(steps: 120)
            try run.drain()
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

    /// As in a store in memory.
    @Test func withoutReadersReadsAndWritesShareOneQueue() {
        var queue = ConnectionScheduler<Int>(readers: 0, largestGroup: 10)
        let requests: [ConnectionScheduler<Int>.Request] = [.write, .write, .read, .write, .write, .read]
        let slots = requests.enumerated().map { index, request in
            queue.request(request, ticket: UInt64(index), waiter: index).slot
        }
        #expect(slots == [.writer, nil, nil, nil, nil, nil])
        // No read sees uncommitted changes, and no transaction is shared with a read.
        let first = (queue.finishWrite(mayGrow: true), queue.finishWrite(mayGrow: true))
        let read = (queue.release(.writer).waiter, queue.release(.writer).waiter)
        let second = (queue.finishWrite(mayGrow: true), queue.finishWrite(mayGrow: true))
        let last = (queue.release(.writer).waiter, queue.acquireFreeReaders(), queue.release(.writer).isIdle)
        #expect(first == (1, nil) && read == (2, 3) && second == (4, nil))
        #expect(last == (5, [], true))
    }
}

extension ConnectionScheduler.Answer {
    fileprivate var slot: ConnectionScheduler.Slot? { if case .granted(let slot) = self { slot } else { nil } }
}

extension ConnectionScheduler.Admission {
    fileprivate var waiter: Waiter? { slots.first?.waiter }
    fileprivate var isIdle: Bool { slots.isEmpty && exclusive == nil && drain == nil && !isClose }
}

/// One random schedule, run on the scheduler and on a model of it: two lists of waiting requests and a table of the
/// held slots.
private struct QueueRun {
    typealias Queue = ConnectionScheduler<UInt64>

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private enum Fate {
        case granted, waiting, served, cancelled, refused
    }

    private static let largestGroup = 4

    private let readers: Int
    private let seed: UInt64
    private var random: SeededGenerator
    private var queue: Queue
    private var steps = 0

    private var occupied: [Queue.Slot: UInt64] = [:]
    /// By kind: true for reads; all writes wait in one queue.
    private var waiting: [Bool: [UInt64]] = [true: [], false: []]
    /// The requests that may share a transaction.
    private var shared: Set<UInt64> = []
    private var groupSize = 0
    private var fates: [UInt64: Fate] = [:]
    private var isClosing = false
    private var closings = 0

    init(readers: Int, seed: UInt64) {
        self.readers = readers
        self.seed = seed
        random = SeededGenerator(seed)
        queue = Queue(readers: readers, largestGroup: Self.largestGroup)
    }

    mutating func play(steps count: Int) throws {
        for _ in 0..<count {
            steps += 1
            switch UInt64.random(in: 0..<100, using: &random) {
            case 0..<30: try request(.read)
            case 30..<45: try request(.write)
            case 45..<50: try request(.ungroupedWrite)
            case 50..<88: try releaseAny()
            case 88..<96: try cancelAny()
            case 96..<98: try acquireFree()
            default: try close()
            }
            try checkSlots()
        }
    }

    /// Closes, lets every operation finish, and checks that no request is left waiting.
    mutating func drain() throws {
        try close()
        while !occupied.isEmpty {
            steps += 1
            try releaseAny()
            try checkSlots()
        }
        try expect(closings == 1, "closed \(closings) times")
        for (ticket, fate) in fates where fate == .waiting || fate == .granted {
            throw mismatch("\(ticket) was left \(fate)")
        }
    }

    private mutating func request(_ request: Queue.Request) throws {
        let ticket = UInt64(fates.count) + 1
        let isFree = freeSlots(request) > 0
        if request == .write { shared.insert(ticket) }
        switch queue.request(request, ticket: ticket, waiter: ticket) {
        case .closed:
            try expect(isClosing, "\(ticket) was refused by an open queue")
            fates[ticket] = .refused
        case .granted(let slot):
            try expect(!isClosing && isFree, "\(ticket) got \(slot), and none was free")
            try expect(occupied[slot] == nil, "\(ticket) got \(slot), which is held")
            try expect(slot.serves(request), "\(ticket) requested \(request) and got \(slot)")
            let lower = (0..<max(0, slot.place)).filter { occupied[.reader($0)] == nil }
            try expect(lower.isEmpty, "\(ticket) got \(slot) while \(lower) are free")
            occupied[slot] = ticket
            fates[ticket] = .granted
            if slot == .writer { groupSize = 1 }
        case .waiting:
            try expect(!isClosing && !isFree, "\(ticket) waits while a slot is free")
            waiting[request == .read, default: []].append(ticket)
            fates[ticket] = .waiting
        }
    }

    private mutating func releaseAny() throws {
        guard let slot = occupied.keys.sorted(by: { $0.place < $1.place }).randomElement(using: &random) else { return }
        let isReader = slot != .writer
        let next = waiting[isReader]?.first
        if let holder = occupied.removeValue(forKey: slot) {
            fates[holder] = .served
            if !isReader, try handOn(from: holder, to: next) { return }
        }
        let admission = queue.release(slot)
        try expect(admission.exclusive == nil && admission.drain == nil, "there is no exclusive request")
        if let (waiter, given) = admission.slots.first {
            try expect(waiter == next, "\(waiter) was served before \(String(describing: next))")
            try expect(given == slot, "\(given) was handed on in place of \(slot)")
            waiting[isReader]?.removeFirst()
            occupied[given] = waiter
            fates[waiter] = .granted
            groupSize = isReader ? groupSize : 1
            return try expect(admission.slots.count == 1 && !admission.isClose, "one slot was given twice")
        }
        try expect(next == nil, "\(slot) stays free while \(String(describing: next)) waits")
        try expect(admission.isClose == (isClosing && occupied.isEmpty), "isClose is \(admission.isClose)")
        if admission.isClose { closings += 1 }
    }

    /// Ends a write.
    ///
    /// - Returns: Whether the next one has its transaction now.
    private mutating func handOn(from holder: UInt64, to next: UInt64?) throws -> Bool {
        let mayGrow = UInt64.random(in: 0..<4, using: &random) > 0
        let mustGrow =
            mayGrow && groupSize < Self.largestGroup && shared.contains(holder) && (next.map(shared.contains) ?? false)
        guard let waiter = queue.finishWrite(mayGrow: mayGrow) else {
            try expect(!mustGrow, "\(String(describing: next)) could have continued the transaction of \(holder)")
            return false
        }
        try expect(mustGrow && waiter == next, "\(waiter) was given the transaction of \(holder)")
        waiting[false]?.removeFirst()
        occupied[.writer] = waiter
        fates[waiter] = .granted
        groupSize += 1
        return true
    }

    private mutating func acquireFree() throws {
        let free = (0..<readers).filter { occupied[.reader($0)] == nil }
        let taken = queue.acquireFreeReaders()
        try expect(taken.sorted() == (isClosing ? [] : free), "\(taken) were taken while \(free) are free")
        for index in taken {
            let ticket = UInt64(fates.count) + 1
            fates[ticket] = .granted
            occupied[.reader(index)] = ticket
        }
    }

    private mutating func cancelAny() throws {
        guard !fates.isEmpty else { return }
        let ticket = UInt64.random(in: 1...UInt64(fates.count), using: &random)
        let answer = queue.cancel(ticket).waiter
        guard fates[ticket] == .waiting else {
            return try expect(answer == nil, "\(ticket) was cancelled and did not wait")
        }
        try expect(answer == ticket, "\(ticket) waited and could not be cancelled")
        fates[ticket] = .cancelled
        for isReader in [true, false] { waiting[isReader]?.removeAll { $0 == ticket } }
    }

    private mutating func close() throws {
        let answer = queue.close()
        try expect(answer == (!isClosing && occupied.isEmpty), "close answered \(answer)")
        if answer { closings += 1 }
        isClosing = true
    }

    private func checkSlots() throws {
        try expect(queue.isClosing == isClosing, "isClosing")
        try expect(occupied.keys.allSatisfy { $0.place < readers }, "a reader that does not exist")
    }

    private func freeSlots(_ request: Queue.Request) -> Int {
        (request == .read ? readers : 1) - occupied.keys.count { $0.serves(request) }
    }

    private func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        if !isTrue { throw mismatch(what()) }
    }

    private func mismatch(_ what: String) -> Mismatch {
        Mismatch(description: "\(readers) readers, seed \(seed), step \(steps): \(what)")
    }
}

extension ConnectionScheduler.Slot {
    fileprivate var place: Int { if case .reader(let place) = self { place } else { -1 } }

    fileprivate func serves(_ request: ConnectionScheduler.Request) -> Bool { (self == .writer) == (request != .read) }
}
