import Foundation

/// Round after round, each kind for as long as the others.
final class TortureRun {
    private static let directoriesKept = 12

    private let settings: Settings
    private let seed: UInt64
    private let fixture: Fixture
    private var tallies: [String: Tally] = [:]
    private var kept: [String: Int] = [:]
    private let began = ContinuousClock.now

    init(_ settings: Settings, seed: UInt64, fixture: Fixture) {
        self.settings = settings
        self.seed = seed
        self.fixture = fixture
    }

    /// Goes on until the time is over.
    ///
    /// - Returns: Whether every promise held.
    func torture(_ kinds: [any Kind.Type], minutes: Double) -> Bool {
        let able = possible(kinds)
        var spent: [String: Duration] = [:]
        var numbers: [String: Int] = [:]
        var told = began
        while ContinuousClock.now - began < .seconds(minutes * 60), Interruption.exitCode == nil {
            guard let kind = able.min(by: { spent[$0.name, default: .zero] < spent[$1.name, default: .zero] }) else {
                break
            }
            let start = ContinuousClock.now
            let number = numbers[kind.name, default: 0]
            numbers[kind.name] = number + 1
            tallies[kind.name, default: Tally()] += run(kind, number)
            spent[kind.name, default: .zero] += ContinuousClock.now - start
            if ContinuousClock.now - told > .seconds(20) {
                told = ContinuousClock.now
                tellProgress(able)
            }
        }
        return finish(able)
    }

    /// Runs one round again.
    func `repeat`(_ kind: any Kind.Type, _ number: Int) -> Bool {
        let able = possible([kind])
        for kind in able { tallies[kind.name] = run(kind, number) }
        return finish(able)
    }

    /// Plants a damage in a round of each kind.
    ///
    /// - Returns: Whether each was found, and as what it is.
    func prove(_ kinds: [any Kind.Type]) -> Bool {
        var isProved = true
        for kind in possible(kinds) {
            do {
                let round = try begin(kind, 0, planting: true)
                try kind.init().run(round)
                let words = round.planted ?? "nothing was planted"
                let found = round.tally.problems.first { problem in
                    problem.category == kind.plantedCategory && problem.text.contains(words)
                }
                isProved = isProved && found != nil
                say(found.map { "noticed: \(kind.name): \($0.text)" } ?? "NOT noticed: \(kind.name): \(words)")
            } catch {
                isProved = false
                say("NOT noticed: \(kind.name): \(error)")
            }
        }
        return isProved
    }

    private func possible(_ kinds: [any Kind.Type]) -> [any Kind.Type] {
        for kind in kinds {
            if let obstacle = kind.obstacle { say("skipped: \(kind.name): \(obstacle)") }
            if let note = kind.note { say("note: \(kind.name): \(note)") }
        }
        return kinds.filter { $0.obstacle == nil }
    }

    private func directory(_ kind: any Kind.Type, _ number: Int) -> String {
        "\(settings.directory)/\(kind.name)-\(number)"
    }

    private func begin(_ kind: any Kind.Type, _ number: Int, planting: Bool) throws -> Round {
        let home = try fixture.copy(to: directory(kind, number))
        let random = RandomSource(seed: seed, part: kind.name, round: number)
        return Round(settings, home, random, planting: planting)
    }

    private func run(_ kind: any Kind.Type, _ number: Int) -> Tally {
        var tally = Tally()
        do {
            let round = try begin(kind, number, planting: false)
            do {
                try kind.init().run(round)
                tally = round.tally
            } catch {
                tally = round.tally
                tally.broken += 1
                say("\(kind.name) round \(number): the harness failed: \(error)")
            }
        } catch {
            tally.broken += 1
            say("\(kind.name) round \(number): no round could begin: \(error)")
        }
        // A terminal sends the signal to the tools of the round, too, so that the round says nothing.
        guard Interruption.exitCode == nil else { return Tally() }
        tally.rounds = 1
        finish(kind, number, tally)
        return tally
    }

    /// Tells what was found, and keeps the directory or removes it.
    private func finish(_ kind: any Kind.Type, _ number: Int, _ tally: Tally) {
        let path = directory(kind, number)
        guard !tally.isClean else {
            try? FileManager.default.removeItem(atPath: path)
            return
        }
        let lines = tally.problems.map { "\($0.category.rawValue.uppercased()): \($0.text)" }
        for line in lines.prefix(4) { say("\(kind.name) round \(number): \(line)") }
        if lines.count > 4 { say("\(kind.name) round \(number): and \(lines.count - 4) more") }
        let isKept = settings.keepsFailures && kept[kind.name, default: 0] < Self.directoriesKept
        kept[kind.name, default: 0] += 1
        say("    again: --seed \(seed) --only \(kind.name) --round \(number)\(isKept ? "; kept: \(path)" : "")")
        if isKept {
            try? lines.joined(separator: "\n").write(toFile: "\(path)/PROBLEMS", atomically: false, encoding: .utf8)
        } else {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private func tellProgress(_ kinds: [any Kind.Type]) {
        let seconds = Int((ContinuousClock.now - began) / .seconds(1))
        let counts = kinds.map { kind in
            let tally = tallies[kind.name] ?? Tally()
            let problems = tally.problems.isEmpty ? "" : " (\(tally.problems.count) problems)"
            return "\(kind.name) \(tally.rounds)\(problems)"
        }
        say("\(seconds / 60) min \(seconds % 60) s: \(counts.joined(separator: ", "))")
    }

    private func finish(_ kinds: [any Kind.Type]) -> Bool {
        var table = TallyTable()
        var sum = Tally()
        for kind in kinds {
            let tally = tallies[kind.name] ?? Tally()
            table.append(kind.name, tally)
            sum += tally
        }
        table.append("all", sum)
        say(table.text)
        return sum.isClean
    }
}

/// What the harness prints; at once, also into a file.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// The first SIGINT or SIGTERM ends the run after the round that is under way; the second ends the process.
enum Interruption {
    nonisolated(unsafe) private static var signal: sig_atomic_t = 0

    /// The exit code of a process that a signal ended; nil while there was none.
    static var exitCode: Int32? { signal == 0 ? nil : 128 + Int32(signal) }

    static func heed() {
        for number in [SIGINT, SIGTERM] {
            Foundation.signal(number) { number in
                Interruption.signal = sig_atomic_t(number)
                Foundation.signal(number, SIG_DFL)
            }
        }
    }
}

/// Random numbers that a seed repeats: SplitMix64.
struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A source for one part of the work, which does not depend on how many numbers the others took.
    init(seed: UInt64, part: String, round: Int) {
        var state = RandomSource.hash(part) ^ seed
        state = state &+ UInt64(round) &* 0x9E37_79B9_7F4A_7C15
        self.init(seed: state)
        _ = next()
    }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True once in so many times.
    mutating func oneIn(_ times: Int) -> Bool { number(1...times) == 1 }

    /// An element of a list that has some.
    mutating func pick<Element>(_ list: [Element]) -> Element { list[number(0...list.count - 1)] }

    /// Seconds to wait: short ones are as likely as long ones, since a command's steps lie close together.
    mutating func delay(upTo longest: Double) -> Double {
        let part = Double.random(in: 0...1, using: &self)
        return oneIn(2) ? longest * part : longest * part * part * part
    }

    /// FNV-1a.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
