import Foundation

/// The tool where every user can run it: a checkout may lie in a home that others cannot enter.
enum StagedTool {
    static func path(_ round: Round) throws -> String {
        let tool = round.settings.tool
        let stage = "\(round.settings.directory)/stage"
        let copy = "\(stage)/strongroom"
        if FileManager.default.fileExists(atPath: copy) {
            round.environment["LD_LIBRARY_PATH"] = stage
            let preloaded = preloaded(round).map { "\(stage)/\(name(of: $0))" }
            round.environment["LD_PRELOAD"] = preloaded.isEmpty ? nil : preloaded.joined(separator: ":")
            return copy
        }
        if try isUsable(tool, round) { return tool }
        try FileManager.default.createDirectory(atPath: stage, withIntermediateDirectories: true)
        let libraries = try round.program(["/usr/bin/ldd", tool]).output.split(separator: "\n")
            .compactMap { $0.split(separator: " ").first { $0.hasPrefix("/") && !$0.hasPrefix("/lib") } }
        for library in libraries.map(String.init) + preloaded(round) {
            try? FileManager.default.copyItem(atPath: resolved(library), toPath: "\(stage)/\(name(of: library))")
        }
        try FileManager.default.copyItem(atPath: resolved(tool), toPath: copy)
        return try path(round)
    }

    private static func preloaded(_ round: Round) -> [String] {
        (round.environment["LD_PRELOAD"] ?? "").split(whereSeparator: { " :".contains($0) }).map(String.init)
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    }

    /// Whether another user can run it, with the same engine.
    private static func isUsable(_ tool: String, _ round: Round) throws -> Bool {
        let own = try round.program([tool, "--version"])
        let other = try round.program(UserSwitch.prefix(UserSwitch.owner) + [tool, "--version"])
        // The loader tells on standard error of what it may not load.
        // Where it finds one of another version, it tells nothing.
        let libraries = try [[], UserSwitch.prefix(UserSwitch.owner)].map { prefix in
            try round.program(prefix + ["/usr/bin/ldd", tool]).output.replacing(#/ \(0x[0-9a-f]+\)/#, with: "")
        }
        return other.succeeded && other.output == own.output && other.errors == own.errors
            && libraries[0] == libraries[1]
    }
}

/// The engine's own shell at the database: a program that does not know the library.
final class EngineShell {
    /// What became of rows.
    enum Writing {
        case acknowledged, refused, unknown
    }

    let child: ChildProcess
    private var marks = 0

    /// - Parameters:
    ///   - settings: Where the shell lies.
    ///   - path: The database.
    ///   - key: Its key as `PRAGMA key` takes it.
    ///   - prints: The path of what it prints.
    init(_ settings: Settings, path: String, key: String, prints: String) throws {
        // Otherwise what it says would lie in its buffer.
        let unbuffered = ["/usr/bin/stdbuf", "-oL"]
        let prefix = FileManager.default.isExecutableFile(atPath: unbuffered[0]) ? unbuffered : []
        child = try ChildProcess(
            prefix + [settings.shell, "-batch", "-init", "/dev/null", path],
            environment: ProcessInfo.processInfo.environment, input: .pipe, prints: prints)
        child.send("PRAGMA key = \"\(key)\";\n.timeout 500\n")
    }

    /// Runs statements.
    ///
    /// - Returns: What was printed for them; nil when the shell has ended or does not answer.
    @discardableResult
    func run(_ sql: String, limit: Double = 30) -> String? {
        marks += 1
        let mark = "mark-\(marks)-"
        let before = child.output.utf8.count
        child.send("\(sql);\nSELECT '\(mark)' || 'end';\n")
        var answer: String?
        child.wait(seconds: limit) {
            let text = String(decoding: child.output.utf8.dropFirst(before), as: UTF8.self)
            guard let end = text.range(of: "\(mark)end") else { return false }
            answer = String(text[..<end.lowerBound])
            return true
        }
        return answer
    }

    /// Inserts the next group of a session and asks for it again.
    ///
    /// - Returns: Whether the shell has it now.
    func write(_ session: WriterSession) -> Writing {
        let group = session.groups[session.acknowledged]
        let list = group.map { "'\($0)'" }.joined(separator: ", ")
        let answer = run(
            "\(StoredRow.insertion(group));\nSELECT 'rows ' || count(*) FROM contact WHERE name IN (\(list))")
        guard let answer, answer.contains("rows ") else { return .unknown }
        guard answer.contains("rows \(group.count)") else { return .refused }
        session.acknowledged += 1
        return .acknowledged
    }

    /// Ends it as a person does.
    func close() {
        child.closeInput()
        if !child.wait(seconds: 30) { kill() }
    }

    func kill() {
        child.send(signal: SIGKILL)
        child.wait(seconds: 30)
    }
}

/// A directory with one database, its key file, and a backup of it.
struct Home {
    static let database = "addressbook_t.sqlite"

    let path: String

    var data: String { "\(path)/data/strongroom" }
    var database: String { "\(data)/\(Self.database)" }
    var configuration: String { "\(path)/config/strongroom" }
    var keyFile: String { "\(configuration)/addressbook.keys" }
    var backup: String { "\(path)/backup.sqlite" }
    var scratch: String { "\(path)/scratch" }

    /// The variables with which the tool finds all of it.
    var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging([
            "XDG_DATA_HOME": "\(path)/data", "XDG_CONFIG_HOME": "\(path)/config", "XDG_STATE_HOME": "\(path)/state",
            "NO_COLOR": "1",
        ]) { $1 }
    }

    /// The newest key, as the engine's shell takes it; the keys were made by the tool.
    func engineKey() throws -> String {
        let text = try String(contentsOfFile: keyFile, encoding: .utf8)
        let key = text.split(separator: "\n").last { $0.hasPrefix("raw:") }?.dropFirst(4) ?? ""
        return "x'\(key)'"
    }

    /// The keys, oldest first.
    func engineKeys() throws -> [String] {
        try String(contentsOfFile: keyFile, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("raw:") }.map { "x'\($0.dropFirst(4))'" }
    }

    func make() throws {
        for directory in [data, configuration, scratch] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
    }
}

/// What all rounds share.
struct Settings {
    /// The path of the `strongroom` tool.
    var tool: String
    /// The path of the engine's shell.
    var shell: String
    /// Where the rounds' directories lie.
    var directory: String
    var keepsFailures = true
    /// The engine's version as its shell tells it, such as `3.4.1`.
    var cipherVersion = ""

    /// Bytes at the end of a page that no authentication code covers.
    var uncheckedBytesOfAPage: Int { cipherVersion.hasPrefix("3.") ? 12 : 0 }

    /// Seconds after which a command that only waits for a lock has given up, on a busy machine, too.
    static let patience = 120.0

    /// Asks the engine's shell for its version, so that a wrong path is known before the first round.
    mutating func findCipherVersion() throws {
        let child = try ChildProcess(
            [shell, "-batch", "-init", "/dev/null", ":memory:", "PRAGMA cipher_version;"],
            environment: ProcessInfo.processInfo.environment, input: .nothing, prints: "\(directory)/version")
        let outcome = child.finish(limit: 30)
        let version = outcome.output.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        guard outcome.succeeded, version.first?.isNumber == true else {
            throw ChildProcess.CannotStart(description: "\(shell) is no shell of SQLCipher: \(outcome.summary)")
        }
        cipherVersion = version
    }
}
