import Foundation
import StrongroomTesting

/// A program of the system, for another process's view of a file.
struct Program: Sendable {
    /// What a run gave.
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    let path: String

    /// A program that lies at a path; nil when there is none.
    init?(at path: String) {
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        self.path = path
    }

    /// A program that the shell would find; nil when there is none.
    init?(named name: String) {
        let found = Self.searchPath.compactMap { Program(at: "\($0)/\(name)") }.first
        guard let found else { return nil }
        self = found
    }

    /// The directories in which the shell looks.
    static var searchPath: [String] { list("PATH") }

    /// A variable of the environment that is a list of directories.
    static func list(_ variable: String) -> [String] {
        (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: ":").map(String.init)
    }

    /// Runs the program to its end.
    func run(_ arguments: [String], input: String = "") throws -> Result {
        let directory = try TemporaryDirectory()
        // Files, since reading a pipe can be interrupted by a signal.
        let files = ["input", "output", "errors"].map { directory.url.appending(path: $0) }
        try Data(input.utf8).write(to: files[0])
        for file in files.dropFirst() { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        return Result(
            status: process.waitForEnd(),
            output: try String(contentsOf: files[1], encoding: .utf8),
            errors: try String(contentsOf: files[2], encoding: .utf8)
        )
    }
}
