import Foundation
import Strongroom
import StrongroomTesting
import Synchronization

/// The service of the guide, as a process of its own that listens on a port of its own.
final class ServiceProcess: Sendable {
    struct DidNotStart: Error {
        let log: String
    }

    /// What it has written to its standard error.
    private final class Log: Sendable {
        private let text = Mutex("")

        init(_ file: FileHandle) {
            Thread.detachNewThread { [self] in
                while case let data = file.availableData, !data.isEmpty {
                    text.withLock { $0 += String(decoding: data, as: UTF8.self) }
                }
            }
        }

        var all: String { text.withLock { $0 } }
    }

    private let process = Process()
    private let log: Log
    let port: Int

    /// Starts the service, with a key file, and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: The clinics' directory, beside which the key file is.
    ///   - variables: Further variables of its environment.
    init(_ directory: String, _ variables: [String: String] = [:]) async throws {
        // The tests and the programs of the package lie in one directory.
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        process.executableURL = tests.deletingLastPathComponent().appending(path: "ClinicService")
        // The machine may be busy with other tests.
        // A crash ends it at once: a backtrace of a program with the thread sanitizer may take for ever.
        let own = [
            "CLINICS_DIRECTORY": directory, "CLINICS_KEY_FILE": "\(directory).keys", "CLINICS_PORT": "0",
            "CLINICS_PATIENCE_SECONDS": "60",
            "SWIFT_BACKTRACE": "enable=no",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(variables) { $1 }
        _ = try KeyFile("\(directory).keys").keyChain(creating: true)
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        log = Log(errors.fileHandleForReading)
        var port: Int?
        while port == nil {
            try await Task.sleep(for: .milliseconds(5))
            port = log.all.firstMatch(of: /port=(\d+)/).flatMap { Int($0.1) }
            guard port != nil || process.isRunning else { throw DidNotStart(log: log.all) }
        }
        self.port = port ?? 0
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// What it has logged so far.
    var messages: String { log.all }

    var identifier: Int32 { process.processIdentifier }

    func client() throws -> HTTPClient { try HTTPClient(port: port) }

    /// Requests a graceful shutdown.
    func requestShutdown() { kill(process.processIdentifier, SIGTERM) }

    /// Kills it.
    func killNow() { kill(process.processIdentifier, SIGKILL) }

    /// Waits for its end.
    ///
    /// - Returns: Its exit status; that of a signal is its number, negative.
    func wait() async throws -> Int {
        try await onThread { [self] in
            process.waitUntilExit()
            let status = Int(process.terminationStatus)
            return process.terminationReason == .exit ? status : -status
        }
    }
}

/// Runs blocking work on a thread of its own.
func onThread<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
