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

/// A program of another kind at the database, with the key that the database had when it came.
final class ForeignVisitor {
    private let shell: EngineShell
    private let name: String
    private var session: WriterSession
    private var holdsSnapshot = false
    private var isThere = true

    init(_ round: Round, _ key: String, _ name: String) throws {
        shell = try round.engineShell(key: key)
        self.name = name
        session = round.ledger.session(name, groups: 20, rows: 2)
    }

    /// What it writes from here on is told apart from what it wrote before.
    func beginSession(_ round: Round) {
        session = round.ledger.session(name, groups: 20, rows: 2)
    }

    func endSnapshot() {
        if holdsSnapshot { shell.run("COMMIT") }
        holdsSnapshot = false
    }

    /// Does something that such a program does.
    func act(_ round: Round) {
        guard isThere else { return }
        for _ in 0..<round.random.number(1...3) {
            switch round.random.number(1...6) {
            case 1, 2: write()
            case 3: shell.run("PRAGMA wal_checkpoint(TRUNCATE)")
            case 4: shell.run("PRAGMA wal_checkpoint(PASSIVE)")
            case 5 where !holdsSnapshot:
                holdsSnapshot = shell.run("BEGIN; SELECT 'rows ' || count(*) FROM contact")?.contains("rows ") == true
                // Otherwise what it writes next would only seem to be there: BEGIN succeeds where the reading is
                // refused.
                if !holdsSnapshot { shell.run("ROLLBACK") }
            default: endSnapshot()
            }
        }
    }

    /// Inserts rows; in a transaction that is open nothing would be acknowledged.
    private func write() {
        endSnapshot()
        guard session.acknowledged < session.groups.count, !session.mayHaveOneMore else { return }
        // What the shell does not say may have been done.
        if shell.write(session) == .unknown { session.mayHaveOneMore = true }
    }

    func leave() {
        guard isThere else { return }
        isThere = false
        shell.close()
    }
}

/// Links, FIFOs, directories, sockets and devices where the library's and the engine's files belong.
struct Companions: Kind {
    static let name = "companions"
    static let summary = "links, FIFOs, directories, sockets, devices in place of -wal, -journal, the lock …"
    static let plantedCategory = Problem.Category.wrong

    /// Seconds in which every command ends that nobody keeps waiting: a lock is waited for 30.
    private static let limit = 75.0

    private static let beside = ["-wal", "-journal", "-shm", ".keys", ".keys.copy"]
    private static let hidden = [
        "lock", "plaintext", "new", "rotating", "restoring", "fetched", "restored", "snapshot.new", "trial",
        "trial.lock", "keys.new", "keys.copy.new", "keys.next", "changes", "log.new", "salvaged",
    ]

    /// All that lies beside the database.
    static let names = beside.map { Home.database + $0 } + hidden.map { ".\(Home.database).\($0)" }

    private static let commands = [
        "query", "write", "verify", "doctor", "status", "rotate", "migrate", "migrate --dry-run", "backup", "restore",
        "export", "import", "append",
    ]

    func run(_ round: Round) throws {
        let command = round.random.pick(Self.commands)
        let place = pickPlace(for: command, round)
        let obstacle = try Obstacle(at: place, in: round)
        defer { obstacle.remove() }
        let session = round.ledger.session("row", groups: 1, rows: 2)
        let words = "\(command) with \(obstacle.form) as \(place.split(separator: "/").last ?? "")"
        let outcome = try run(command, session, round)
        if round.isPlanting { round.planted = try obstacle.plantTouch() }
        if let touched = obstacle.touched() {
            round.tally.add(.wrong, "\(touched) was changed, which a link points to: \(outcome.summary)")
        }
        // It goes on as well when nobody has cleared up; one that hangs is told of once.
        if !outcome.isHung {
            try round.tool(["query", Home.database, "SELECT count(*) FROM contact", "--csv"], limit: Self.limit)
        }
        if let touched = obstacle.touched(), !round.isPlanting {
            round.tally.add(.wrong, "\(touched) was changed by a reading after it")
        }
        obstacle.remove()
        try round.checkEverything()
        round.label(words)
    }

    private func pickPlace(for command: String, _ round: Round) -> String {
        var places = Self.names.map { "\(round.home.data)/\($0)" }
        switch command {
        case "backup":
            places += (1...4).map { _ in "\(round.home.path)/.copy.sqlite.new" }
            places += ["-wal", "-journal", ""].map { "\(round.home.path)/copy.sqlite\($0)" }
        case "export":
            places += (1...4).map { _ in "\(round.home.path)/rows.csv.strongroom-part" }
            places += ["\(round.home.path)/rows.csv"]
        case "append":
            places += (1...9).map { _ in "\(round.home.configuration)/.addressbook.keys.new" }
            places += (1...9).map { _ in "\(round.home.configuration)/.addressbook.keys.lock" }
        case "restore": places += ["-wal", "-journal"].map { round.home.backup + $0 }
        default: break
        }
        return round.random.pick(places)
    }

    private func run(_ command: String, _ session: WriterSession, _ round: Round) throws -> Outcome {
        let home = round.home
        func tool(_ arguments: String...) throws -> Outcome { try round.tool(arguments, limit: Self.limit) }
        switch command {
        case "query": return try tool("query", Home.database, Round.everyRow, "--csv")
        case "write": return try round.writing(session)
        case "import": return try round.importing(session)
        case "rotate":
            try round.tool(["keys", "append", home.keyFile])
            return try tool("rotate", Home.database, "--in-use")
        case "migrate":
            try round.tool(["migrate", Home.database, "--to", "3"], limit: Self.limit)
            return try tool("migrate", Home.database)
        case "migrate --dry-run": return try tool("migrate", Home.database, "--to", "3", "--dry-run")
        case "backup": return try tool("backup", Home.database, "\(home.path)/copy.sqlite", "--force")
        case "restore": return try tool("restore", home.backup, Home.database, "--force")
        case "export": return try tool("export", Home.database, "contact", "-o", "\(home.path)/rows.csv", "--force")
        case "append": return try tool("keys", "append", home.keyFile)
        default: return try tool(command, Home.database)
        }
    }
}
