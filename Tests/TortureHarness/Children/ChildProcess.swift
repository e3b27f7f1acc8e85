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

/// How a command went.
struct Outcome {
    let words: String
    let ending: ChildProcess.Ending
    let output: String
    let errors: String
    /// Whether it was still there when the time was over.
    let isHung: Bool
    /// Whether one SIGTERM ended it then.
    let endsBySIGTERM: Bool

    var status: Int32? {
        if case .exited(let status) = ending { status } else { nil }
    }

    var succeeded: Bool { !isHung && status == 0 }

    /// What is told of it in a problem.
    var summary: String {
        let end =
            switch ending {
            case .exited(let status): "exit code \(status)"
            case .killed(let signal): "signal \(signal)"
            }
        let message = errors.split(separator: "\n").first.map { ": \($0.prefix(240))" } ?? ""
        return "`\(words)` \(isHung ? "hung, then \(end)" : end)\(message)"
    }
}

extension ChildProcess {
    /// Waits for the end; one that hangs gets SIGTERM, and SIGKILL after that.
    func finish(limit: Double) -> Outcome {
        closeInput()
        let isHung = !wait(seconds: limit)
        var endsBySIGTERM = false
        if isHung {
            send(signal: SIGTERM)
            endsBySIGTERM = wait(seconds: 10)
            if !endsBySIGTERM {
                send(signal: SIGKILL)
                wait(seconds: 60)
            }
        }
        return Outcome(
            words: words, ending: ending ?? .killed(by: SIGKILL), output: output, errors: errors, isHung: isHung,
            endsBySIGTERM: endsBySIGTERM)
    }
}

/// What `posix_spawn` is told.
struct SpawnSettings {
    #if canImport(Darwin)
    private var actions: posix_spawn_file_actions_t?
    private var attributes: posix_spawnattr_t?
    #else
    private var actions = posix_spawn_file_actions_t()
    private var attributes = posix_spawnattr_t()
    #endif

    init() throws {
        guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else {
            throw ChildProcess.CannotStart(description: "posix_spawn")
        }
        // The harness ignores this one; a child is to have it as everybody has it.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    }

    mutating func destroy() {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    mutating func duplicate(_ descriptor: Int32, to other: Int32) {
        posix_spawn_file_actions_adddup2(&actions, descriptor, other)
        posix_spawn_file_actions_addclose(&actions, descriptor)
    }

    mutating func open(_ path: String, _ flags: Int32, as descriptor: Int32) {
        posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o644)
    }

    mutating func start(_ arguments: [String], _ environment: [String: String]) throws -> pid_t {
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for text in words + variables { free(text) }
        }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, arguments[0], &actions, &attributes, &words, &variables)
        guard code == 0 else {
            throw ChildProcess.CannotStart(description: "\(arguments[0]): \(String(cString: strerror(code)))")
        }
        return identifier
    }
}

/// Other users that the harness can become where it runs as root.
enum UserSwitch {
    /// Two users without rights.
    static let owner: uid_t = 1
    static let stranger: uid_t = 65_534

    private static let program = ["/usr/bin/setpriv", "/bin/setpriv"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isPossible: Bool { geteuid() == 0 && program != nil }

    /// What stands before a command that runs as a user.
    static func prefix(_ user: uid_t) -> [String] {
        [program ?? "/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    }
}
