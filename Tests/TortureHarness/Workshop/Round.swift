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

extension Round {
    /// A reading that the tool refused.
    struct Refused: Error {
        let outcome: Outcome
    }

    static let everyRow = "SELECT name, email FROM contact ORDER BY id"

    /// All rows, as the tool reads them.
    func read(_ arguments: [String] = [], prefix: [String]? = nil) throws -> Result<[StoredRow], Refused> {
        let outcome = try tool(["query", Home.database, Self.everyRow, "--csv"] + arguments, prefix: prefix)
        guard outcome.succeeded else { return .failure(Refused(outcome: outcome)) }
        return .success(StoredRow.parse(csv: outcome.output))
    }

    /// Writes one transaction with `query --write`, and compares its exit code with the truth later.
    @discardableResult
    func writing(_ session: WriterSession, prefix: [String]? = nil) throws -> Outcome {
        let sql = StoredRow.insertion(session.groups[session.acknowledged])
        let outcome = try tool(["query", Home.database, sql, "--write"], prefix: prefix)
        note(outcome, session)
        return outcome
    }

    /// Writes a session as one transaction with `import`.
    @discardableResult
    func importing(_ session: WriterSession, prefix: [String]? = nil) throws -> Outcome {
        let path = try file(StoredRow.csv(Array(session.groups.joined())), ending: "csv")
        let outcome = try tool(["import", Home.database, "contact", path], prefix: prefix)
        note(outcome, session)
        return outcome
    }

    /// What an exit code says of a session's next transaction.
    func note(_ outcome: Outcome, _ session: WriterSession) {
        if outcome.succeeded {
            session.acknowledged += 1
        } else if outcome.status == nil || outcome.isHung {
            session.mayHaveOneMore = true
        }
    }

    /// Takes the acknowledgements of a `shell --write`, which says "1 row changed" after each commit.
    func note(shell child: ChildProcess, _ outcome: Outcome, _ session: WriterSession) {
        session.acknowledged = Self.acknowledgements(in: outcome.errors)
        session.mayHaveOneMore = child.wasKilled || outcome.isHung
    }

    static func acknowledgements(in errors: String) -> Int {
        errors.split(separator: "\n").count { $0.hasSuffix(" changed") }
    }

    /// Checks the whole database: every page, then every row through the tool, then through the engine's shell.
    func checkEverything() throws {
        tally.acknowledgedRows += ledger.acknowledgedRows - Fixture.rows
        let verification = try tool(["verify", Home.database])
        if !verification.succeeded, !verification.isHung {
            tally.add(.wrong, "a database that nobody damaged: \(verification.summary) \(verification.output)")
        }
        switch try read() {
        case .success(let rows): tally.problems += ledger.compare(rows, "the tool")
        case .failure(let refused): tally.add(.lost, "it does not open: \(refused.outcome.summary)")
        }
    }

    /// Checks a copy of the database, such as a backup.
    func check(copy path: String, against ledger: Ledger, _ words: String) throws {
        switch try read(["--path", path]) {
        case .success(let rows): tally.problems += ledger.compare(rows, words)
        case .failure(let refused): tally.add(.lost, "\(words) does not open: \(refused.outcome.summary)")
        }
    }

    /// Says in each problem what the round did.
    func label(_ words: String) {
        for index in tally.problems.indices {
            let problem = tally.problems[index]
            tally.problems[index] = Problem(problem.category, "\(words): \(problem.text)")
        }
    }

    /// Deletes an acknowledged row behind everybody's back, which the checks have to find.
    func plantALoss() throws {
        guard isPlanting else { return }
        let token = random.pick(ledger.acknowledgedTokens)
        for key in try home.engineKeys().reversed() {
            let shell = try engineShell(key: key)
            defer { shell.close() }
            if shell.run("DELETE FROM contact WHERE name = '\(token)'; SELECT 'gone ' || changes()")?
                .contains("gone 1") == true
            {
                planted = token
                return
            }
        }
    }
}

/// The database with which each round begins, made once and copied.
struct Fixture {
    static let rows = 200

    /// The rows that it has.
    static func seed() -> WriterSession {
        let session = WriterSession("seed", groups: 1, rows: rows)
        session.acknowledgeAll()
        return session
    }

    private let template: Home

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes it: a key, a file of the engine's own shell, the schema by `migrate`, rows by `import`, and a backup.
    init(_ settings: Settings) throws {
        template = Home(path: "\(settings.directory)/fixture")
        try template.make()
        let round = Round(settings, template, RandomSource(seed: 0), planting: false)
        try Self.require(round.tool(["keys", "make", template.keyFile]))
        let shell = try round.engineShell()
        guard shell.run("CREATE TABLE t (a); DROP TABLE t; PRAGMA user_version = 0") != nil else {
            throw Failure(description: "the engine's shell made no database: \(shell.child.errors)")
        }
        shell.close()
        try Self.require(round.tool(["migrate", Home.database]))
        let seed = Self.seed()
        try Self.require(round.importing(seed))
        try Self.require(round.tool(["backup", Home.database, template.backup]))
        let rows = try round.read().get()
        guard round.ledger.compare(rows, "the fixture").isEmpty, rows.count == Self.rows else {
            throw Failure(description: "the fixture has other rows than were imported")
        }
    }

    private static func require(_ outcome: Outcome) throws {
        guard outcome.succeeded else { throw Failure(description: outcome.summary) }
    }

    /// A copy for a round.
    func copy(to path: String) throws -> Home {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: template.path, toPath: path)
        let home = Home(path: path)
        try? FileManager.default.removeItem(atPath: home.scratch)
        try home.make()
        return home
    }
}
