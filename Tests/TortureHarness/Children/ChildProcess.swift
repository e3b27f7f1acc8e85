import Foundation

/// A process that the harness starts, stops and kills, and that nobody else waits for.
///
/// Its process id stays its own until it has been waited for here, so that no signal reaches another process. What it
/// prints goes to files, which need nobody who reads them meanwhile.
final class ChildProcess {
    /// How a process ended.
    enum Ending: Equatable {
        case exited(Int32)
        case killed(by: Int32)
    }

    /// Where its standard input comes from.
    enum Input {
        case nothing
        case file(String)
        /// What ``ChildProcess/send(_:)`` says, until ``ChildProcess/closeInput()``.
        case pipe
    }

    struct CannotStart: Error, CustomStringConvertible {
        let description: String
    }

    let identifier: pid_t
    let words: String
    private let outputPath: String
    private let errorsPath: String
    private var pipe: Int32 = -1
    private(set) var ending: Ending?
    /// Whether a signal of the harness is to be blamed for how it ended.
    private(set) var wasKilled = false

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - arguments: The program's path and its arguments.
    ///   - environment: Its whole environment.
    ///   - input: Its standard input.
    ///   - prints: The path of what it prints; `.out` and `.err` are added.
    init(_ arguments: [String], environment: [String: String], input: Input, prints: String) throws {
        words = arguments.map { $0.count > 60 ? $0.prefix(60) + "…" : $0 }.joined(separator: " ")
        outputPath = "\(prints).out"
        errorsPath = "\(prints).err"
        var ends: [Int32] = [-1, -1]
        if case .pipe = input {
            guard Foundation.pipe(&ends) == 0 else { throw CannotStart(description: "pipe: \(errno)") }
            _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        }
        defer {
            if ends[0] >= 0 { close(ends[0]) }
        }
        var spawn = try SpawnSettings()
        defer { spawn.destroy() }
        if case .pipe = input {
            spawn.duplicate(ends[0], to: 0)
        } else if case .file(let path) = input {
            spawn.open(path, O_RDONLY, as: 0)
        } else {
            spawn.open("/dev/null", O_RDONLY, as: 0)
        }
        spawn.open(outputPath, O_WRONLY | O_CREAT | O_TRUNC, as: 1)
        spawn.open(errorsPath, O_WRONLY | O_CREAT | O_TRUNC, as: 2)
        identifier = try spawn.start(arguments, environment)
        pipe = ends[1]
    }

    deinit {
        closeInput()
        guard ending == nil else { return }
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
    }

    var output: String { Self.text(outputPath) }
    var errors: String { Self.text(errorsPath) }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// Writes to its standard input; one that has ended takes nothing.
    func send(_ text: String) {
        guard pipe >= 0 else { return }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func closeInput() {
        if pipe >= 0 { close(pipe) }
        pipe = -1
    }

    /// Whether it still runs, or is stopped.
    var isRunning: Bool {
        guard ending == nil else { return false }
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG) == identifier else { return true }
        let number = status & 0x7F
        ending = number == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: number)
        return false
    }

    func send(signal: Int32) {
        guard isRunning else { return }
        if signal == SIGKILL || signal == SIGTERM { wasKilled = true }
        kill(identifier, signal)
    }

    /// Waits until it has ended, or a condition holds, or the time is over.
    ///
    /// - Returns: Whether it ended or the condition holds.
    @discardableResult
    func wait(seconds: Double, until condition: () -> Bool = { false }) -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while isRunning {
            if condition() { return true }
            guard ContinuousClock.now < deadline else { return false }
            usleep(2_000)
        }
        return true
    }
}
