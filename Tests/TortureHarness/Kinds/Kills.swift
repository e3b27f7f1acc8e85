import Foundation

/// Two processes at one database, of which one, the other or both are killed.
struct Kills: Kind {
    static let name = "kills"
    static let summary = "two processes at one database; SIGKILL for one, the other or both, SIGSTOP at random"
    static let plantedCategory = Problem.Category.lost

    func run(_ round: Round) throws {
        let first = try KillRole.start(round.random.pick(KillRole.writers), in: round)
        usleep(UInt32(round.random.delay(upTo: 0.25) * 1e6))
        let second = try KillRole.start(round.random.pick(KillRole.all), in: round)
        let pair = [first, second]
        for _ in 0..<round.random.number(1...4) {
            usleep(UInt32(round.random.delay(upTo: 0.3) * 1e6))
            interfere(with: pair, round)
        }
        for role in pair { role.child.send(signal: SIGCONT) }
        let outcomes = pair.map { role in
            role.child.wasKilled ? role.child.finish(limit: 30) : round.settle(role.child)
        }
        for (role, outcome) in zip(pair, outcomes) { try role.settled(outcome, round) }
        try round.plantALoss()
        let ledger = round.ledger
        let last = ledger.session("after", groups: 1, rows: 2)
        if try !round.writing(last).succeeded {
            round.tally.add(.wrong, "nothing can be written after \(first.name) and \(second.name)")
        }
        try round.checkEverything()
        round.label("\(first.name), \(second.name)")
    }

    private func interfere(with pair: [KillRole], _ round: Round) {
        let some = round.random.oneIn(3) ? pair : [round.random.pick(pair)]
        switch round.random.number(1...3) {
        case 1:
            for role in some { role.child.send(signal: SIGSTOP) }
            usleep(UInt32(round.random.delay(upTo: 0.4) * 1e6))
            for role in some where round.random.oneIn(2) { role.child.send(signal: SIGCONT) }
        default:
            for role in some where role.child.isRunning {
                role.child.send(signal: SIGKILL)
                round.tally.kills += 1
            }
        }
    }
}
