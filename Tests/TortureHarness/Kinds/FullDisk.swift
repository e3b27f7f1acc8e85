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

/// A file system of a few megabytes, mounted at a round's data; or, without the rights for it, a limit on the size of
/// files.
final class SmallDisk {
    private static let programs = (mount: "/usr/bin/mount", unmount: "/usr/bin/umount")

    #if os(Linux)
    /// Root can mount, but not in every container: asked once.
    static let canMount: Bool = {
        let directory = NSTemporaryDirectory() + "/torture-mount-\(getpid())"
        guard geteuid() == 0, mkdir(directory, 0o700) == 0 else { return false }
        defer { rmdir(directory) }
        guard run([programs.mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory], directory + ".log") else {
            return false
        }
        return run([programs.unmount, directory], directory + ".log")
    }()
    #else
    static let canMount = false
    #endif

    private static func run(_ arguments: [String], _ prints: String) -> Bool {
        defer { for ending in [".out", ".err"] { unlink(prints + ending) } }
        let child = try? ChildProcess(
            arguments, environment: ProcessInfo.processInfo.environment, input: .nothing, prints: prints)
        return child?.finish(limit: 30).succeeded == true
    }

    private let home: Home
    private var isMounted = false
    private var filler: String { "\(home.data)/filler" }
    /// What stands before a command where a limit has to do.
    private(set) var prefix: [String] = []

    init(_ round: Round) throws {
        home = round.home
        guard Self.canMount else { return }
        let aside = "\(home.path)/aside"
        try FileManager.default.moveItem(atPath: home.data, toPath: aside)
        try FileManager.default.createDirectory(atPath: home.data, withIntermediateDirectories: false)
        let arguments = [Self.programs.mount, "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", home.data]
        guard Self.run(arguments, "\(home.scratch)/mount") else {
            throw Fixture.Failure(description: "no file system could be mounted at \(home.data)")
        }
        isMounted = true
        for name in try FileManager.default.contentsOfDirectory(atPath: aside) {
            try FileManager.default.copyItem(atPath: "\(aside)/\(name)", toPath: "\(home.data)/\(name)")
        }
    }

    /// Fills it but for a random rest.
    ///
    /// - Returns: The bytes that are left.
    func fill(_ random: inout RandomSource) throws -> Int {
        let rest = random.oneIn(3) ? random.number(0...8) * 4_096 : random.number(0...150) * 4_096
        guard isMounted else {
            let size = try FileManager.default.attributesOfItem(atPath: home.database)[.size] as? Int ?? 0
            // In units of 512 bytes. Without the trap the signal would end the tool; what is written then fails.
            let blocks = (size + rest) / 512
            prefix = ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" \"$@\""]
            return rest
        }
        var space = statvfs()
        guard statvfs(home.data, &space) == 0 else { return 0 }
        let free = Int(space.f_bavail) * Int(space.f_frsize)
        try Data(count: max(0, free - rest)).write(to: URL(filePath: filler))
        return rest
    }

    /// There is space again.
    func relieve() {
        unlink(filler)
        prefix = []
    }

    func remove() {
        guard isMounted else { return }
        isMounted = false
        if !Self.run([Self.programs.unmount, home.data], "\(home.scratch)/unmount") {
            _ = Self.run([Self.programs.unmount, "-l", home.data], "\(home.scratch)/unmount")
        }
    }
}

/// Where the commits of a `-wal` file lie. Its frames' headers are not encrypted.
struct WriteAheadLog {
    static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// The byte ranges of the commits that count, first to last.
    private(set) var commits: [Range<Int>] = []

    /// - Parameter bytes: The whole file.
    init(_ bytes: [UInt8]) {
        guard bytes.count > Self.headerBytes else { return }
        func word(_ offset: Int) -> UInt32 {
            bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let frame = Self.frameHeaderBytes + Int(word(8))
        var start = Self.headerBytes
        var offset = start
        while offset + frame <= bytes.count {
            // Frames of an older run have other salts.
            guard word(offset + 8) == word(16), word(offset + 12) == word(20) else { break }
            offset += frame
            if word(offset - frame + 4) != 0 {
                commits.append(start..<offset)
                start = offset
            }
        }
    }

    /// Whether a byte belongs to the header or to a commit before the last.
    func isBeforeTheLastCommit(_ offset: Int) -> Bool { offset < (commits.last?.lowerBound ?? 0) }

    func isInTheLastCommit(_ offset: Int) -> Bool { commits.last?.contains(offset) == true }
}

/// A kind of torture.
protocol Kind {
    /// What `--only` calls it.
    static var name: String { get }
    /// One line on what it does.
    static var summary: String { get }
    /// What the damage that a round plants is to be found as.
    static var plantedCategory: Problem.Category { get }
    /// Why it cannot run here; nil where it can. What can only be done in a lesser form is told by ``note``.
    static var obstacle: String? { get }
    /// What is to be known of it here.
    static var note: String? { get }

    init()

    /// One round on a fresh copy of the database.
    func run(_ round: Round) throws
}

extension Kind {
    static var obstacle: String? { nil }
    static var note: String? { nil }
}

/// All kinds.
enum Kinds {
    static var all: [any Kind.Type] {
        [Kills.self, Flips.self, ForeignClients.self, TwoUsers.self, Companions.self, FullDisk.self]
    }

    static func named(_ name: String) -> (any Kind.Type)? { all.first { $0.name == name } }
}
