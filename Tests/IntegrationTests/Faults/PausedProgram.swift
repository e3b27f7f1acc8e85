#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

/// The victim, stopping where its memory is to be looked at.
final class PausedProgram {
    private let process = Process()
    private let input = Pipe()
    private let outputFile: URL

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - directory: Where its output goes.
    ///   - temporary: Where it makes temporary files.
    init(_ arguments: [String], _ directory: TemporaryDirectory, watching temporary: String) throws {
        outputFile = directory.url.appending(path: "output")
        try Data().write(to: outputFile)
        process.executableURL = try Tool().url.deletingLastPathComponent().appending(path: "FaultVictim")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TMPDIR": temporary, "SQLITE_TMPDIR": temporary]) { $1 }
        process.standardInput = input
        let output = try FileHandle(forWritingTo: outputFile)
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    /// The lines that it has said.
    func output() throws -> [String] {
        try String(contentsOf: outputFile, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Waits until it has said a line, as long as it runs.
    func wait(for line: String) async throws {
        while true {
            let isRunning = process.isRunning
            let said = try output()
            if said.contains(line) { return }
            try #require(isRunning, "it ended, having said \(said)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func goOn() throws {
        // Where it has ended this fails, rather than ends the tests.
        _ = signal(SIGPIPE, SIG_IGN)
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Whether what the process can write to holds something of a list.
    func memory(holds secrets: [Data]) throws -> Bool {
        try secrets.contains { try count(of: $0) > 0 }
    }

    /// How often what the process can write to holds something.
    func count(of secret: Data) throws -> Int {
        try ProcessMemory(process.processIdentifier).count(of: secret)
    }
}
#endif
