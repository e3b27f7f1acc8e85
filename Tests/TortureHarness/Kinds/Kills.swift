import Foundation

/// One of the two processes of ``Kills``, and what its end says of the rows.
struct KillRole {
    static let writers = ["shell", "shell", "statement", "import"]
    static let all =
        writers + [
            "rotate", "rotate", "migrate back", "migrate", "backup", "restore", "verify", "vacuum", "append", "engine",
        ]

    let name: String
    let child: ChildProcess
    /// What is known when it has ended.
    let settled: (Outcome, Round) throws -> Void

    static func start(_ name: String, in round: Round) throws -> KillRole {
        switch name {
        case "shell": try shell(round)
        case "statement": try statement(round)
        case "import": try importing(round)
        case "rotate": try rotation(round)
        case "migrate back": try plain(name, ["migrate", Home.database, "--to", "2"], round)
        case "migrate": try migration(round)
        case "backup": try backup(round)
        case "restore": try restore(round)
        case "verify": try plain(name, ["verify", Home.database], round)
        case "append": try plain(name, ["keys", "append", round.home.keyFile], round)
        default: try engine(name, round)
        }
    }

    private static func plain(_ name: String, _ arguments: [String], _ round: Round) throws -> KillRole {
        KillRole(name: name, child: try round.start(arguments)) { _, _ in }
    }

    private static func shell(_ round: Round) throws -> KillRole {
        let session = round.ledger.session("shell", groups: 400, rows: round.random.pick([1, 1, 7]))
        let script = try round.file(session.script, ending: "sql")
        let child = try round.start(["shell", Home.database, "--write"], input: .file(script))
        return KillRole(name: "shell", child: child) { outcome, round in
            round.note(shell: child, outcome, session)
        }
    }

    private static func statement(_ round: Round) throws -> KillRole {
        let rows = round.random.number(1...StoredRow.mostInAnArgument)
        let session = round.ledger.session("statement", groups: 1, rows: rows)
        let child = try round.start(["query", Home.database, StoredRow.insertion(session.groups[0]), "--write"])
        return KillRole(name: "statement", child: child) { outcome, round in round.note(outcome, session) }
    }

    private static func importing(_ round: Round) throws -> KillRole {
        let session = round.ledger.session("import", groups: 1, rows: round.random.number(1...600))
        let path = try round.file(StoredRow.csv(session.groups[0]), ending: "csv")
        let child = try round.start(["import", Home.database, "contact", path])
        return KillRole(name: "import", child: child) { outcome, round in round.note(outcome, session) }
    }

    private static func rotation(_ round: Round) throws -> KillRole {
        try round.tool(["keys", "append", round.home.keyFile])
        return try plain("rotate", ["rotate", Home.database, "--in-use"], round)
    }

    /// From an older version, since the file is at the newest one.
    private static func migration(_ round: Round) throws -> KillRole {
        try round.tool(["migrate", Home.database, "--to", "2"])
        return try plain("migrate", ["migrate", Home.database], round)
    }

    /// What is at the path afterwards is nothing, or a whole copy.
    private static func backup(_ round: Round) throws -> KillRole {
        let path = "\(round.home.path)/copy.sqlite"
        let child = try round.start(["backup", Home.database, path])
        return KillRole(name: "backup", child: child) { outcome, round in
            let isThere = FileManager.default.fileExists(atPath: path)
            if outcome.succeeded, !isThere { round.tally.add(.lost, "a backup that was told is not there") }
            guard isThere else { return }
            // Of the writers any prefix may be in it.
            switch try round.read(["--path", path]) {
            case .failure(let refused): round.tally.add(.lost, "the backup does not open: \(refused.outcome.summary)")
            case .success(let rows):
                let sound = Set(Fixture.seed().groups[0])
                let found = rows.map(\.token)
                if !sound.isSubset(of: found) || Set(found).count != found.count {
                    round.tally.add(.lost, "the backup has other rows than the database had")
                }
            }
        }
    }

    private static func restore(_ round: Round) throws -> KillRole {
        let child = try round.start(["restore", round.home.backup, Home.database, "--force"])
        return KillRole(name: "restore", child: child) { outcome, round in
            guard outcome.succeeded || child.wasKilled || outcome.isHung else { return }
            round.ledger.restoreMayHaveHappened(butNot: round.ledger.sessions[0])
        }
    }

    /// The engine's own shell, which does not know that there is a library.
    private static func engine(_ name: String, _ round: Round) throws -> KillRole {
        let shell = try round.engineShell()
        let sql = name == "vacuum" ? "VACUUM" : "SELECT count(*) FROM contact; PRAGMA wal_checkpoint(PASSIVE)"
        shell.child.send("\(sql);\n")
        shell.child.closeInput()
        return KillRole(name: name, child: shell.child) { _, _ in }
    }
}

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
