import Foundation
import StrongroomTesting
import Testing

// The state machine cannot be had through the public interface.
@testable import Strongroom

@Suite("Decisions on the stores of a registry")
struct StoreRegistryTests {
    private typealias Registry = StoreRegistry<String>

    private static let now = ContinuousClock.now

    private static func registry(_ openStores: Int = 1, openings: Int = 3) -> Registry {
        var registry = Registry { _ in false }
        _ = registry.setLimits(LendingLimits(openStores: openStores, openings: openings, idleTime: .seconds(60)))
        return registry
    }

    private static func name(_ number: Int) throws -> DatabaseName { try DatabaseName("t_\(number)") }

    private static func request(
        _ number: Int, _ registry: inout Registry, _ purpose: StorePurpose = .borrow, ticket: UInt64 = 0,
        isNested: Bool = false
    ) throws -> (answer: StoreAnswer<String>?, steps: Registry.Steps) {
        registry.request(
            StoreRequest(name: try name(number), purpose: purpose, ticket: ticket, isNested: isNested))
    }

    /// Lends a store that is opened at once.
    private static func lend(
        _ number: Int, _ registry: inout Registry, _ purpose: StorePurpose = .borrow
    ) throws -> StoreLoan {
        switch try request(number, &registry, purpose).answer {
        case .use(let loan, _): return loan
        case .open(let loan):
            let answers = try open(loan, &registry, purpose).answers
            #expect(answers.map(\.ticket) == [0])
            return loan
        default: throw Refusal(number: number)
        }
    }

    /// Opens a store for the caller who has been told to.
    private static func open(
        _ loan: StoreLoan, _ registry: inout Registry, _ purpose: StorePurpose = .borrow, ticket: UInt64 = 0
    ) throws -> Registry.Steps {
        registry.join(loan, StoreRequest(name: loan.name, purpose: purpose, ticket: ticket))
        return registry.opened(loan, loan.name.fileName, at: now)
    }

    private static func giveBack(
        _ loan: StoreLoan, _ registry: inout Registry, second: Int = 0, closes: Bool = false
    ) -> Registry.Steps {
        registry.returned(loan, at: now + .seconds(second), closes: closes)
    }

    private static func loan(_ steps: Registry.Steps) throws -> StoreLoan {
        guard case .open(let loan) = steps.answers.first?.answer else { throw Refusal(number: 0) }
        return loan
    }

    private static func reserve(_ number: Int, _ registry: inout Registry) throws -> StoreLoan {
        guard case .reserved(let loan) = try request(number, &registry, .reserve).answer else {
            throw Refusal(number: number)
        }
        return loan
    }

    // MARK: Idle stores

    /// Uses stores one after the other, each of which is opened and returned at once.
    ///
    /// - Returns: What was closed for that.
    private static func use(_ numbers: [Int], _ registry: inout Registry, from second: Int) throws -> [String] {
        var closed: [String] = []
        for (offset, number) in numbers.enumerated() {
            var (answer, steps) = try request(number, &registry)
            for closing in steps.closing {
                closed.append(closing.store)
                let database = try DatabaseName(closing.store)
                let number = try #require(registry.entries[database]?.number)
                steps = registry.closed(StoreLoan(name: database, number: number))
                answer = steps.answers.first?.answer ?? answer
            }
            switch answer {
            case .use(let loan, _): _ = giveBack(loan, &registry, second: second + offset)
            case .open(let loan):
                _ = try open(loan, &registry)
                _ = giveBack(loan, &registry, second: second + offset)
            default: throw Refusal(number: number)
            }
        }
        return closed
    }

    @Test func `returned stores are closed in the order of their return`() throws {
        var registry = Self.registry(3)
        let loans = try (0..<3).map { try Self.lend($0, &registry) }
        let again = try Self.lend(1, &registry)
        #expect(again == loans[1])
        for (offset, loan) in [loans[1], loans[2], loans[0], again].enumerated() {
            #expect(Self.giveBack(loan, &registry, second: offset).closing.isEmpty)
        }
        #expect(try Self.use([3, 4, 5], &registry, from: 10) == ["t_2", "t_0", "t_3"])
        #expect(registry.statistics.closedForOthers == 3)
    }

    @Test func `a walk over many stores does not close those that are used again and again`() throws {
        var registry = Self.registry(4, openings: 1)
        #expect(try Self.use([0, 1, 2, 0, 1, 2], &registry, from: 0).isEmpty)
        #expect(try Self.use(Array(10..<20), &registry, from: 10) == (10..<19).map { "t_\($0)" })
        #expect(try Self.use([2, 1, 0], &registry, from: 30).isEmpty)
    }

    @Test func `stores that are used again take the place of those that were used again and again before`() throws {
        var registry = Self.registry(3, openings: 1)
        #expect(try Self.use([0, 1, 2, 2, 1, 0], &registry, from: 0).isEmpty)
        // The first ones of the new stores make room for each other, until they have been used twice.
        #expect(try Self.use([3, 4, 3, 4], &registry, from: 10) == ["t_0", "t_3", "t_4", "t_1"])
        #expect(try Self.use([3, 4, 3, 4], &registry, from: 20).isEmpty)
    }

    @Test func `a store with users who overlap is one that is used again and again`() throws {
        var registry = Self.registry(3, openings: 1)
        let users = try (0..<2).map { _ in try Self.lend(0, &registry) }
        #expect(try Self.use([1, 2, 1, 2], &registry, from: 0).isEmpty)
        for (offset, user) in users.enumerated() {
            #expect(Self.giveBack(user, &registry, second: 10 + offset).closing.isEmpty)
        }
        #expect(try Self.use([3], &registry, from: 20) == ["t_1"])
    }

    @Test func `names that look the same are different idle stores`() throws {
        var idle = IdleStores()
        let elements = try ["t_\u{e9}", "t_e\u{301}", "t_a"].map {
            IdleStores.Element(name: try DatabaseName($0), since: Self.now, returnedBefore: nil)
        }
        for element in elements { idle.insert(element) }
        for (index, element) in elements.enumerated() {
            idle.remove(element)
            #expect(idle.elements.count == 2 - index)
        }
    }

    @Test func `the times of closed stores are remembered of at most as many as may be open`() throws {
        var idle = IdleStores()
        for number in 0..<10 { idle.remember(try Self.name(number), Self.now + .seconds(number), most: 3) }
        idle.remember(try Self.name(8), Self.now + .seconds(20), most: 3)
        #expect(try idle.forget(Self.name(7)) == nil)
        #expect(try idle.forget(Self.name(8)) == Self.now + .seconds(20))
        #expect(try idle.forget(Self.name(8)) == nil)
        #expect(try idle.forget(Self.name(9)) == Self.now + .seconds(9))
    }

    @Test func `an open store is used without a request, which ends its idle time`() throws {
        var registry = Self.registry()
        let loan = try Self.lend(0, &registry)
        _ = Self.giveBack(loan, &registry)
        #expect(try registry.use(Self.name(1), .borrow) == nil)
        #expect(try registry.use(Self.name(0), .borrow)?.loan == loan)
        #expect(registry.sweep(at: Self.now + .seconds(600), trimTime: .seconds(1)).steps.closing.isEmpty)
        #expect(registry.statistics.loans == 2)
        _ = registry.end()
        #expect(try registry.use(Self.name(0), .keep) == nil)
    }

    @Test func `the sweep goes on while a request waits for the end of other work`() throws {
        var registry = Self.registry()
        let held = try Self.reserve(0, &registry)
        #expect(registry.sweep(at: Self.now, trimTime: .seconds(1)).isDone)
        #expect(try Self.request(0, &registry, ticket: 1).answer == nil)
        #expect(!registry.sweep(at: Self.now, trimTime: .seconds(1)).isDone)
        #expect(registry.closed(held).answers.map(\.ticket) == [1])
    }

    // MARK: Waiting

    @Test func `a request that has waited for a close is served before later ones`() throws {
        var registry = Self.registry()
        let held = try Self.reserve(0, &registry)
        let loan = try Self.lend(1, &registry)
        #expect(try Self.request(0, &registry, ticket: 1).answer == nil)
        #expect(try Self.request(2, &registry, ticket: 2).answer == nil)
        #expect(registry.closed(held).answers.isEmpty)
        _ = Self.giveBack(loan, &registry)
        #expect(registry.closed(loan).answers.map(\.ticket) == [1])
    }

    @Test func `many requests for one store close one other`() throws {
        var registry = Self.registry(10, openings: 10)
        let loans = try (0..<10).map { try Self.lend($0, &registry) }
        for loan in loans { _ = Self.giveBack(loan, &registry) }
        var closing = 0
        for ticket in 1...50 as ClosedRange<UInt64> {
            let (answer, steps) = try Self.request(99, &registry, ticket: ticket)
            #expect(answer == nil)
            closing += steps.closing.count
        }
        #expect(closing == 1)
    }

    @Test func `at a limit of the process, idle stores are closed, and one store may always be open`() throws {
        let isExceeded = Locked(true)
        var registry = Registry { _ in isExceeded.withLock { $0 } }
        let loan = try Self.lend(0, &registry)
        #expect(try Self.request(1, &registry, ticket: 1).answer == nil)
        #expect(Self.giveBack(loan, &registry).closing.map(\.store) == ["t_0"])
        let steps = registry.closed(loan)
        #expect(steps.answers.map(\.ticket) == [1])
        _ = try Self.open(Self.loan(steps), &registry)
        #expect(try Self.request(2, &registry, ticket: 2).answer == nil)
        let early = registry.sweep(at: Self.now, trimTime: .seconds(1))
        #expect(early.steps.answers.isEmpty && !early.isDone)
        // When the process is below its limits again, the next look lets requests through.
        isExceeded.withLock { $0 = false }
        let late = registry.sweep(at: Self.now, trimTime: .seconds(1))
        #expect(late.steps.answers.map(\.ticket) == [2] && late.isDone)
    }

    // MARK: Openings

    @Test func `the last one who is cancelled cancels the opening, and a later request opens anew`() throws {
        var registry = Self.registry()
        let name = try Self.name(0)
        guard case .open(let loan) = try Self.request(0, &registry).answer else { throw Refusal(number: 0) }
        registry.join(loan, StoreRequest(name: name, purpose: .borrow, ticket: 1))
        #expect(try Self.request(0, &registry, ticket: 2).answer == nil)
        let first = registry.withdraw(name, 1)
        #expect(first.isWithdrawn && first.steps.abandoned.isEmpty)
        // The time of a request is not that of its opening.
        #expect(!registry.withdraw(name, 2, isLate: true).isWithdrawn)
        let last = registry.withdraw(name, 2)
        #expect(!last.isWithdrawn && last.steps.abandoned == [loan])
        #expect(try Self.request(0, &registry, ticket: 3).answer == nil)
        #expect(registry.failed(loan, CancellationError()).answers.map(\.ticket) == [2, 3])
    }

    @Test func `a store that was closed while its opening was reported is opened again`() throws {
        var registry = Self.registry()
        guard case .open(let loan) = try Self.request(0, &registry).answer else { throw Refusal(number: 0) }
        #expect(registry.closed(loan).answers.isEmpty)
        #expect(try Self.loan(Self.open(loan, &registry)) != loan)
    }

    // MARK: Closing

    @Test func `a store that is kept closed takes no room from others`() throws {
        var registry = Self.registry()
        let work = try Self.reserve(0, &registry)
        let loan = try Self.lend(1, &registry)
        _ = Self.giveBack(loan, &registry)
        // It is not taken for one that is being closed for the waiting request.
        #expect(try Self.request(2, &registry, ticket: 3).steps.closing.map(\.store) == ["t_1"])
        #expect(registry.closed(loan).answers.map(\.ticket) == [3])
        #expect(registry.closed(work).answers.isEmpty)
        #expect(registry.statistics.closing == 0 && registry.statistics.opening == 1)
    }

    @Test func `a request that waits for a limit does not hold up the others while its store is kept closed`() throws {
        var registry = Self.registry()
        let loan = try Self.lend(1, &registry)
        #expect(try Self.request(0, &registry, ticket: 1).answer == nil)
        #expect(try Self.request(2, &registry, ticket: 2).answer == nil)
        let work = try Self.reserve(0, &registry)
        _ = Self.giveBack(loan, &registry, closes: true)
        #expect(registry.closed(loan).answers.map(\.ticket) == [2])
        #expect(registry.closed(work).answers.isEmpty && registry.statistics.waiting == 1)
    }

    // MARK: Random programs

    /// `STRONGROOM_LONG` asks for the long proof, of a million events.
    private static let programs: UInt64 =
        ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == nil ? 60 : 2_500

    @Test func `whatever comes in whatever order, the invariants hold, and every request is answered`() throws {
        var answers: [String: Int] = [:]
        for seed in 1...Self.programs {
            var program = try RegistryProgram(seed: seed)
            do { try program.run(events: 400) } catch { throw TestFault("program \(seed): \(error)") }
            answers.merge(program.answers) { $0 + $1 }
        }
        for answer in ["use", "open", "reserved", "refused", "failed"] {
            #expect(answers[answer, default: 0] > Int(Self.programs), "\(answers)")
        }
    }

    private struct TestFault: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}

extension StoresStatistics {
    /// The stores that are lent, idle, being opened and being closed, and the requests that wait.
    fileprivate var numbers: [Int] { [lent, idle, opening, closing, waiting] }
}
