import Foundation

/// One round: a database, what was written to it, and what was found.
final class Round {
    let settings: Settings
    let home: Home
    var random: RandomSource
    var ledger = Ledger()
    var tally = Tally()
    /// Whether the round is to do a damage of its own, which its checks have to find.
    let isPlanting: Bool
    /// A word that the problem names which the planted damage is to bring.
    var planted: String?
    /// The tool's path, and what stands before it: it may run as another user.
    var toolPath: String
    var prefix: [String] = []
    /// The variables of every process.
    var environment: [String: String]
    private var children = 0

    init(_ settings: Settings, _ home: Home, _ random: RandomSource, planting: Bool) {
        self.settings = settings
        self.home = home
        self.random = random
        isPlanting = planting
        toolPath = settings.tool
        environment = home.environment
        ledger.add(Fixture.seed())
    }

    /// A path for what the next process prints.
    private func nextPrints() -> String {
        children += 1
        return "\(home.scratch)/\(children)"
    }

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - arguments: The command and its arguments.
    ///   - input: Its standard input.
    ///   - prefix: A program that starts it; nil for the round's.
    func start(
        _ arguments: [String], input: ChildProcess.Input = .nothing, prefix: [String]? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            (prefix ?? self.prefix) + [toolPath] + arguments, environment: environment, input: input,
            prints: nextPrints())
    }

    /// Runs the tool to its end.
    @discardableResult
    func tool(
        _ arguments: [String], prefix: [String]? = nil, limit: Double = Settings.patience
    ) throws -> Outcome {
        settle(try start(arguments, prefix: prefix), limit: limit)
    }

    /// Waits for a tool that was started, and looks at the way in which it ended.
    @discardableResult
    func settle(_ child: ChildProcess, limit: Double = Settings.patience) -> Outcome {
        let wasKilled = child.wasKilled
        let outcome = child.finish(limit: limit)
        if outcome.isHung {
            let words = outcome.endsBySIGTERM ? "until SIGTERM" : "past a SIGTERM"
            tally.add(.hung, "\(words): \(outcome.summary)")
        } else if !wasKilled {
            if let fault = outcome.faultOfItsEnding { tally.add(.wrong, "\(fault): \(outcome.summary)") }
        }
        return outcome
    }

    /// Another engine's program at the database.
    func engineShell(path: String? = nil, key: String? = nil) throws -> EngineShell {
        try EngineShell(
            settings, path: path ?? home.database, key: key ?? home.engineKey(), prints: nextPrints())
    }

    /// Runs any program to its end.
    func program(_ arguments: [String]) throws -> Outcome {
        try ChildProcess(arguments, environment: environment, input: .nothing, prints: nextPrints())
            .finish(limit: 60)
    }

    /// A file with some text, for a command to read.
    func file(_ text: String, ending: String) throws -> String {
        children += 1
        let path = "\(home.scratch)/input\(children).\(ending)"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }
}

extension Outcome {
    private static let documented: Set<Int32> = [0, 1, 64, 65, 66, 69, 73, 74, 75, 77, 78, 130]

    /// What is wrong with how a tool ended by itself: nil for an exit code that the guide has, with a message.
    fileprivate var faultOfItsEnding: String? {
        guard let status else { return "it crashed" }
        guard Self.documented.contains(status) else { return "an exit code that nothing should have" }
        return status != 0 && errors.isEmpty && output.isEmpty ? "an error without a message" : nil
    }
}
