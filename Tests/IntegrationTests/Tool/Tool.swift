import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// The `strongroom` program that was built beside the tests, run as a process of its own.
struct Tool {
    /// What a run left behind.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// The JSON object on standard output or on standard error.
        func json(_ text: KeyPath<Outcome, String> = \.output) throws -> [String: Any] {
            try #require(
                try JSONSerialization.jsonObject(with: Data(self[keyPath: text].utf8)) as? [String: Any]
            )
        }
    }

    let url: URL

    init(url: URL) {
        self.url = url
    }

    init() throws {
        let tests = URL(filePath: try #require(CommandLine.arguments.first)).resolvingSymlinksInPath()
        // On Apple platforms the test bundle is a folder with the binary some levels down.
        let folders = sequence(first: tests.deletingLastPathComponent()) { folder in
            folder.path().count > 1 ? folder.deletingLastPathComponent() : nil
        }
        let candidates = folders.prefix(5).map { $0.appending(path: "strongroom") }
        url = try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path()) })
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - prefix: A program with its arguments that is to start it, such as `setpriv`.
    ///   - environment: Variables besides those of the tests.
    func run(
        _ arguments: [String],
        under prefix: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> Outcome {
        let directory = try TemporaryDirectory()
        // Files, since a pipe is to be emptied meanwhile, and reading one can be interrupted by a signal.
        let (output, errors) = (directory.url.appending(path: "output"), directory.url.appending(path: "errors"))
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = prefix + [url.path()] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try await process.runToEnd()
        return Outcome(
            status: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8)
        )
    }
}

/// A home with inventories in it, and the tool run there as a process of its own.
struct ToolWorkshop {
    let directory: TemporaryDirectory
    let tool: Tool
    let inventory: Inventory

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Tool()
        inventory = Inventory(
            keyFile: KeyFile(directory.path("config/strongroom/inventory.keys")),
            directory: directory.path("data/strongroom"))
    }

    var environment: [String: String] {
        ["XDG_DATA_HOME": directory.path("data"), "XDG_CONFIG_HOME": directory.path("config")]
    }

    var keyFile: String { inventory.keyFile.path }

    func path(_ name: String) -> String { directory.path("data/strongroom/\(name)") }

    /// Makes databases.
    func make(_ names: String...) async throws {
        for name in names { try await Stores(inventory).open(name).close() }
    }

    func run(_ arguments: String..., under prefix: [String] = []) async throws -> Tool.Outcome {
        try await tool.run(arguments, under: prefix, environment: environment)
    }
}

/// The workshop's database as a library user has it; the tool gets the path and the key file.
struct WorkshopConfiguration: Configuration {
    static let target = "workshop"

    let directory: String

    func filePath(for database: DatabaseName) -> String? { directory + "/" + database.fileName }
    func keyChain(for database: DatabaseName) throws -> KeyChain {
        try KeyChain(.raw(Array(repeating: 0x1F, count: 32)))
    }
    func migrator(for database: DatabaseName) -> Migrator? { nil }
}

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
