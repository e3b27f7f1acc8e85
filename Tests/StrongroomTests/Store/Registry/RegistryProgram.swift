import StrongroomTesting

@testable import Strongroom

/// A random program of callers, openings and closings on a registry, beside a model of what each database may be.
struct RegistryProgram {
    typealias Registry = StoreRegistry<UInt64>

    /// What is wrong, in words.
    struct Fault: Error { let text: String }

    private enum Phase: Equatable { case opening, open, closing, reserved }
    private struct Database {
        let loan: StoreLoan
        var phase: Phase
    }
    private struct Caller {
        let name: DatabaseName
        let purpose: StorePurpose
        let isNested: Bool
        var waitsForWork = true
        /// Whether it was withdrawn, and is answered when its opening ends.
        var isLeaving = false
    }

    private var random: SeededGenerator
    private var registry: Registry
    private let names: [DatabaseName]
    private let isSimple: Bool
    private var time = ContinuousClock.now
    private var databases: [DatabaseName: Database] = [:]
    private var waiting: [UInt64: Caller] = [:]
    private var begins: [(loan: StoreLoan, caller: Caller)] = []
    private var openings: [StoreLoan] = []
    private var uses: [(loan: StoreLoan, purpose: StorePurpose)] = []
    private var lost: Set<StoreLoan> = []
    private var lastTicket: UInt64 = 0
    private var hasEnded = false
    /// How often each kind of answer was given.
    private(set) var answers: [String: Int] = [:]

    /// - Parameter seed: Every third program has only borrowers that no limit excepts.
    init(seed: UInt64) throws {
        random = SeededGenerator(seed)
        names = try (0..<8).map { try DatabaseName("t_\($0)") }
        isSimple = seed.isMultiple(of: 3)
        registry = Registry { _ in false }
        try changeLimits()
    }

    /// Runs a program to its end: whatever has happened, every request is answered, and every store closed.
    mutating func run(events: Int) throws {
        for _ in 0..<events { try step(Int.random(in: 0..<13, using: &random)) }
        for _ in 0..<100_000 where !(waiting.isEmpty && begins.isEmpty && openings.isEmpty && uses.isEmpty) {
            try step(Int.random(in: 3..<9, using: &random))
        }
        try require(waiting.isEmpty && begins.isEmpty && openings.isEmpty, "requests are left: \(waiting)")
        hasEnded = true
        try perform(registry.end())
        while let database = databases.values.first(where: { $0.phase != .open }) { try close(database.loan) }
        try require(databases.isEmpty && !registry.isInUse, "stores are left: \(databases)")
    }

    private mutating func step(_ kind: Int) throws {
        time += .milliseconds(1)
        switch kind {
        case 0...2: try request()
        case 3: try begin()
        case 4: try endOpening()
        case 5, 6: try endUse()
        case 7:
            let ending = databases.values.filter { [.closing, .reserved].contains($0.phase) }.map(\.loan)
            if let loan = pick(ending) { try close(loan) }
        case 8: try perform(registry.sweep(at: time, trimTime: .milliseconds(3)).steps)
        case 9: try withdraw()
        case 10 where !isSimple:
            // The program closes a store that somebody may use.
            let open = databases.values.filter { $0.phase == .open }.map(\.loan)
            if let loan = pick(open) { try close(loan) }
        case 11 where !isSimple:
            guard let loan = pick(openings) else { return }
            lost.insert(loan)
            try perform(registry.closed(loan))
        case 12 where !isSimple: try changeLimits()
        default: return
        }
    }

    // MARK: Events

    private mutating func request() throws {
        guard let name = pick(names) else { return }
        let purposes: [StorePurpose] = isSimple ? [.borrow] : [.borrow, .borrow, .borrow, .borrow, .keep, .reserve]
        let isNested = !isSimple && Int.random(in: 0..<5, using: &random) == 0
        var caller = Caller(name: name, purpose: pick(purposes) ?? .borrow, isNested: isNested)
        if caller.purpose == .keep { caller.waitsForWork = Bool.random(using: &random) }
        if caller.purpose != .reserve, Bool.random(using: &random), try use(caller) { return }
        lastTicket += 1
        waiting[lastTicket] = caller
        let (answer, steps) = registry.request(
            StoreRequest(
                name: name, purpose: caller.purpose, ticket: lastTicket, isNested: isNested,
                waitsForWork: caller.waitsForWork))
        if let answer { try receive(lastTicket, answer) }
        try perform(steps)
    }

    /// Uses a store without a request that waits.
    ///
    /// - Returns: Whether it is open.
    private mutating func use(_ caller: Caller) throws -> Bool {
        let open = databases[caller.name].flatMap { $0.phase == .open ? $0.loan : nil }
        let used = registry.use(caller.name, caller.purpose)
        try require(used?.loan == open && used?.store == open?.number, "\(caller.name) is open as \(used as Any)")
        guard let open else { return false }
        uses.append((open, caller.purpose))
        try check()
        return true
    }

    private mutating func begin() throws {
        guard let index = begins.indices.randomElement(using: &random) else { return }
        let (loan, caller) = begins.remove(at: index)
        lastTicket += 1
        waiting[lastTicket] = caller
        registry.join(loan, StoreRequest(name: loan.name, purpose: caller.purpose, ticket: lastTicket))
        openings.append(loan)
    }

    private mutating func endOpening() throws {
        guard let index = openings.indices.randomElement(using: &random) else { return }
        let loan = openings.remove(at: index)
        guard Int.random(in: 0..<5, using: &random) > 0 else {
            databases[loan.name] = nil
            lost.remove(loan)
            return try perform(registry.failed(loan, Fault(text: "no key")))
        }
        if lost.remove(loan) == nil { databases[loan.name]?.phase = .open } else { databases[loan.name] = nil }
        try perform(registry.opened(loan, loan.number, at: time))
    }

    private mutating func endUse() throws {
        guard let index = uses.indices.randomElement(using: &random) else { return }
        let (loan, purpose) = uses.remove(at: index)
        if !isSimple, Int.random(in: 0..<20, using: &random) == 0, databases[loan.name]?.loan == loan {
            // The caller finds that the program is closing the store.
            if databases[loan.name]?.phase == .open { databases[loan.name]?.phase = .closing }
            return try perform(registry.lost(loan, purpose))
        }
        guard purpose == .borrow else {
            // Who keeps a store closes it, whoever else uses it.
            if databases[loan.name]?.loan == loan { try close(loan) }
            return
        }
        let closes = Int.random(in: 0..<8, using: &random) == 0
        try perform(registry.returned(loan, at: time, closes: closes))
    }

    private mutating func close(_ loan: StoreLoan) throws {
        databases[loan.name] = nil
        try perform(registry.closed(loan))
    }

    private mutating func withdraw() throws {
        let open = waiting.filter { !$0.value.isLeaving }.keys.sorted()
        guard let ticket = pick(open), let caller = waiting[ticket] else { return }
        let isLate = Bool.random(using: &random)
        let (isWithdrawn, steps) = registry.withdraw(caller.name, ticket, isLate: isLate)
        if !isWithdrawn {
            try require(databases[caller.name]?.phase == .opening, "\(ticket) cannot be withdrawn")
            try require(isLate != (steps.abandoned.map(\.name) == [caller.name]), "an opening has a time")
            if !isLate { waiting[ticket]?.isLeaving = true }
        } else {
            waiting[ticket] = nil
        }
        try perform(steps)
    }

    private mutating func changeLimits() throws {
        let limits = LendingLimits(
            openStores: .random(in: 1...4, using: &random), openings: .random(in: 1...3, using: &random),
            idleTime: .milliseconds(40))
        try perform(registry.setLimits(limits))
    }

    // MARK: What follows

    private mutating func perform(_ steps: Registry.Steps) throws {
        for (ticket, answer) in steps.answers { try receive(ticket, answer) }
        for closing in steps.closing {
            let isUsed = uses.contains { $0.loan.number == closing.store }
            try require(!isUsed && markClosing(closing.store), "\(closing.store) is closed while it is used")
        }
        try check()
    }

    private mutating func markClosing(_ store: UInt64) -> Bool {
        guard let database = databases.values.first(where: { $0.loan.number == store }), database.phase == .open else {
            return false
        }
        databases[database.loan.name]?.phase = .closing
        return true
    }

    private mutating func receive(_ ticket: UInt64, _ answer: StoreAnswer<UInt64>) throws {
        guard let caller = waiting.removeValue(forKey: ticket) else { throw Fault(text: "\(ticket) has its answer") }
        let database = databases[caller.name]
        switch answer {
        case .use(let loan, let store):
            try require(database?.loan == loan && database?.phase == .open && store == loan.number, "not open: \(loan)")
            uses.append((loan, caller.purpose))
        case .open(let loan):
            try require(database == nil, "\(caller.name) is opened twice")
            if caller.purpose == .borrow, !caller.isNested {
                let older = limited.filter { $0 < ticket && waiting[$0]?.name != caller.name }
                try require(older.isEmpty, "\(ticket) is served before \(older)")
            }
            databases[caller.name] = Database(loan: loan, phase: .opening)
            begins.append((loan, caller))
        case .reserved(let loan):
            try require(database == nil && caller.purpose == .reserve, "\(caller.name) is kept closed while it is open")
            databases[caller.name] = Database(loan: loan, phase: .reserved)
        case .refused where caller.purpose == .reserve:
            try require(database != nil, "\(caller.name) could be kept closed")
        case .refused:
            try require(database?.phase == .reserved && !caller.waitsForWork, "\(caller.name) could wait")
        case .failed: try require(caller.isLeaving || database == nil, "\(caller.name) has not failed")
        case .ended: try require(hasEnded, "the registry has not ended")
        }
        answers["\(answer)".prefix { $0 != "(" }.description, default: 0] += 1
    }

    /// The tickets of those that only a limit keeps waiting.
    private var limited: [UInt64] {
        waiting.filter { databases[$0.value.name] == nil && $0.value.purpose == .borrow && !$0.value.isNested }
            .map(\.key)
    }

    private func check() throws {
        if let defect = registry.defect { throw Fault(text: defect) }
        func isKept(_ database: Database) -> Bool {
            uses.contains { $0.loan == database.loan && $0.purpose == .keep }
                || database.phase == .opening
                    && (waiting.values.contains {
                        $0.name == database.loan.name && $0.purpose == .keep && !$0.isLeaving
                    } || begins.contains { $0.loan == database.loan && $0.caller.purpose == .keep })
        }
        let lent = databases.values.filter { $0.phase != .reserved && !isKept($0) }
        let opening = lent.count { $0.phase == .opening }
        if isSimple {
            try require(lent.count <= registry.limits.openStores, "\(lent.count) stores are open")
            try require(opening <= registry.limits.openings, "\(opening) stores are being opened")
        }
        // With others among them the count may be too high here, as for a store that was closed while it was kept.
        if isSimple, !limited.isEmpty {
            let isFull = lent.count >= registry.limits.openStores || opening >= registry.limits.openings
            try require(isFull, "\(limited) wait for nothing")
            let wanted = Set(limited.compactMap { waiting[$0]?.name }).count
            let closing = lent.count { $0.phase == .closing }
            let isIdle = lent.contains { database in
                database.phase == .open && !uses.contains { $0.loan == database.loan }
            }
            let isServed = closing >= wanted || opening >= registry.limits.openings
            try require(!isIdle || isServed, "\(limited) wait beside idle stores")
        }
    }

    private func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Fault(text: text()) }
    }

    private mutating func pick<T>(_ elements: [T]) -> T? {
        guard !elements.isEmpty else { return nil }
        return elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}
