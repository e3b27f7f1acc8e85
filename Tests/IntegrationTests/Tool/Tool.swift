import Foundation
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
