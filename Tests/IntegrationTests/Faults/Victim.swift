#if os(Linux)
import FaultWork
import Foundation
import StrongroomTesting

/// The program that works and is interrupted.
struct Victim {
    /// What a run left behind.
    struct Run: Sendable {
        /// The lines on standard output.
        let lines: [String]
        /// What it said on standard error.
        let errors: String
        /// The calls that it began.
        let calls: [TracedCall]
        /// The signal that ended it.
        let signal: Int32?
        /// How long it took.
        let duration: Duration

        /// The steps that it said are done for good.
        var acknowledged: Int {
            lines.compactMap { $0.hasPrefix("step ") ? Int($0.dropFirst(5)) : nil }.max() ?? 0
        }

        var isDone: Bool { lines.last == "done" }
    }

    struct Hung: Error {
        let lines: [String]
    }

    /// Longer than any run takes, on any machine.
    private static let longest = Duration.seconds(120)

    private let program: URL
    private let shim: String

    init() async throws {
        program = try Tool().url.deletingLastPathComponent().appending(path: "FaultVictim")
        shim = try await FaultShim.path()
    }

    /// Runs the victim to its end.
    ///
    /// - Parameters:
    ///   - task: What it is to do: `run` or `prepare`.
    ///   - work: The kind of work.
    ///   - directory: Where.
    ///   - fault: What befalls it; nil for nothing.
    ///   - filler: A file that fills the disk as long as it is there.
    ///   - relieves: Whether the victim removes the filler when the disk is full.
    ///   - life: After which time it is killed from outside; nil for never.
    func run(
        _ task: String = "run", _ work: any Work, in directory: String, _ fault: Fault? = nil, filler: String? = nil,
        relieves: Bool = false, life: Duration? = nil
    ) async throws -> Run {
        let own = try TemporaryDirectory()
        let files = ["output", "errors", "trace"].map { own.url.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        let process = Process()
        process.executableURL = program
        process.arguments = [task, work.name, directory] + (relieves ? [filler].compactMap(\.self) : [])
        process.environment = environment(directory, trace: files[2].path(), filler)
            .merging(fault?.environment ?? [:]) { $1 }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (try FileHandle(forWritingTo: files[0]), try FileHandle(forWritingTo: files[1]))
        process.standardOutput = output
        process.standardError = errors
        defer {
            // Foundation keeps them open for as long as the process is known, and with a thousand open it crashes.
            try? output.close()
            try? errors.close()
        }
        let start = ContinuousClock.now
        try await Self.run(process, life ?? Self.longest)
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        let lines = texts[0].split(separator: "\n").map(String.init)
        guard ContinuousClock.now - start < Self.longest else { throw Hung(lines: lines) }
        return Run(
            lines: lines,
            errors: texts[1],
            calls: texts[2].split(separator: "\n").compactMap { TracedCall(line: $0) },
            signal: process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil,
            duration: ContinuousClock.now - start
        )
    }

    /// Runs a process to its end, which may come from outside.
    private static func run(_ process: Process, _ life: Duration) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
                return
            }
            // Only now it has a number: number 0 would be this process and all that it started.
            let number = process.processIdentifier
            guard number > 0 else { return }
            Task {
                let end = ContinuousClock.now + life
                // In short naps, so that none outlives its process for long.
                while process.isRunning, .now < end {
                    try await Task.sleep(until: min(end, .now + .seconds(1)), clock: .continuous)
                }
                if process.isRunning { kill(number, SIGKILL) }
            }
        }
    }

    private func environment(_ directory: String, trace: String, _ filler: String?) -> [String: String] {
        var variables = ProcessInfo.processInfo.environment
        variables["LD_PRELOAD"] = [shim, variables["LD_PRELOAD"]].compactMap(\.self).joined(separator: ":")
        variables["STRONGROOM_FAULT_DIRECTORY"] = directory
        variables["STRONGROOM_FAULT_TRACE"] = trace
        variables["STRONGROOM_FAULT_FILLER"] = filler
        return variables
    }
}
#endif
