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
