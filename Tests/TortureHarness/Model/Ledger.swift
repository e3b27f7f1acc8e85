/// Everything that was written to one database, and what has to be there.
final class Ledger {
    private(set) var sessions: [WriterSession] = []

    /// A new writer.
    func session(_ name: String, groups: Int, rows: Int) -> WriterSession {
        let session = WriterSession("\(name)\(sessions.count)", groups: groups, rows: rows)
        sessions.append(session)
        return session
    }

    func add(_ session: WriterSession) { sessions.append(session) }

    var acknowledgedRows: Int { sessions.reduce(0) { $0 + $1.acknowledgedRows } }

    /// Tokens that must be there.
    var acknowledgedTokens: [String] {
        sessions.filter { !$0.mayBeGone }.flatMap { $0.groups.prefix($0.acknowledged).joined() }
    }

    /// From here on a restore may take back what was written.
    func restoreMayHaveHappened(butNot kept: WriterSession) {
        for session in sessions where session !== kept { session.mayBeGone = true }
    }

    /// Compares what was read with what was acknowledged.
    ///
    /// - Parameters:
    ///   - rows: All rows of the table.
    ///   - place: What was read, for the messages.
    /// - Returns: What differs.
    func compare(_ rows: [StoredRow], _ place: String) -> [Problem] {
        var found: [String: Int] = [:]
        var problems: [Problem] = []
        for row in rows {
            found[row.token, default: 0] += 1
            if !row.isAsWritten { problems.append(Problem(.wrong, "\(place): \(row.token) has another payload")) }
        }
        for (token, count) in found.sorted(by: { $0.key < $1.key }) where count > 1 {
            problems.append(Problem(.wrong, "\(place): \(token) is there \(count) times"))
        }
        for session in sessions { problems += compare(session, &found, place) }
        problems += found.keys.sorted().map { Problem(.wrong, "\(place): \($0) was never written") }
        return problems
    }

    private func compare(_ session: WriterSession, _ found: inout [String: Int], _ place: String) -> [Problem] {
        let present = session.groups.map { group in group.filter { found.removeValue(forKey: $0) != nil } }
        if session.mayBeGone, present.allSatisfy(\.isEmpty) { return [] }
        var problems: [Problem] = []
        for (index, group) in session.groups.enumerated() where present[index].count != group.count {
            let missing = group.filter { !present[index].contains($0) }
            let words = "\(missing.count) of \(group.count) rows of a transaction, such as \(missing[0])"
            if index < session.acknowledged {
                problems.append(Problem(.lost, "\(place): \(words), were acknowledged and are gone"))
            } else if !present[index].isEmpty {
                problems.append(Problem(.wrong, "\(place): \(words), are missing, and the others are there"))
            }
        }
        let limit = session.acknowledged + (session.mayHaveOneMore ? 1 : 0)
        for index in session.groups.indices.dropFirst(limit) where !present[index].isEmpty {
            problems.append(
                Problem(.wrong, "\(place): \(present[index][0]) is there, and an error said that it was not kept"))
        }
        return problems
    }
}

/// A promise that did not hold.
struct Problem {
    enum Category: String, CaseIterable {
        /// A row that was acknowledged is not there.
        case lost
        /// A row that nobody wrote, or twice, or after an error that said it was not kept; an answer that is not so.
        case wrong
        /// Damage, or other rows than were written, and no error.
        case silent
        /// A process that did not end by itself.
        case hung
    }

    let category: Category
    let text: String

    init(_ category: Category, _ text: String) {
        self.category = category
        self.text = text
    }
}

/// A row of the table `contact`: a token that is there once, and a payload that follows from it.
struct StoredRow: Hashable {
    let token: String
    let payload: String

    /// The row of a token as it has to be.
    init(token: String) {
        self.token = token
        payload = Self.payload(of: token)
    }

    /// A row as it was read.
    init(token: String, payload: String) {
        self.token = token
        self.payload = payload
    }

    var isAsWritten: Bool { payload == Self.payload(of: token) }

    /// How many rows an argument of a command holds for certain: Linux allows 128 KiB.
    static let mostInAnArgument = 20

    /// Mostly short; one in eight needs overflow pages.
    static func payload(of token: String) -> String {
        var random = RandomSource(seed: RandomSource.hash(token))
        let length = random.oneIn(8) ? random.number(1_500...6_000) : random.number(8...200)
        var text = ""
        while text.utf8.count < length { text += String(random.next(), radix: 36) }
        return text
    }

    /// One statement that inserts rows, without a semicolon.
    static func insertion(_ tokens: [String]) -> String {
        let values = tokens.map { "('\($0)', '\(payload(of: $0))')" }
        return "INSERT INTO contact (name, email) VALUES \(values.joined(separator: ", "))"
    }

    /// The rows as a file for `import`.
    static func csv(_ tokens: [String]) -> String {
        "name,email\n" + tokens.map { "\($0),\(payload(of: $0))\n" }.joined()
    }

    /// The rows of `SELECT name, email FROM contact` as `query --csv` prints them.
    static func parse(csv: String) -> [StoredRow] {
        csv.split(whereSeparator: \.isNewline).dropFirst().map { line in
            let fields = line.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            return StoredRow(token: String(fields[0]), payload: fields.count > 1 ? String(fields[1]) : "")
        }
    }
}

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

/// The numbers of each kind, for people.
struct TallyTable {
    private static let header = [
        "kind", "rounds", "kills", "acknowledged rows", "torn ends", "lost", "wrong", "silent", "hung", "broken",
    ]
    private var lines = [Self.header]

    mutating func append(_ name: String, _ tally: Tally) {
        let numbers =
            [tally.rounds, tally.kills, tally.acknowledgedRows, tally.tornEnds]
            + Problem.Category.allCases.map(tally.count) + [tally.broken]
        lines.append([name] + numbers.map(String.init))
    }

    var text: String {
        let widths = Self.header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).enumerated().map { index, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// What one process wrote: groups of rows, each in one transaction, one after the other.
final class WriterSession {
    let name: String
    let groups: [[String]]
    /// How many groups were acknowledged.
    var acknowledged = 0
    /// Whether the group after those may have been committed: its process was killed before it could tell.
    var mayHaveOneMore = false
    /// Whether all of it may be gone: a backup from before was, or may have been, restored.
    var mayBeGone = false

    init(_ name: String, groups: Int, rows: Int) {
        self.name = name
        self.groups = (0..<groups).map { group in (0..<rows).map { "\(name).\(group).\($0)" } }
    }

    var acknowledgedRows: Int { groups.prefix(acknowledged).reduce(0) { $0 + $1.count } }

    /// The statements, one a line.
    var script: String { groups.map { StoredRow.insertion($0) + ";\n" }.joined() }

    /// All of it was written.
    func acknowledgeAll() { acknowledged = groups.count }
}
