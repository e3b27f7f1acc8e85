import Foundation

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
        "trial.lock", "keys.new", "keys.copy.new", "keys.next", "changes",
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
