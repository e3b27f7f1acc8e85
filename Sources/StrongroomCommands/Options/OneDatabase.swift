package import ArgumentParser

/// The one database that a command processes.
package struct OneDatabase: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A database's name, whose configuration says the rest, or a file's path, which has a \"/\" in it.",
            valueName: "database"))
    package var database: String

    @Option(help: ArgumentHelp("Take this file in place of the one that the configuration says.", valueName: "file"))
    package var path: String?

    @OptionGroup(title: "Keys")
    package var keys: KeyOptions

    package init() {}

    /// Resolves the database; asks for the key if necessary.
    package func resolve() throws -> OperatedDatabase {
        try OperatedDatabase.resolve(database, path: path, keys: keys)
    }
}
