import Foundation

/// Programs that do not know the library, in the windows of what the tool does.
struct ForeignClients: Kind {
    static let name = "foreign"
    static let summary = "the engine's shell writes and checkpoints before, while and after the tool rotates …"
    static let plantedCategory = Problem.Category.lost

    /// What the tool does meanwhile.
    private static let works = ["rotate", "rotate", "backup", "restore", "migrate", "close", "import", "verify"]

    func run(_ round: Round) throws {
        let work = round.random.pick(Self.works)
        let key = try round.home.engineKey()
        if round.random.oneIn(2) {
            try round.tool(["migrate", Home.database, "--to", work == "migrate" ? "2" : "3"])
        }
        var visitors: [ForeignVisitor] = []
        if round.random.oneIn(2) { visitors.append(try ForeignVisitor(round, key, "early")) }
        for visitor in visitors { visitor.act(round) }
        try meanwhile(work, round) {
            let late = try ForeignVisitor(round, key, "late")
            visitors.append(late)
            for visitor in visitors where round.random.oneIn(2) { visitor.act(round) }
        } releasing: {
            if !round.random.oneIn(8) { for visitor in visitors { visitor.endSnapshot() } }
        }
        for visitor in visitors { visitor.beginSession(round) }
        try afterwards(visitors, round)
        round.label(work)
    }

    /// Does the work, stopped at a random instant while the visitors act.
    private func meanwhile(
        _ work: String, _ round: Round, _ visit: () throws -> Void, releasing release: () -> Void
    ) throws {
        let session = round.ledger.session("tool", groups: work == "close" ? 60 : 1, rows: 3)
        let child = try start(work, session, round)
        usleep(UInt32(round.random.delay(upTo: 0.3) * 1e6))
        let isStopped = !round.random.oneIn(4)
        if isStopped { child.send(signal: SIGSTOP) }
        try visit()
        if isStopped { child.send(signal: SIGCONT) }
        // What holds a snapshot is waited for; a round is to take seconds.
        if !child.wait(seconds: 2) { release() }
        let outcome = round.settle(child)
        switch work {
        case "close": round.note(shell: child, outcome, session)
        case "import": round.note(outcome, session)
        case "restore" where outcome.succeeded:
            round.ledger.restoreMayHaveHappened(butNot: round.ledger.sessions[0])
        default: break
        }
    }

    private func start(_ work: String, _ session: WriterSession, _ round: Round) throws -> ChildProcess {
        switch work {
        case "rotate":
            try round.tool(["keys", "append", round.home.keyFile])
            return try round.start(["rotate", Home.database, "--in-use"])
        case "backup": return try round.start(["backup", Home.database, "\(round.home.path)/copy.sqlite"])
        case "restore": return try round.start(["restore", round.home.backup, Home.database, "--force"])
        case "close":
            let script = try round.file(session.script, ending: "sql")
            return try round.start(["shell", Home.database, "--write"], input: .file(script))
        case "import":
            let path = try round.file(StoredRow.csv(session.groups[0]), ending: "csv")
            return try round.start(["import", Home.database, "contact", path])
        default: return try round.start([work, Home.database])
        }
    }

    /// The tool writes on, beside those who are still there; then they act once more and go.
    private func afterwards(_ visitors: [ForeignVisitor], _ round: Round) throws {
        let writer = round.ledger.session("beside", groups: 20, rows: 2)
        let child = try round.start(["shell", Home.database, "--write"], input: .pipe)
        child.send(writer.script)
        child.wait(seconds: 20) { Round.acknowledgements(in: child.errors) > 2 }
        for visitor in visitors { visitor.act(round) }
        if round.random.oneIn(2) { for visitor in visitors { visitor.leave() } }
        child.wait(seconds: 20) { Round.acknowledgements(in: child.errors) == writer.groups.count }
        for visitor in visitors { visitor.act(round) }
        round.note(shell: child, round.settle(child), writer)
        for visitor in visitors { visitor.leave() }
        try round.plantALoss()
        try round.checkEverything()
    }
}
