public import ArgumentParser
import Foundation
public import Strongroom

/// The operator's tool: one call makes a program of it.
///
/// ```swift
/// import Strongroom
/// import StrongroomCommands
///
/// @main
/// enum Main {
///     static func main() async {
///         await StrongroomTool.run(try Stores(AddressBook(), Inventory()), name: "inventory-tool")
///     }
/// }
/// ```
///
/// With `Stores.shared` the configurations are found by themselves.
public enum StrongroomTool {
    /// Runs the command that the program's arguments name, and ends the program.
    ///
    /// An error is one line on standard error, or one JSON object when `--json` is among the arguments. The exit codes
    /// are those of `sysexits.h`: 64 wrong usage, 65 bad input, 66 no input, 69 no SQLCipher, 70 a fault in the
    /// program, 73 something lies there already, 74 reading or writing failed, 75 locked by another process, 77 no
    /// permission, 78 wrong key or configuration, 130 interrupted by Ctrl-C, `SIGTERM` or `SIGHUP`, 1 any other
    /// failure, or the failure of some of several databases.
    ///
    /// - Parameters:
    ///   - stores: The databases that names mean. What making it throws is told as an error of a command is.
    ///   - name: The program's name, for its help.
    ///   - abstract: What the program is for, for its help.
    ///   - version: What `--version` prints.
    ///   - commands: Commands of your own, besides those that every tool has.
    public static func run(
        _ stores: @autoclosure () throws -> Stores,
        name: String = "strongroom",
        abstract: String = "Looks after encrypted stores.",
        version: String = "",
        commands: [any ParsableCommand.Type] = []
    ) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // A command of the program's own may mean something else by the same options.
        if !commands.contains(where: { $0._commandName == arguments.first }) {
            KeySource.takeVariables(of: Array(arguments.prefix { $0 != "--" }))
        }
        RootCommand.describe(name: name, abstract: abstract, version: version, commands: commands)
        do {
            let found: Stores
            do { found = try stores() } catch { throw withoutSecrets(error) }
            let session = CommandSession(console: .standard, stores: found)
            try await perform(arguments, in: session)
            exit(ExitStatus.success.rawValue)
        } catch {
            guard let status = report(error, arguments, on: .standard) else {
                // Help, version and wrong usage are the parser's to print.
                RootCommand.exit(withError: error)
            }
            exit(status.rawValue)
        }
    }

    /// Runs a command as ``run(_:name:abstract:version:commands:)`` does, in a session and without ending the program;
    /// for tests.
    ///
    /// - Returns: What the program would end with.
    package static func status(of arguments: [String], in session: CommandSession) async -> ExitStatus {
        RootCommand.describe(name: "strongroom", abstract: "", version: "", commands: [])
        do {
            try await perform(arguments, in: session)
            return .success
        } catch {
            if let status = report(error, arguments, on: session.console) { return status }
            let status = ExitStatus(rawValue: RootCommand.exitCode(for: error).rawValue) ?? .failure
            session.console.write(
                verbatim: RootCommand.fullMessage(for: error), to: status == .success ? .output : .errors)
            return status
        }
    }

    private static func perform(_ arguments: [String], in session: CommandSession) async throws {
        var session = session
        session.isForScripts = arguments.contains("--json")
        try await CommandSession.$current.withValue(session) { [session] in
            var command = try RootCommand.parseAsRoot(arguments)
            // What a command of the program's own throws is told as its author meant it.
            let isOurs = String(reflecting: type(of: command)).hasPrefix("StrongroomCommands.")
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch {
                throw isOurs ? withoutSecrets(error) : error
            }
            // Whoever reads through `head` has seen enough; a full disk has not.
            if case .failed? = session.console.failure(of: .output) {
                throw CommandFailure("inputOutput", "The output could not be written.", .inputOutput)
            }
        }
    }

    /// In place of an error that a configuration threw one that tells its type alone.
    private static func withoutSecrets(_ error: any Error) -> any Error {
        let isParsers = error is ValidationError || error is ExitCode || error is CleanExit
        guard !isParsers, ErrorReport(error) == nil else { return error }
        let report = ErrorReport(unknown: error)
        return CommandFailure(report.code, report.message, report.status)
    }

    /// Tells an error.
    ///
    /// - Returns: What the program ends with; nil for what the argument parser tells better.
    private static func report(_ error: any Error, _ arguments: [String], on console: Console) -> ExitStatus? {
        // An error that was told already ends the program alone.
        if let failure = error as? CommandFailure, failure.message.isEmpty { return failure.status }
        let isJSON = arguments.contains("--json")
        guard let report = ErrorReport(error) ?? (isJSON ? ErrorReport(usage: error) : nil) else { return nil }
        if isJSON {
            console.write(verbatim: JSONLine.error(code: report.code, message: report.message), to: .errors)
        } else {
            console.write(
                lead: "\("error:", [.bold, .red]) ", paragraph: report.message, indent: 0, to: .errors)
        }
        return report.status
    }
}
