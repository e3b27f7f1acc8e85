import Foundation
import Testing

/// The tool as a process of its own that a test sends signals while it works.
struct PausedTool {
    private let process = Process()
    private let errors: URL

    /// Starts it.
    ///
    /// - Parameters:
    ///   - program: What is run, with the arguments.
    ///   - directory: Where standard error is kept.
    ///   - terminal: Standard input and output; nil for none.
    ///   - input: Standard input in place of that of the terminal.
    ///   - output: Standard output in place of that of the terminal.
    ///   - environment: Variables besides those of the tests.
    init(
        _ program: URL, _ arguments: [String], in directory: URL, terminal: FileHandle? = nil,
        input: FileHandle? = nil, output: FileHandle? = nil, environment: [String: String] = [:]
    ) throws {
        errors = directory.appending(path: "errors-\(UInt32.random(in: 0...UInt32.max))")
        try Data().write(to: errors)
        #if canImport(Glibc)
        // A command that another test runs in this process lets it ignore a hang-up, and a process begins with that,
        // too.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["--default-signal", program.path()] + arguments
        #else
        process.executableURL = program
        process.arguments = arguments
        #endif
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = input ?? terminal ?? .nullDevice
        process.standardOutput = output ?? terminal ?? .nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        // The threads of tests have signals blocked, and a process begins with what its maker has.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// Whether all of its threads wait for something.
    func isAsleep() throws -> Bool {
        #if os(Linux)
        let tasks = "/proc/\(identifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
            // Behind the name, in parentheses, in which anything may stand.
            guard let status = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8) else {
                // It has ended meanwhile.
                return true
            }
            return status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2).first == "S"
        }
        #else
        return true
        #endif
    }

    /// Waits until a condition holds or it has ended.
    ///
    /// - Returns: Whether the condition held.
    func wait(for condition: () throws -> Bool) throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(240)
        while ContinuousClock.now < deadline {
            if try condition() { return true }
            guard process.isRunning else { return try condition() }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return false
    }

    /// Waits for its end.
    ///
    /// - Returns: What it ended with, and what stands on standard error.
    func ended() throws -> (status: Int32, errors: String) {
        _ = try wait { false }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: errors, encoding: .utf8))
    }
}
