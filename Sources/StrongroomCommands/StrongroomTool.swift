public import ArgumentParser
import Foundation
public import Strongroom

/// The operator's tool, which a single call makes into a program.
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
/// With `Stores.shared` the configurations are discovered automatically.
public enum StrongroomTool {
    /// Runs the command in the program's arguments, and ends the program.
    ///
    /// An error is printed as one line on standard error, or as one JSON object if `--json` is among the arguments. The
    /// exit codes are those of `sysexits.h`: 64 wrong usage, 65 bad input, 66 no input, 69 no SQLCipher, 70 an error in
    /// the program, 73 the output file exists, 74 an I/O error, 75 locked by another process, 77 no permission, 78
    /// wrong key or configuration, 130 interrupted by Ctrl-C, `SIGTERM` or `SIGHUP`, 1 any other failure, or the
    /// failure of some of several databases.
    ///
    /// - Parameters:
    ///   - stores: The databases to which names refer. An error of this expression is reported like an error of a
    ///     command.
    ///   - name: The program's name, for its help.
    ///   - abstract: The purpose of the program, for its help.
    ///   - version: The output of `--version`.
    ///   - commands: Additional commands of the program.
    public static func run(
        _ stores: @autoclosure () throws -> Stores,
        name: String = "strongroom",
        abstract: String = "Manages encrypted stores.",
        version: String = "",
        commands: [any ParsableCommand.Type] = []
    ) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // A command of the program may use the same options with another meaning.
        let isOurs = !commands.contains { $0._commandName == arguments.first }
        if isOurs {
            KeySource.removeVariables(of: Array(arguments.prefix { $0 != "--" }))
        }
        RootCommand.describe(name: name, abstract: abstract, version: version, commands: commands)
        do {
            let found: Stores
            do { found = try stores() } catch { throw withoutSecrets(error) }
            if isOurs { try requireUTF8() }
            let session = CommandSession(console: .standard, stores: found)
            try await perform(arguments, in: session)
            exit(ExitStatus.success.rawValue)
        } catch {
            guard let status = report(error, arguments, on: .standard) else {
                // The parser prints help, version and usage errors.
                RootCommand.exit(withError: error)
            }
            exit(status.rawValue)
        }
    }

    /// Throws for an argument that is not UTF-8: Swift has other bytes in their place, with which a file is not found.
    private static func requireUTF8() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else {
                continue
            }
            throw CommandFailure(
                "notUTF8",
                """
                The argument "\(String(cString: argument))" is not in UTF-8, as names, paths and SQL must be. Rename \
                the file.
                """, .usage)
        }
    }

    /// Runs a command as ``run(_:name:abstract:version:commands:)`` does, in a session and without ending the program;
    /// for tests.
    ///
    /// - Returns: The exit status of the program.
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
        if arguments.prefix(while: { $0 != "--" }).contains("--quiet") { session.console = session.console.quiet() }
        try await CommandSession.$current.withValue(session) { [session] in
            var command = try RootCommand.parseAsRoot(arguments)
            // Errors of the program's own commands are reported as their author defined them.
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
            // A closed output, as with `head`, is not an error; a full disk is.
            if case .failed? = session.console.failure(of: .output) {
                throw CommandFailure("inputOutput", "The output could not be written.", .inputOutput)
            }
        }
    }

    /// Replaces an error of a configuration by one that only contains its type.
    private static func withoutSecrets(_ error: any Error) -> any Error {
        let isParsers = error is ValidationError || error is ExitCode || error is CleanExit
        guard !isParsers, ErrorReport(error) == nil else { return error }
        let report = ErrorReport(unknown: error)
        return CommandFailure(report.code, report.message, report.status)
    }

    /// Reports an error.
    ///
    /// - Returns: The exit status; nil if the argument parser reports the error.
    private static func report(_ error: any Error, _ arguments: [String], on console: Console) -> ExitStatus? {
        // An error that was already reported only ends the program.
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
