import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A directory with an encrypted database, and the tool's data commands run on it.
struct DataWorkshop {
    let directory: TemporaryDirectory
    let tool: Tool

    init() async throws {
        directory = try TemporaryDirectory()
        tool = try Tool()
        try write("raw:" + String(repeating: "1f", count: 32) + "\n", to: "keys")
        let stores = try Stores(WorkshopConfiguration(directory: directory.path("")))
        let store = try await stores.open("workshop.sqlite")
        try await store.write { db in
            try db.execute(
                "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size REAL, data BLOB)")
            try db.execute("CREATE TABLE part (item INTEGER NOT NULL REFERENCES item(id), `odd \"name` TEXT)")
            try db.execute(
                "INSERT INTO item VALUES (1, '漢字 wide', 1.5, x'001B5B324A'), (9007199254740993, 'o''brien', NULL, NULL)"
            )
        }
        try await store.close()
    }

    var database: String { directory.path("workshop.sqlite") }

    func write(_ text: String, to name: String) throws {
        let path = directory.path(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: URL(filePath: directory.path(name)), encoding: .utf8)
    }

    /// Runs a command on the database.
    ///
    /// - Parameters:
    ///   - arguments: The command, then what comes behind the database.
    ///   - input: Standard input.
    func run(_ arguments: String..., input: String? = nil, database: String? = nil) async throws -> Tool.Outcome {
        let all =
            [arguments[0], database ?? self.database] + arguments.dropFirst() + ["--key-file", directory.path("keys")]
        return try await run(all, input: input)
    }

    /// Runs a command.
    func run(_ arguments: [String], input: String? = nil) async throws -> Tool.Outcome {
        guard let input else { return try await tool.run(arguments, environment: environment) }
        try write(input, to: "input")
        return try await through("exec \"$@\" < '\(directory.path("input"))'", arguments)
    }

    /// Runs a command by a line of the shell's, in which it is `"$@"`.
    func through(_ line: String, _ arguments: [String]) async throws -> Tool.Outcome {
        try await tool.run(arguments, under: ["/bin/sh", "-c", line, "sh"], environment: environment)
    }

    private var environment: [String: String] {
        ["XDG_STATE_HOME": directory.path("state"), "HOME": directory.path("home")]
    }
}
