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
