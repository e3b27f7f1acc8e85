package import ArgumentParser

/// Options for commands that process several databases.
package struct FamilyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many databases are worked on at a time, 1 to 64.", valueName: "n"))
    package var atMost = 4

    @Option(
        help: ArgumentHelp(
            "Write what becomes of each database into a file, a line of JSON each, as soon as it is done.",
            valueName: "file"))
    package var report: String?

    package init() {}

    package func validate() throws {
        guard (1...64).contains(atMost) else { throw ValidationError("--at-most takes a number from 1 to 64.") }
    }
}
