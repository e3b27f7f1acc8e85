import ArgumentParser
import Foundation

/// Drives the `strongroom` tool and the engine's own shell from outside, and compares what is there with what was
/// acknowledged.
@main
struct TortureHarness: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kills, damages and disturbs the strongroom tool, and looks for lost and wrong rows.",
        discussion: """
            KINDS
            \(Kinds.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

            The exit code is 0 when nothing was lost, wrong, silent or hung, otherwise 1. A round is repeated by its \
            number, its kind and the seed; processes are not, so a race may need several tries. SIGINT and SIGTERM end \
            the run after the round that is under way, with the table of those before; the exit code is then 130 or 143.
            """)

    @Option(help: "How long to go on.")
    var minutes = 2.0
    @Option(help: "What all random choices follow from (default: another one each time).")
    var seed: UInt64?
    @Option(help: ArgumentHelp("Only this kind; may be given several times.", valueName: "kind"))
    var only: [String] = []
    @Option(help: "Only the round of this number.")
    var round: Int?
    @Option(help: "The strongroom tool (default: beside this program).")
    var tool: String?
    @Option(help: "The engine's shell (default: sqlcipher on the PATH).")
    var shell: String?
    @Option(help: "Where the rounds' directories are made (default: a new one among the temporary files).")
    var directory: String?
    @Flag(inversion: .prefixedNo, help: "Keep the directories of rounds that failed.")
    var keepFailures = true
    @Flag(help: "Plant a damage in one round of each kind, and expect it to be found.")
    var prove = false

    func validate() throws {
        for name in only where Kinds.named(name) == nil {
            let names = Kinds.all.map { $0.name }.joined(separator: ", ")
            throw ValidationError("There is no kind \(name); there are \(names).")
        }
        guard minutes > 0 else { throw ValidationError("--minutes takes a number above 0.") }
        guard round == nil || (seed != nil && only.count == 1) else {
            throw ValidationError("--round goes with --seed and one --only.")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        Interruption.heed()
        var settings = Settings(
            tool: try tool ?? beside(), shell: try shell ?? onThePath("sqlcipher"), directory: try place())
        settings.keepsFailures = keepFailures
        try settings.findCipherVersion()
        let seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        say("SQLCipher \(settings.cipherVersion), seed \(seed), in \(settings.directory)")
        let kinds = Kinds.all.filter { only.isEmpty || only.contains($0.name) }
        let run = TortureRun(settings, seed: seed, fixture: try Fixture(settings))
        let isClean: Bool
        if prove {
            isClean = run.prove(kinds)
        } else if let round {
            isClean = run.repeat(kinds[0], round)
        } else {
            isClean = run.torture(kinds, minutes: minutes)
        }
        if isClean { try? FileManager.default.removeItem(atPath: settings.directory) }
        if isClean, let code = Interruption.exitCode { throw ExitCode(code) }
        guard isClean else { throw ExitCode(1) }
    }

    private func beside() throws -> String {
        let own = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let path = own.deletingLastPathComponent().appending(path: "strongroom").path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ValidationError("There is no tool at \(path): give --tool.")
        }
        return path
    }

    private func onThePath(_ name: String) throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let found = path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { throw ValidationError("There is no \(name) on the PATH: give --shell.") }
        return found
    }

    /// Others may enter it: one kind works as other users.
    private func place() throws -> String {
        let base = directory ?? FileManager.default.temporaryDirectory.path(percentEncoded: false)
        let path = "\(base.hasSuffix("/") ? String(base.dropLast()) : base)/torture-\(getpid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o755)
        return path
    }
}
