import Foundation
import Strongroom
import StrongroomTesting

/// A program next to the tests, run as a process of its own.
struct ExampleProgram {
    /// What a run left behind.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private let url: URL

    /// A program by its path.
    init(path: String) { url = URL(filePath: path) }

    /// A program that was built with the tests.
    init(_ name: String) throws {
        let tests = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        // On Apple platforms the test bundle is a folder with the binary some levels down.
        let folders = sequence(first: tests.deletingLastPathComponent()) { folder in
            folder.path().count > 1 ? folder.deletingLastPathComponent() : nil
        }
        let candidates = folders.prefix(5).map { $0.appending(path: name) }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path()) }) else {
            throw Missing(description: "there is no program \(name) next to the tests")
        }
        url = found
    }

    /// Whether the shell would find a program.
    static func isOnPath(_ name: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - home: The directory that is to be its user's, so that nothing is written elsewhere; nil for that of the
    ///     tests.
    ///   - variables: Environment variables besides those of the tests.
    func run(
        _ arguments: [String] = [], home: TemporaryDirectory? = nil, variables: [String: String] = [:]
    ) async throws -> Outcome {
        let own = try TemporaryDirectory()
        // Files, since a pipe is to be emptied meanwhile.
        let (output, errors) = (own.url.appending(path: "output"), own.url.appending(path: "errors"))
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        if let home {
            let path = home.url.path(percentEncoded: false)
            environment.merge(["HOME": path, "CFFIXED_USER_HOME": path, "XDG_DATA_HOME": home.path("data")]) { $1 }
            environment.merge(["XDG_CONFIG_HOME": home.path(".config"), "XDG_STATE_HOME": home.path("state")]) { $1 }
        }
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Outcome(
            status: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
