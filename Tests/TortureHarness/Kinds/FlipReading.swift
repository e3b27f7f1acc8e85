import Foundation

/// The readings after a flip: each gives exactly the rows that it should, or an error.
final class FlipReading {
    private let round: Round
    private let flip: String
    /// Whether a reading had all but the last transaction, where that is allowed.
    private(set) var sawATornEnd = false

    init(_ round: Round, _ flip: String) {
        self.round = round
        self.flip = flip
    }

    /// Reads in several ways.
    ///
    /// - Parameter allowed: The tokens that may be there, the right ones first.
    func readAll(allowing allowed: [[String]]) throws {
        try scan(["query", Home.database, Round.everyRow, "--csv"], allowed)
        try scan(["export", Home.database, "--query", Round.everyRow, "--format", "csv"], allowed)
        try count("SELECT count(*) AS n FROM contact", allowed)
        let token = round.random.pick(allowed[0])
        try point(token, allowed)
        try count("SELECT count(*) AS n FROM contact INDEXED BY contact_name WHERE name > ''", allowed)
    }

    private func scan(_ arguments: [String], _ allowed: [[String]]) throws {
        let outcome = try round.tool(arguments)
        guard outcome.succeeded else { return }
        judge(StoredRow.parse(csv: outcome.output), allowed, arguments[0])
    }

    private func judge(_ rows: [StoredRow], _ allowed: [[String]], _ words: String) {
        let sorted = rows.map(\.token).sorted()
        let place = allowed.firstIndex { $0.sorted() == sorted }
        if place == nil {
            let missing = Set(allowed[0]).subtracting(sorted).sorted()
            let example = missing.first.map { ", such as \($0)" } ?? ""
            silent("\(words) gives \(rows.count) rows of \(allowed[0].count)\(example), and no error")
        } else if place != 0 {
            sawATornEnd = true
        }
        for row in rows where !row.isAsWritten {
            silent("\(words) gives another payload for \(row.token), and no error")
        }
    }

    private func count(_ sql: String, _ allowed: [[String]]) throws {
        let outcome = try round.tool(["query", Home.database, sql, "--csv"])
        guard outcome.succeeded else { return }
        let number = outcome.output.split(whereSeparator: \.isNewline).last.flatMap { Int($0) }
        if !allowed.contains(where: { $0.count == number }) {
            silent("\(sql) is \(number ?? -1) and not \(allowed[0].count), and no error")
        }
    }

    private func point(_ token: String, _ allowed: [[String]]) throws {
        let sql = "SELECT name, email FROM contact WHERE name = '\(token)'"
        let outcome = try round.tool(["query", Home.database, sql, "--csv"])
        guard outcome.succeeded else { return }
        let rows = StoredRow.parse(csv: outcome.output)
        let mayMiss = allowed.contains { !$0.contains(token) }
        if rows.isEmpty ? !mayMiss : rows != [StoredRow(token: token)] {
            silent("the row \(token) by its name is \(rows.isEmpty ? "not there" : "another"), and no error")
        }
    }

    /// A command that looks for damage has to say no.
    func requireNamed(by command: String) throws {
        let outcome = try round.tool([command, Home.database])
        if outcome.succeeded { silent("\(command) says that all is well") }
    }

    /// A write after the damage must not make a loss final without a word.
    func write(allowing allowed: [[String]]) throws {
        let session = round.ledger.session("later", groups: 1, rows: 2)
        guard try round.writing(session).succeeded else { return }
        let outcome = try round.tool(["query", Home.database, Round.everyRow, "--csv"])
        guard outcome.succeeded else { return }
        judge(StoredRow.parse(csv: outcome.output), allowed.map { $0 + session.groups[0] }, "after a write query")
    }

    private func silent(_ words: String) {
        round.tally.add(.silent, "\(flip): \(words)")
    }
}
