package import ArgumentParser

/// The one database that a command processes.
package struct OneDatabase: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The name of a database with a configuration, or the path of a file, which contains a \"/\".",
            valueName: "database"))
    package var database: String

    @Option(help: ArgumentHelp("Use this file instead of that of the configuration.", valueName: "file"))
    package var path: String?

    @OptionGroup(title: "Keys")
    package var keys: KeyOptions

    package init() {}

    /// Resolves the database; asks for the key if necessary.
    package func resolve() throws -> OperatedDatabase {
        try OperatedDatabase.resolve(database, path: path, keys: keys)
    }
}
