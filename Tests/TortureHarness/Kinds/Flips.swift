import Foundation

/// Bytes of the database, its WAL or its key file that are not as they were written.
struct Flips: Kind {
    static let name = "flips"
    static let summary = "a byte, a bit or a page of the database, the WAL or the key file changes"
    static let plantedCategory = Problem.Category.silent

    func run(_ round: Round) throws {
        switch round.random.number(1...5) {
        case _ where round.isPlanting: try flipDatabase(round)
        case 1, 2: try flipDatabase(round)
        case 3, 4: try flipLog(round)
        default: try flipKeyFile(round)
        }
    }

    // MARK: The database

    private func flipDatabase(_ round: Round) throws {
        let page = try pageBytes(round)
        let flip = try Flip(of: round.home.database, pageBytes: page, &round.random)
        let inPage = flip.offset % page
        let isChecked = flip.length > 1 || inPage < page - round.settings.uncheckedBytesOfAPage
        if round.isPlanting { try plantAnotherRow(round) } else { try flip.apply() }
        let reading = FlipReading(round, "\(flip)")
        try reading.readAll(allowing: [round.ledger.acknowledgedTokens])
        if isChecked, !round.isPlanting {
            try reading.requireNamed(by: "verify")
            try reading.requireNamed(by: "doctor")
        }
        try reading.write(allowing: [round.ledger.acknowledgedTokens])
    }

    private func pageBytes(_ round: Round) throws -> Int {
        let shell = try round.engineShell()
        defer { shell.close() }
        let answer = shell.run("SELECT count(*) FROM sqlite_master; PRAGMA page_size") ?? ""
        guard let size = answer.split(separator: "\n").compactMap({ Int($0) }).last, size >= 512 else {
            throw Fixture.Failure(description: "the engine's shell does not tell the page size: \(answer)")
        }
        return size
    }

    /// Another value in place of one that was written, which is what damage without an error would be.
    private func plantAnotherRow(_ round: Round) throws {
        let token = round.random.pick(round.ledger.acknowledgedTokens)
        let shell = try round.engineShell()
        shell.run("UPDATE contact SET email = 'other' WHERE name = '\(token)'")
        shell.close()
        round.planted = token
    }

    // MARK: The WAL

    private func flipLog(_ round: Round) throws {
        let session = round.ledger.session("log", groups: round.random.number(3...12), rows: round.random.number(1...9))
        try leaveALog(of: session, round)
        let path = round.home.database + "-wal"
        let bytes = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
        let log = WriteAheadLog(bytes)
        guard log.commits.count >= session.groups.count, let end = log.commits.last?.upperBound else {
            throw Fixture.Failure(
                description: "\(log.commits.count) commits in the WAL of \(session.groups.count) transactions")
        }
        let flip = try Flip(of: path, before: end, &round.random)
        try flip.apply()
        let all = round.ledger.acknowledgedTokens
        var allowed = [all]
        if log.isInTheLastCommit(flip.offset) { allowed.append(all.dropLast(session.groups[0].count)) }
        let reading = FlipReading(round, "\(flip) of \(log.commits.count) commits")
        try reading.readAll(allowing: allowed)
        if log.isBeforeTheLastCommit(flip.offset) {
            try reading.requireNamed(by: "verify")
            try reading.requireNamed(by: "doctor")
        }
        try reading.write(allowing: allowed)
        if reading.sawATornEnd { round.tally.tornEnds += 1 }
    }

    /// Writes, and kills the writer before it can checkpoint.
    private func leaveALog(of session: WriterSession, _ round: Round) throws {
        let child = try round.start(["shell", Home.database, "--write"], input: .pipe)
        child.send(session.script)
        child.wait(seconds: Settings.patience) {
            Round.acknowledgements(in: child.errors) == session.groups.count
        }
        child.send(signal: SIGKILL)
        let outcome = child.finish(limit: 30)
        round.tally.kills += 1
        round.note(shell: child, outcome, session)
        round.tally.acknowledgedRows += session.acknowledgedRows
    }

    // MARK: The key file

    private func flipKeyFile(_ round: Round) throws {
        let path = round.home.keyFile
        let whole = FileManager.default.contents(atPath: path)
        let flip = try Flip(of: path, before: Int.max, &round.random)
        try flip.apply()
        let reading = FlipReading(round, "\(flip)")
        try reading.readAll(allowing: [round.ledger.acknowledgedTokens])
        let session = round.ledger.session("flipped", groups: 1, rows: 3)
        let written = try round.writing(session)
        try whole?.write(to: URL(filePath: path))
        if written.succeeded { round.tally.acknowledgedRows += 3 }
        try round.checkEverything()
    }
}

/// A change of one byte, one bit, or one page to zeros.
struct Flip: CustomStringConvertible {
    let path: String
    let offset: Int
    private let bytes: [UInt8]
    private let form: String

    var length: Int { bytes.count }

    /// A change anywhere in a file of pages; a page of zeros one time in six.
    init(of path: String, pageBytes: Int, _ random: inout RandomSource) throws {
        let size = try Self.size(of: path)
        guard random.oneIn(6), size > pageBytes else {
            try self.init(of: path, before: size, &random)
            return
        }
        let offset = random.number(1...size / pageBytes - 1) * pageBytes
        self.init(path, offset, Array(repeating: 0, count: pageBytes), "a page of zeros")
    }

    private init(_ path: String, _ offset: Int, _ bytes: [UInt8], _ form: String) {
        self.path = path
        self.offset = offset
        self.bytes = bytes
        self.form = form
    }

    /// A change of one byte before an offset.
    init(of path: String, before end: Int, _ random: inout RandomSource) throws {
        let size = min(end, try Self.size(of: path))
        guard size > 0, let file = FileHandle(forReadingAtPath: path) else {
            throw Fixture.Failure(description: "nothing to flip in \(path)")
        }
        let offset = random.number(0...size - 1)
        try file.seek(toOffset: UInt64(offset))
        let old = try file.read(upToCount: 1)?.first ?? 0
        try file.close()
        let bit = UInt8(1) << UInt8(random.number(0...7))
        let isBit = random.oneIn(2)
        let new = isBit ? old ^ bit : old &+ UInt8(random.number(1...255))
        self.init(path, offset, [new], isBit ? "a bit" : "a byte")
    }

    private static func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    func apply() throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    var description: String {
        "\(form) at \(offset) of \(path[(path.lastIndex(of: "/") ?? path.startIndex)...].dropFirst())"
    }
}

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
