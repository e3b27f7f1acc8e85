import StrongroomTesting
import Testing

// The state machine cannot be had through the public interface.
@testable import Strongroom

@Suite("Decisions on lent stores")
struct LendingQueueTests {
    private typealias Queue = LendingQueue<String, Int>

    private static func queue(_ limits: LendingLimits) -> Queue {
        var queue = Queue { _ in false }
        _ = queue.setLimits(limits)
        return queue
    }

    private static func name(_ number: Int) throws -> DatabaseName { try DatabaseName("t_\(number)") }

    private static let now = ContinuousClock.now

    /// Lends a store that is opened at once.
    private static func lend(_ number: Int, _ queue: inout Queue) throws -> Queue.Loan {
        switch try queue.request(name(number), isNested: false, ticket: 0, waiter: 0).grant {
        case .use(let loan, _): return loan
        case .open(let loan):
            _ = queue.opened(loan, loan.name.fileName, isSame: ==)
            return loan
        default: throw Refusal(number: number)
        }
    }

    @Test func `a store that is open is used by all, and returned stores are closed in the order of their return`()
        throws
    {
        var queue = Self.queue(LendingLimits(openStores: 3, openings: 3))
        let loans = try (0..<3).map { try Self.lend($0, &queue) }
        let again = try Self.lend(1, &queue)
        #expect(again == loans[1])
        for (offset, loan) in [loans[1], loans[2], loans[0], again].enumerated() {
            let steps = queue.returned(loan, at: Self.now + .seconds(offset), closes: false)
            #expect(steps.closing.isEmpty && steps.granted.isEmpty)
        }
        var closed: [String] = []
        for number in 3..<6 {
            let (grant, steps) = try queue.request(
                Self.name(number), isNested: false, ticket: UInt64(number), waiter: number)
            #expect(grant == nil && steps.closing.count == 1)
            closed += steps.closing.map(\.store)
            let granted = queue.closed(steps.closing[0].loan).granted
            #expect(granted.map(\.waiter) == [number])
            guard case .open(let loan) = granted.first?.grant else { throw Refusal(number: number) }
            _ = queue.opened(loan, "new", isSame: ==)
        }
        #expect(closed == ["t_2", "t_0", "t_1"])
        #expect(queue.counts.closedForOthers == 3)
    }

    /// Uses stores one after the other, each of which is opened and returned at once.
    ///
    /// - Returns: What was closed for that.
    private static func use(_ numbers: [Int], _ queue: inout Queue, from second: Int) throws -> [String] {
        var closed: [String] = []
        for (offset, number) in numbers.enumerated() {
            let (grant, steps) = try queue.request(name(number), isNested: false, ticket: 0, waiter: number)
            var answer = grant
            for closing in steps.closing {
                closed.append(closing.store)
                answer = queue.closed(closing.loan).granted.first?.grant ?? answer
            }
            let loan: Queue.Loan
            switch answer {
            case .use(let open, _): loan = open
            case .open(let new):
                _ = queue.opened(new, new.name.fileName, isSame: ==)
                loan = new
            default: throw Refusal(number: number)
            }
            _ = queue.returned(loan, at: now + .seconds(second + offset), closes: false)
        }
        return closed
    }

    @Test func `a walk over many stores does not close those that are used again and again`() throws {
        var queue = Self.queue(LendingLimits(openStores: 4, openings: 1))
        #expect(try Self.use([0, 1, 2, 0, 1, 2], &queue, from: 0).isEmpty)
        #expect(try Self.use(Array(10..<20), &queue, from: 10) == (10..<19).map { "t_\($0)" })
        #expect(try Self.use([2, 1, 0], &queue, from: 30).isEmpty)
    }

    @Test func `stores that are used again take the place of those that were used again and again before`() throws {
        var queue = Self.queue(LendingLimits(openStores: 3, openings: 1))
        #expect(try Self.use([0, 1, 2, 2, 1, 0], &queue, from: 0).isEmpty)
        // The first ones of the new stores make room for each other, until they have been used twice.
        #expect(try Self.use([3, 4, 3, 4], &queue, from: 10) == ["t_0", "t_3", "t_4", "t_1"])
        #expect(try Self.use([3, 4, 3, 4], &queue, from: 20).isEmpty)
    }

    @Test func `a store with users who overlap is one that is used again and again`() throws {
        var queue = Self.queue(LendingLimits(openStores: 3, openings: 1))
        let users = try (0..<2).map { _ in try Self.lend(0, &queue) }
        #expect(try Self.use([1, 2, 1, 2], &queue, from: 0).isEmpty)
        for (offset, user) in users.enumerated() {
            #expect(queue.returned(user, at: Self.now + .seconds(10 + offset), closes: false).closing.isEmpty)
        }
        #expect(try Self.use([3], &queue, from: 20) == ["t_1"])
    }

    @Test func `names that look the same are different idle stores`() throws {
        var idle = IdleStores()
        let names = ["t_\u{e9}", "t_e\u{301}", "t_a"]
        let elements = try names.map {
            IdleStores.Element(name: try DatabaseName($0), since: Self.now, returnedBefore: nil)
        }
        for element in elements { idle.insert(element) }
        for (index, element) in elements.enumerated() {
            idle.remove(element)
            #expect(idle.elements.count == 2 - index)
        }
    }

    @Test func `the times of closed stores are remembered of at most as many as may be open`() throws {
        var returns = EarlierReturns()
        for number in 0..<10 { returns.add(try Self.name(number), Self.now + .seconds(number), most: 3) }
        returns.add(try Self.name(8), Self.now + .seconds(20), most: 3)
        #expect(try returns.remove(Self.name(7)) == nil)
        #expect(try returns.remove(Self.name(8)) == Self.now + .seconds(20))
        #expect(try returns.remove(Self.name(8)) == nil)
        #expect(try returns.remove(Self.name(9)) == Self.now + .seconds(9))
    }

    @Test func `requests wait in order, and one that is cancelled lets the next one through`() throws {
        var queue = Self.queue(LendingLimits(openStores: 1, openings: 1))
        let first = try Self.lend(0, &queue)
        for number in 1...3 {
            let grant = try queue.request(
                Self.name(number), isNested: false, ticket: UInt64(number), waiter: number
            ).grant
            #expect(grant == nil)
        }
        // It need not wait, since its store is open.
        let other = try Self.lend(0, &queue)
        #expect(queue.cancel(1).waiter == 1)
        #expect(queue.cancel(1).waiter == nil)
        #expect(queue.returned(first, at: Self.now, closes: false).closing.isEmpty)
        let steps = queue.returned(other, at: Self.now, closes: false)
        #expect(steps.closing.map(\.store) == ["t_0"] && steps.closing.map(\.makesRoom) == [true])
        #expect(queue.closed(steps.closing[0].loan).granted.map(\.waiter) == [2])
        #expect(queue.numbers == (0, 0, 1, 0, 1))
    }

    @Test func `an opening that waits for another store does not wait for a limit`() throws {
        var queue = Self.queue(LendingLimits(openStores: 1, openings: 1))
        guard case .open = try queue.request(Self.name(0), isNested: false, ticket: 1, waiter: 1).grant,
            case .open(let inner) = try queue.request(Self.name(1), isNested: true, ticket: 2, waiter: 2).grant
        else { throw Refusal(number: 0) }
        _ = queue.opened(inner, "inner", isSame: ==)
        let steps = queue.returned(inner, at: Self.now, closes: false)
        #expect(steps.closing.map(\.store) == ["inner"])
    }

    @Test func `a store that is being closed is opened again for requests that came meanwhile`() throws {
        var queue = Self.queue(LendingLimits(openStores: 2, openings: 2))
        let loan = try Self.lend(0, &queue)
        let steps = queue.returned(loan, at: Self.now, closes: true)
        #expect(steps.closing.map(\.store) == ["t_0"])
        #expect(try queue.request(Self.name(0), isNested: false, ticket: 1, waiter: 1).grant == nil)
        #expect(try queue.request(Self.name(0), isNested: false, ticket: 2, waiter: 2).grant == nil)
        #expect(queue.cancel(1).waiter == 1)
        #expect(queue.closed(loan).granted.map(\.waiter) == [2])
        // A late report of the earlier store changes nothing.
        #expect(queue.closed(loan).granted.isEmpty)
        #expect(queue.returned(loan, at: Self.now, closes: true).closing.isEmpty)
    }

    @Test func `a nested request waits for a close, and for no limit after that`() throws {
        var queue = Self.queue(LendingLimits(openStores: 1, openings: 1))
        let outer = try Self.lend(0, &queue)
        guard case .open(let inner) = try queue.request(Self.name(1), isNested: true, ticket: 1, waiter: 1).grant else {
            throw Refusal(number: 1)
        }
        _ = queue.opened(inner, "inner", isSame: ==)
        #expect(queue.returned(inner, at: Self.now, closes: false).closing.map(\.store) == ["inner"])
        #expect(try queue.request(Self.name(1), isNested: true, ticket: 2, waiter: 2).grant == nil)
        #expect(queue.closed(inner).granted.map(\.waiter) == [2])
        _ = outer
    }

    @Test func `requests behind others are granted when their store is opened`() throws {
        var queue = Self.queue(LendingLimits(openStores: 2, openings: 2))
        let loans = try (0..<2).map { try Self.lend($0, &queue) }
        for (ticket, name) in [(1, 7), (2, 8), (3, 7), (4, 7)] {
            #expect(
                try queue.request(Self.name(name), isNested: false, ticket: UInt64(ticket), waiter: ticket).grant == nil
            )
        }
        let steps = queue.returned(loans[0], at: Self.now, closes: false)
        // One store for three requests.
        #expect(steps.closing.count == 1)
        #expect(queue.closed(loans[0]).granted.map(\.waiter) == [1, 3, 4])
        #expect(queue.numbers == (1, 0, 1, 0, 1))
    }

    @Test func `many requests for one store close one other`() throws {
        var queue = Self.queue(LendingLimits(openStores: 10, openings: 10))
        let loans = try (0..<10).map { try Self.lend($0, &queue) }
        for loan in loans { _ = queue.returned(loan, at: Self.now, closes: false) }
        var closing = 0
        for ticket in 1...50 {
            let (grant, steps) = try queue.request(
                Self.name(99), isNested: false, ticket: UInt64(ticket), waiter: ticket)
            #expect(grant == nil)
            closing += steps.closing.count
        }
        #expect(closing == 1)
    }

    @Test func `a loan whose store was closed before it was opened for all is stale`() throws {
        var queue = Self.queue(LendingLimits(openStores: 2, openings: 2))
        let first = try Self.lend(0, &queue)
        _ = queue.lost(first)
        guard case .stale = queue.opened(first, "late", isSame: ==).outcome else { throw Refusal(number: 1) }
        guard case .open(let second) = try queue.request(Self.name(0), isNested: false, ticket: 1, waiter: 1).grant,
            case .kept(nil) = queue.opened(second, "a", isSame: ==).outcome,
            case .known = queue.opened(second, "a", isSame: ==).outcome,
            case .kept("a") = queue.opened(second, "b", isSame: ==).outcome
        else { throw Refusal(number: 2) }
    }

    @Test func `when the process is below its limits again, the next look lets requests through`() throws {
        let isExceeded = Locked(true)
        var queue = Queue { _ in isExceeded.withLock { $0 } }
        _ = try Self.lend(0, &queue)
        #expect(try queue.request(Self.name(1), isNested: false, ticket: 1, waiter: 1).grant == nil)
        let early = queue.sweep(at: Self.now, trimTime: .seconds(1))
        #expect(early.steps.granted.isEmpty && !early.isDone)
        isExceeded.withLock { $0 = false }
        let late = queue.sweep(at: Self.now, trimTime: .seconds(1))
        #expect(late.steps.granted.map(\.waiter) == [1] && late.isDone)
    }

    @Test func `a store that its borrowers have closed is replaced`() throws {
        var queue = Self.queue(LendingLimits(openStores: 1, openings: 1))
        let loan = try Self.lend(0, &queue)
        _ = queue.lost(loan)
        let next = try Self.lend(0, &queue)
        #expect(next != loan)
        #expect(queue.returned(loan, at: Self.now, closes: true).closing.isEmpty)
        #expect(queue.numbers == (1, 0, 0, 0, 0))
    }

    @Test func `idle stores are trimmed once and closed after their time`() throws {
        var queue = Self.queue(LendingLimits(openStores: 4, openings: 4, idleTime: .seconds(60)))
        let loans = try (0..<2).map { try Self.lend($0, &queue) }
        _ = queue.returned(loans[0], at: Self.now, closes: false)
        let early = queue.sweep(at: Self.now + .seconds(2), trimTime: .seconds(1))
        #expect(early.trimmed == ["t_0"] && early.steps.closing.isEmpty && !early.isDone)
        #expect(queue.sweep(at: Self.now + .seconds(3), trimTime: .seconds(1)).trimmed.isEmpty)
        let late = queue.sweep(at: Self.now + .seconds(60), trimTime: .seconds(1))
        #expect(late.steps.closing.map(\.store) == ["t_0"] && late.isDone)
        #expect(late.steps.closing.map(\.makesRoom) == [false])
    }

    @Test func `at a limit of the process, idle stores are closed, and one store may always be open`() throws {
        var queue = Queue { _ in true }
        let loan = try Self.lend(0, &queue)
        #expect(try queue.request(Self.name(1), isNested: false, ticket: 1, waiter: 1).grant == nil)
        let steps = queue.returned(loan, at: Self.now, closes: false)
        #expect(steps.closing.map(\.store) == ["t_0"])
        #expect(queue.closed(loan).granted.map(\.waiter) == [1])
    }

    @Test func `after the end nothing is lent, and what is in use is closed when it is returned`() throws {
        var queue = Self.queue(LendingLimits(openStores: 2, openings: 2))
        let (used, idle) = (try Self.lend(0, &queue), try Self.lend(1, &queue))
        _ = queue.returned(idle, at: Self.now, closes: false)
        #expect(try queue.request(Self.name(2), isNested: false, ticket: 1, waiter: 1).steps.closing.count == 1)
        let steps = queue.end()
        #expect(steps.granted.map(\.waiter) == [1])
        #expect(queue.isInUse)
        guard case .ended = try queue.request(Self.name(0), isNested: false, ticket: 2, waiter: 2).grant else {
            throw Refusal(number: 0)
        }
        #expect(queue.returned(used, at: Self.now, closes: false).closing.map(\.store) == ["t_0"])
        #expect(queue.isInUse)
        _ = (queue.closed(idle), queue.closed(used))
        #expect(!queue.isInUse)
    }

    /// Every request is granted in the end, no limit is exceeded, and no store in use is closed, whatever comes in
    /// whatever order.
    @Test(arguments: 1...40)
    func `any order of requests and outcomes`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let limits = LendingLimits(
            openStores: .random(in: 1...4, using: &random), openings: .random(in: 1...3, using: &random))
        var queue = Self.queue(limits)
        var opening: [Queue.Loan] = []
        var lent: [Queue.Loan] = []
        var closing: [Queue.Loan] = []
        // Closed by their borrowers, of whom some do not know it yet.
        var lost: Set<Queue.Loan> = []
        var waiting: Set<Int> = []
        var lastTicket = 0
        let hasNested = seed.isMultiple(of: 2)
        var time: ContinuousClock.Instant = Self.now

        func grant(_ grant: Queue.Grant) throws {
            switch grant {
            case .ended: throw Refusal(number: lastTicket)
            case .open(let loan): opening.append(loan)
            case .use(let loan, _):
                #expect(!closing.contains(loan))
                lent.append(loan)
            }
        }
        func perform(_ steps: Queue.Steps) throws {
            for (waiter, answer) in steps.granted {
                #expect(waiting.remove(waiter) != nil)
                try grant(answer)
            }
            for loan in steps.closing.map(\.loan) {
                #expect(!lent.contains(loan) && !closing.contains(loan))
                closing.append(loan)
            }
            // Nested requests may exceed the limits.
            guard !hasNested else { return }
            #expect(Set(opening + lent + closing).subtracting(lost).count <= limits.openStores)
            #expect(queue.numbers.opening <= limits.openings)
        }
        func step(mayRequest: Bool) throws {
            time += Duration.milliseconds(1)
            switch Int.random(in: 0..<(mayRequest ? 9 : 6), using: &random) {
            case 0, 1:
                guard let index = opening.indices.randomElement(using: &random) else { return }
                let loan = opening.remove(at: index)
                if Int.random(in: 0..<5, using: &random) == 0 {
                    try perform(queue.failed(loan))
                } else {
                    lent.append(loan)
                    let (outcome, steps) = queue.opened(loan, loan.name.fileName, isSame: ==)
                    if case .stale = outcome { lent.removeLast() }
                    try perform(steps)
                }
            case 2, 3:
                guard let index = lent.indices.randomElement(using: &random) else { return }
                let loan = lent.remove(at: index)
                if Int.random(in: 0..<20, using: &random) == 0 {
                    lent.removeAll { $0 == loan }
                    lost.insert(loan)
                    return try perform(queue.lost(loan))
                }
                try perform(queue.returned(loan, at: time, closes: Int.random(in: 0..<8, using: &random) == 0))
            case 4:
                guard let index = closing.indices.randomElement(using: &random) else { return }
                let loan = closing.remove(at: index)
                try perform(queue.closed(loan))
            case 5:
                let swept = queue.sweep(at: time, trimTime: .milliseconds(3))
                try perform(swept.steps)
            case 6 where !waiting.isEmpty:
                guard let waiter = waiting.sorted().randomElement(using: &random) else { return }
                let (cancelled, steps) = queue.cancel(UInt64(waiter))
                #expect(cancelled == waiter)
                waiting.remove(waiter)
                try perform(steps)
            default:
                lastTicket += 1
                let name = try Self.name(.random(in: 0..<8, using: &random))
                waiting.insert(lastTicket)
                let isNested = hasNested && Int.random(in: 0..<5, using: &random) == 0
                let (answer, steps) = queue.request(
                    name, isNested: isNested, ticket: UInt64(lastTicket), waiter: lastTicket)
                if let answer {
                    waiting.remove(lastTicket)
                    try grant(answer)
                }
                try perform(steps)
            }
        }
        for _ in 0..<400 { try step(mayRequest: true) }
        for _ in 0..<4_000 where !(waiting.isEmpty && lent.isEmpty && opening.isEmpty && closing.isEmpty) {
            try step(mayRequest: false)
        }
        #expect(waiting.isEmpty && lent.isEmpty && opening.isEmpty)
    }
}
