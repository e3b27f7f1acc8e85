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
