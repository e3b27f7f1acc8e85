import Foundation

/// Two users without rights, of whom one owns the database, in a directory that both can write.
struct TwoUsers: Kind {
    static let name = "users"
    static let summary = "another user leaves lock files, key files and links, and visits; the owner works on"
    static let plantedCategory = Problem.Category.wrong

    static var obstacle: String? {
        UserSwitch.isPossible ? nil : "it needs root, and setpriv, to become two other users"
    }

    private static let scenes = ["lock", "visit", "links", "links", "key file", "race"]

    func run(_ round: Round) throws {
        let scene = round.isPlanting ? "links" : round.random.pick(Self.scenes)
        let shared = try SharedDirectory(round)
        switch scene {
        case "lock": try lock(shared, round)
        case "visit": try visit(shared, round)
        case "links": try links(shared, round)
        case "key file": try keyFile(shared, round)
        default: try race(shared, round)
        }
        try round.checkEverything()
        round.label(scene)
    }

    /// The other user made the lock file first, for himself alone.
    private func lock(_ shared: SharedDirectory, _ round: Round) throws {
        let path = "\(round.home.data)/.\(Home.database).lock"
        unlink(path)
        try shared.asStranger("umask 077; : > '\(path)'", round)
        try ownerWorks(round)
    }

    private func ownerWorks(_ round: Round) throws {
        let session = round.ledger.session("owner", groups: 1, rows: 2)
        try require(round.writing(session), "to write", round)
        try require(round.tool(["query", Home.database, Round.everyRow, "--csv"]), "to read", round)
        if round.random.oneIn(2) {
            try round.tool(["keys", "append", round.home.keyFile])
            try require(round.tool(["rotate", Home.database, "--in-use"]), "to rotate", round)
        }
    }

    private func require(_ outcome: Outcome, _ words: String, _ round: Round) throws {
        if !outcome.succeeded { round.tally.add(.wrong, "the owner is not able \(words): \(outcome.summary)") }
    }

    /// The other user tries the tool; nothing that it leaves keeps the owner out.
    private func visit(_ shared: SharedDirectory, _ round: Round) throws {
        let prefix = UserSwitch.prefix(UserSwitch.stranger)
        let own = "\(round.home.data)/stranger.keys"
        try round.tool(["keys", "make", own], prefix: prefix)
        let commands = [
            ["query", Home.database, Round.everyRow, "--csv", "--key-file", own],
            ["query", Home.database, "DELETE FROM contact", "--write", "--key-file", own],
            ["verify", Home.database, "--key-file", own], ["rotate", Home.database, "--in-use", "--key-file", own],
            ["status", Home.database, "--key-file", own],
            ["restore", round.home.backup, Home.database, "--force", "--key-file", own],
        ]
        for _ in 0..<3 {
            let arguments = round.random.pick(commands)
            let outcome = try round.tool(arguments, prefix: prefix)
            if outcome.succeeded, arguments[0] != "status" {
                round.tally.add(.wrong, "another user was let in: \(outcome.summary)")
            }
        }
        try ownerWorks(round)
    }

    /// Links of the other user lead to a file of the owner.
    private func links(_ shared: SharedDirectory, _ round: Round) throws {
        let precious = try shared.precious()
        for _ in 0..<3 {
            let place = "\(round.home.data)/" + round.random.pick(Companions.names)
            try shared.asStranger("ln -sfn '\(precious.path)' '\(place)'", round)
        }
        let session = round.ledger.session("linked", groups: 1, rows: 2)
        switch round.random.number(1...4) {
        case 1: try round.writing(session)
        case 2: try round.tool(["verify", Home.database])
        case 3: try round.tool(["backup", Home.database, "\(round.home.data)/copy.sqlite"])
        default:
            try round.tool(["keys", "append", round.home.keyFile])
            try round.tool(["rotate", Home.database, "--in-use"])
        }
        if round.isPlanting {
            try Data("x".utf8).write(to: URL(filePath: precious.path))
            round.planted = "the owner's file"
        }
        if FileManager.default.contents(atPath: precious.path) != precious.content {
            round.tally.add(.wrong, "the owner's file was changed through another user's link")
        }
        try shared.removeLinks(to: precious.path)
    }

    /// Keys of which the other user knows every bit.
    private func keyFile(_ shared: SharedDirectory, _ round: Round) throws {
        let path = "\(round.home.data)/theirs.keys"
        try FileManager.default.copyItem(atPath: round.home.keyFile, toPath: path)
        guard chown(path, UserSwitch.stranger, UserSwitch.stranger) == 0 else { return }
        // Root can read it in spite of its mode, and has to be told.
        let arguments = ["query", Home.database, Round.everyRow, "--csv", "--key-file", path]
        let outcome = try round.tool(arguments, prefix: ["/usr/bin/env"])
        if outcome.succeeded { round.tally.add(.wrong, "a key file of another owner was taken") }
    }

    /// The other user puts links in the place of what the owner makes, as fast as a shell can.
    private func race(_ shared: SharedDirectory, _ round: Round) throws {
        let collected = "\(round.home.data)/collected"
        try shared.asStranger(": > '\(collected)'; chmod 666 '\(collected)'", round)
        let script = """
            cd '\(round.home.data)' || exit
            while :; do
                for file in *.new .*.new copy.sqlite *.csv *-part owner.keys; do
                    [ -f "$file" ] && [ ! -h "$file" ] && rm -f "$file" && ln -s collected "$file"
                done
            done
            """
        let racer = try ChildProcess(
            UserSwitch.prefix(UserSwitch.stranger) + ["/bin/sh", "-c", script], environment: round.home.environment,
            input: .nothing, prints: "\(round.home.scratch)/racer")
        for _ in 0..<6 {
            let work = round.random.pick([
                ["keys", "make", "\(round.home.data)/owner.keys"],
                ["keys", "append", "\(round.home.data)/owner.keys"],
                ["backup", Home.database, "\(round.home.data)/copy.sqlite", "--force"],
                ["export", Home.database, "contact", "-o", "\(round.home.data)/rows.csv", "--force"],
            ])
            try round.tool(work)
        }
        racer.send(signal: SIGKILL)
        racer.wait(seconds: 30)
        let bytes = FileManager.default.contents(atPath: collected) ?? Data()
        let isPlain = ["raw:", StoredRow(token: "seed.0.0").payload].contains { bytes.range(of: Data($0.utf8)) != nil }
        if !bytes.isEmpty {
            let words = isPlain ? "with keys or rows in the clear" : "encrypted"
            round.tally.add(
                .wrong, "\(bytes.count) bytes of the owner's, \(words), went through another user's link")
        }
        try shared.removeLinks(to: "collected")
    }
}

/// The round's data, owned by one user, in a directory that another can write, too.
struct SharedDirectory {
    private let home: Home

    init(_ round: Round) throws {
        home = round.home
        round.toolPath = try StagedTool.path(round)
        round.prefix = UserSwitch.prefix(UserSwitch.owner)
        guard let paths = FileManager.default.enumerator(atPath: home.path) else { return }
        for case let path as String in paths {
            guard lchown("\(home.path)/\(path)", UserSwitch.owner, UserSwitch.owner) == 0 else {
                throw Fixture.Failure(description: "no owner can be given to \(path)")
            }
        }
        chmod(home.path, 0o755)
        chmod(home.data, round.random.oneIn(2) ? 0o777 : 0o1777)
    }

    func asStranger(_ script: String, _ round: Round) throws {
        _ = try round.program(UserSwitch.prefix(UserSwitch.stranger) + ["/bin/sh", "-c", script])
    }

    /// A file that only its owner can change.
    func precious() throws -> (path: String, content: Data) {
        let path = "\(home.path)/precious"
        let content = Data(String(repeating: "what must stay as it is\n", count: 500).utf8)
        try content.write(to: URL(filePath: path))
        chmod(path, 0o600)
        guard chown(path, UserSwitch.owner, UserSwitch.owner) == 0 else {
            throw Fixture.Failure(description: "no owner can be given to \(path)")
        }
        return (path, content)
    }

    func removeLinks(to target: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: home.data) {
            let path = "\(home.data)/\(name)"
            let found = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            if found == target { unlink(path) }
        }
    }
}

/// Something that does not belong where it lies, and the file that it may lead to.
struct Obstacle {
    private static let forms = [
        "a link", "a link", "a link to nothing", "a FIFO", "a FIFO", "a link to a FIFO", "a directory",
        "a directory with a file", "a socket", "a link to /dev/null", "a link to /dev/full", "a loop of links",
        "an empty file", "a file of other bytes",
    ]

    let form: String
    private let path: String
    /// A file of somebody that nothing may touch.
    private let victim: String
    private let nowhere: String
    private let fifo: String
    private let content: Data

    init(at path: String, in round: Round) throws {
        form = round.isPlanting ? "a link" : round.random.pick(Self.forms)
        self.path = path
        victim = "\(round.home.path)/victim"
        nowhere = "\(round.home.path)/nowhere"
        fifo = "\(round.home.path)/fifo"
        content = Data((0..<70_000).map { _ in UInt8(round.random.number(0...255)) })
        try content.write(to: URL(filePath: victim))
        chmod(victim, 0o640)
        // A lock file lies there from before.
        unlink(path)
        try put(round)
    }

    private func put(_ round: Round) throws {
        let manager = FileManager.default
        switch form {
        case "a link": try manager.createSymbolicLink(atPath: path, withDestinationPath: victim)
        case "a link to nothing": try manager.createSymbolicLink(atPath: path, withDestinationPath: nowhere)
        case "a FIFO": mkfifo(path, 0o600)
        case "a link to a FIFO":
            mkfifo(fifo, 0o600)
            try manager.createSymbolicLink(atPath: path, withDestinationPath: fifo)
        case "a directory": try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "a directory with a file":
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
            try content.write(to: URL(filePath: "\(path)/file"))
        case "a socket": try bindSocket()
        case "a loop of links": try manager.createSymbolicLink(atPath: path, withDestinationPath: path)
        case "an empty file": try Data().write(to: URL(filePath: path))
        case "a file of other bytes": try content.prefix(round.random.number(1...70_000)).write(to: URL(filePath: path))
        default:
            let device = form.split(separator: " ").last.map(String.init) ?? "/dev/null"
            try manager.createSymbolicLink(atPath: path, withDestinationPath: device)
        }
    }

    /// The path is longer than `sun_path` takes, so the socket is made under a short one and moved.
    private func bindSocket() throws {
        let short = "/tmp/torture-\(getpid()).socket"
        unlink(short)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { throw Fixture.Failure(description: "no socket") }
        defer { close(descriptor) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard code == 0 else { throw Fixture.Failure(description: "no socket at \(short)") }
        if rename(short, path) == 0 { return }
        // Another file system: no socket there.
        unlink(short)
        mkfifo(path, 0o600)
    }

    /// What was changed that is none of the database's; nil when nothing was.
    func touched() -> String? {
        var status = stat()
        guard stat(victim, &status) == 0 else { return "the victim's name" }
        if FileManager.default.contents(atPath: victim) != content { return "the victim's content" }
        if status.st_mode & 0o7777 != 0o640 { return "the victim's mode" }
        if access(nowhere, F_OK) == 0 { return "the name that a link points to" }
        return nil
    }

    /// Changes the victim, as a program that follows a link does.
    func plantTouch() throws -> String {
        let file = try FileHandle(forWritingTo: URL(filePath: victim))
        try file.write(contentsOf: [0])
        try file.truncate(atOffset: 1)
        try file.close()
        return "victim's content"
    }

    /// Takes it away, if it is still what was put there.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        if isFile, !form.hasSuffix("file"), !form.hasSuffix("bytes") { return }
        if isFile, form.hasSuffix("bytes") || form.hasSuffix("file") {
            // Perhaps it was put to use: only what is as it was goes away.
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            guard bytes == content.prefix(bytes.count) else { return }
        }
        try? FileManager.default.removeItem(atPath: path)
    }
}
