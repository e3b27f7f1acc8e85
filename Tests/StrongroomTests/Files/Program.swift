import Foundation

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
        let process = Process()
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let outputData = try output.fileHandleForReading.readToEnd() ?? Data()
        let errorData = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: outputData, as: UTF8.self),
            errors: String(decoding: errorData, as: UTF8.self)
        )
    }
}
