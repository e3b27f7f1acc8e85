import ArgumentParser
import Strongroom

/// The root command; the program defines its name and its subcommands.
struct RootCommand: ParsableCommand {
    private static let described = Locked(CommandConfiguration())

    static var configuration: CommandConfiguration { described.withLock { $0 } }

    static func describe(name: String, abstract: String, version: String, commands: [any ParsableCommand.Type]) {
        let configuration = CommandConfiguration(
            commandName: name,
            abstract: abstract,
            discussion: CommandList.discussion,
            version: version,
            subcommands: commands,
            groupedSubcommands: CommandList.groups
        )
        described.withLock { $0 = configuration }
    }
}
