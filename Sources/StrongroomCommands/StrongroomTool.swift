public import ArgumentParser
import Foundation

/// The operator's tool: one call makes a program of it.
///
/// ```swift
/// @main
/// enum Main {
///     static func main() async {
///         await StrongroomTool.run(name: "inventory-tool", commands: [ImportCommand.self])
///     }
/// }
/// ```
public enum StrongroomTool {
    /// Runs the command that the program's arguments name, and ends the program.
    ///
    /// An error is one line on standard error, or one JSON object when `--json` is among the arguments. The exit codes are those of
    /// `sysexits.h`: 64 wrong usage, 65 bad input, 66 no input, 69 no SQLCipher, 70 a fault in the program, 74 reading or writing
    /// failed, 75 locked by another process, 77 no permission, 78 wrong key or configuration, 1 any other failure.
    ///
    /// - Parameters:
    ///   - name: The program's name, for its help.
    ///   - abstract: What the program is for, for its help.
    ///   - version: What `--version` prints.
    ///   - commands: The commands.
    public static func run(
        name: String = "strongroom",
        abstract: String = "Looks after encrypted stores.",
        version: String = "",
        commands: [any ParsableCommand.Type]
    ) async -> Never {
        RootCommand.describe(name: name, abstract: abstract, version: version, commands: commands)
        do {
            var command = try RootCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit(ExitStatus.success.rawValue)
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        let isJSON = CommandLine.arguments.contains("--json")
        guard let report = ErrorReport(error) ?? (isJSON ? ErrorReport(usage: error) : nil) else {
            // Help, version and wrong usage are the parser's to print.
            RootCommand.exit(withError: error)
        }
        if isJSON {
            Console.standard.write(verbatim: JSONLine.error(code: report.code, message: report.message), to: .errors)
        } else {
            Console.standard.write("\("error:", [.bold, .red]) \(report.message)", to: .errors)
        }
        exit(report.status.rawValue)
    }
}
