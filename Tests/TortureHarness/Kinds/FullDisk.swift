import Foundation

/// A file system with next to no space.
struct FullDisk: Kind {
    static let name = "disk"
    static let summary = "a small file system is nearly full while the tool writes, rotates, copies, reads …"
    static let plantedCategory = Problem.Category.wrong

    static var note: String? {
        SmallDisk.canMount
            ? nil : "no file system can be mounted: a limit on the size of files (RLIMIT_FSIZE) stands in for it"
    }

    private static let works = [
        "write", "import", "import", "shell", "rotate", "backup", "migrate", "migrate back", "read", "read",
    ]

    func run(_ round: Round) throws {
        let work = round.isPlanting ? "import" : round.random.pick(Self.works)
        let disk = try SmallDisk(round)
        defer { disk.remove() }
        if work == "rotate" { try round.tool(["keys", "append", round.home.keyFile]) }
        if work == "migrate" { try round.tool(["migrate", Home.database, "--to", "3"]) }
        let free = round.isPlanting ? 0 : try disk.fill(&round.random)
        let most = work == "write" ? StoredRow.mostInAnArgument : 300
        let session = round.ledger.session(
            "full", groups: work == "shell" ? 80 : 1, rows: round.random.number(1...most))
        try run(work, session, disk, round)
        disk.relieve()
        if round.isPlanting { try plantAWrongAnswer(session, disk, round) }
        try round.checkEverything()
        let last = round.ledger.session("after", groups: 1, rows: 2)
        if try !round.writing(last).succeeded { round.tally.add(.wrong, "nothing can be written with space again") }
        round.label("\(work) with \(free / 1024) KiB free")
    }

    private func run(_ work: String, _ session: WriterSession, _ disk: SmallDisk, _ round: Round) throws {
        let prefix = disk.prefix
        switch work {
        case "write": try round.writing(session, prefix: prefix)
        case "import": try round.importing(session, prefix: prefix)
        case "shell":
            let script = try round.file(session.script, ending: "sql")
            let child = try round.start(
                ["shell", Home.database, "--write"], input: .file(script), prefix: prefix)
            round.note(shell: child, round.settle(child), session)
        case "rotate": try round.tool(["rotate", Home.database, "--in-use"], prefix: prefix)
        case "backup": try backup(disk, round)
        case "migrate": try round.tool(["migrate", Home.database], prefix: prefix)
        case "migrate back": try round.tool(["migrate", Home.database, "--to", "2"], prefix: prefix)
        default:
            // A limit on files says nothing of reading.
            guard prefix.isEmpty else { return }
            switch try round.read() {
            case .success(let rows): round.tally.problems += round.ledger.compare(rows, "reading")
            case .failure(let refused):
                round.tally.add(.wrong, "what is there cannot be read: \(refused.outcome.summary)")
            }
        }
    }

    /// One that is told is whole; one that failed leaves nothing under its name.
    private func backup(_ disk: SmallDisk, _ round: Round) throws {
        let path = "\(round.home.data)/copy.sqlite"
        let outcome = try round.tool(["backup", Home.database, path], prefix: disk.prefix)
        disk.relieve()
        if outcome.succeeded {
            try round.check(copy: path, against: round.ledger, "the backup")
        } else if FileManager.default.fileExists(atPath: path) {
            round.tally.add(.wrong, "a backup that failed lies there all the same: \(outcome.summary)")
        }
    }

    /// "Nothing was kept", and all was.
    private func plantAWrongAnswer(_ session: WriterSession, _ disk: SmallDisk, _ round: Round) throws {
        guard session.acknowledged == 1 else { return }
        session.acknowledged = 0
        round.planted = session.groups[0][0]
    }
}
