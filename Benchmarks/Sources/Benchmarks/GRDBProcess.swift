import Baseline
import Foundation
import Strongroom
import TestData

/// GRDB in a process of its own, on the same SQLCipher library: the loader puts that library before the system's
/// libsqlite3.
///
/// It takes one line a work and answers with the time that it took by its own clock.
final class GRDBProcess: Sendable {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The oldest SQLite that GRDB's `upsert` works on, which is newer than the oldest that GRDB opens a file with.
    private static let oldestVersion = 3_035_000

    static let name = "GRDB, Codable"
    static let nameByHand = "GRDB, by hand"

    private let process: Process
    private let input: FileHandle
    private let output: FileHandle

    /// Why GRDB cannot be measured on an engine; nil when it can.
    static func reasonAgainst(_ engine: EngineFeatures) -> String? {
        #if os(Linux)
        guard engine.sqliteVersionNumber < oldestVersion else { return nil }
        return "GRDB is left out: it needs SQLite 3.35 or newer, and this engine is \(engine.sqliteVersion)."
        #else
        return "GRDB is left out: only Linux has a loader that gives it the same SQLCipher library."
        #endif
    }

    /// Starts the process, and refuses it unless it works on this process's engine.
    ///
    /// - Parameter program: The path of GRDBRival.
    init(program: String) throws {
        guard let library = baseline_library() else {
            throw Failure(
                description: "The SQLCipher library's file is not known, so GRDB cannot be given the same one.")
        }
        let (input, output) = (Pipe(), Pipe())
        process = Process()
        process.executableURL = URL(filePath: program)
        process.environment = ProcessInfo.processInfo.environment
            .merging(["LD_PRELOAD": String(cString: library)]) { _, preload in preload }
        process.standardInput = input
        process.standardOutput = output
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        try process.run()
        try checkEngine()
    }

    /// Lets the process end.
    func close() throws {
        try input.close()
        process.waitUntilExit()
    }

    func run(_ work: Work, on file: Workplace.File) throws -> WorkReport { try run(work, atPath: file.path) }

    /// - Parameter path: Of a file, or of a directory of files.
    func run(_ work: Work, atPath path: String) throws -> WorkReport {
        try input.write(contentsOf: Data("\(work.rawValue) \(path)\n".utf8))
        let line = try readLine()
        guard let report = WorkReport(line: line) else {
            throw Failure(description: "GRDB's process answered \"\(line)\".")
        }
        return report
    }

    private func checkEngine() throws {
        let features = try EngineFeatures.current()
        let ours = EngineIdentity(
            sqlite: features.sqliteVersion,
            source: String(cString: baseline_source_id()),
            cipher: features.cipherVersion
        )
        let theirs = EngineIdentity(line: try readLine())
        guard ours == theirs else {
            throw Failure(description: "GRDB works on another engine: \(theirs.line), not \(ours.line).")
        }
    }

    private func readLine() throws -> String {
        var line = Data()
        while let byte = try output.read(upToCount: 1), let first = byte.first {
            guard first != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(first)
        }
        throw Failure(description: "GRDB's process ended; its message is above.")
    }
}
