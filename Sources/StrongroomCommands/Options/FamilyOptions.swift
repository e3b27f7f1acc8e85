package import ArgumentParser

/// Options for commands that process several databases.
package struct FamilyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many databases are processed at a time, 1 to 64.", valueName: "n"))
    package var atMost = 4

    @Option(
        help: ArgumentHelp(
            "Write the outcome for each database to a file, as a line of JSON, as soon as it is finished.",
            valueName: "file"))
    package var report: String?

    package init() {}

    package func validate() throws {
        guard (1...64).contains(atMost) else { throw ValidationError("--at-most takes a number from 1 to 64.") }
    }
}
