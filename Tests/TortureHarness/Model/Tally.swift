/// What the rounds of a kind came to.
struct Tally {
    var rounds = 0
    var kills = 0
    var acknowledgedRows = 0
    /// Flips in the last commit of a WAL, which look like a crash in the middle of it, and took it back.
    var tornEnds = 0
    /// Rounds in which the harness itself failed.
    var broken = 0
    var problems: [Problem] = []

    func count(_ category: Problem.Category) -> Int { problems.count { $0.category == category } }

    var isClean: Bool { problems.isEmpty && broken == 0 }

    mutating func add(_ category: Problem.Category, _ text: String) {
        problems.append(Problem(category, text))
    }

    static func += (sum: inout Tally, other: Tally) {
        sum.rounds += other.rounds
        sum.kills += other.kills
        sum.acknowledgedRows += other.acknowledgedRows
        sum.tornEnds += other.tornEnds
        sum.broken += other.broken
        sum.problems += other.problems
    }
}
