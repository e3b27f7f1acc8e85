import Foundation
import StrongroomTesting
// Internal: the lock.
@testable import Strongroom

/// The engine's shell as a program that has a database open and does one thing after the other with it.
final class LateShell: Sendable {
    struct Ended: Error {
        let output: String
    }

    private let program = Process()
    private let input = Pipe()
    private let directory: TemporaryDirectory
    private let steps = Locked(0)
    /// How much of what it has said has been read.
    private let read = Locked(0)

    /// Starts it; returns when it has opened the file, which it has not read yet.
    init(_ shell: SQLCipherShell, _ path: String, key number: UInt8?) throws {
        directory = try TemporaryDirectory()
        let errors = directory.path("errors")
        try Data().write(to: URL(filePath: errors))
        program.executableURL = URL(filePath: shell.path)
        program.arguments = ["-batch", path]
        program.standardInput = input
        program.standardOutput = FileHandle.nullDevice
        program.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        try program.run()
        let digits = number.map { String(repeating: String(format: "%02x", $0), count: 32) }
        // It opens a file that is there before it reads a command.
        let opening = try run(digits.map { "PRAGMA key = \"x'\($0)'\";" } ?? "")
        guard opening.isEmpty else { throw Ended(output: opening) }
    }

    /// Runs SQL.
    ///
    /// - Returns: The errors that it gave.
    func run(_ sql: String) throws -> String {
        let step = steps.withLock { steps in
            steps += 1
            return steps
        }
        let mark = directory.path("step\(step)")
        try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n.shell : > \(mark)\n".utf8))
        while !FileManager.default.fileExists(atPath: mark) {
            guard program.isRunning else { throw Ended(output: try errors()) }
            Thread.sleep(forTimeInterval: 0.002)
        }
        return try errors()
    }

    /// Lets it close the file and end.
    func end() throws {
        try? input.fileHandleForWriting.write(contentsOf: Data(".exit\n".utf8))
        try input.fileHandleForWriting.close()
        program.waitForEnd()
    }

    private func errors() throws -> String {
        let all = try Data(contentsOf: URL(filePath: directory.path("errors")))
        return read.withLock { read in
            defer { read = all.count }
            return String(decoding: all.dropFirst(read), as: UTF8.self)
        }
    }
}
