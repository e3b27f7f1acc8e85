import Foundation

/// A JSON Lines file, in which each line is flushed to disk before the next is written: after a crash, all reported
/// lines are there.
final class ReportFile: Sendable {
    private let handle: FileHandle
    private let path: String

    /// Opens a report.
    ///
    /// - Parameters:
    ///   - path: The file; accessible only to its owner when it is created.
    ///   - continuing: Whether to append to an earlier report; otherwise it is overwritten.
    /// - Throws: ``CommandFailure`` with `report` if the path is another kind of file, or cannot be written.
    init(_ path: String, continuing: Bool) throws {
        self.path = path
        if let there = try Self.open(path) {
            guard try Self.isReport(there, path) else {
                throw CommandFailure(
                    "report", "\"\(path)\" is not a report, and is not overwritten. Use another path.",
                    .usage)
            }
            handle = there
        } else {
            handle = try Self.make(path)
        }
        try writing {
            guard continuing else { return try handle.truncate(atOffset: 0) }
            let end = try handle.seekToEnd()
            guard end > 0 else { return }
            // The last line of a killed program may be incomplete.
            try handle.seek(toOffset: end - 1)
            if try handle.read(upToCount: 1) != Data("\n".utf8) { try handle.write(contentsOf: Data("\n".utf8)) }
        }
    }

    deinit {
        try? handle.close()
    }

    /// Appends a line and flushes it to disk.
    func append(_ line: String) throws {
        try writing {
            try handle.write(contentsOf: Data((line + "\n").utf8))
            try ReportDescriptor.synchronize(handle.fileDescriptor)
        }
    }

    private func writing(_ body: () throws -> Void) throws {
        do { try body() } catch { throw Self.notWritten(path) }
    }

    private static func notWritten(_ path: String) -> CommandFailure {
        CommandFailure(
            "report", "The report \"\(path)\" cannot be written. Check its directory and the disk.", .inputOutput)
    }

    // MARK: Reading

    private struct Line: Decodable {
        let command: String
        let path: String
        let status: String
    }

    /// The maximum length of the first line, in bytes.
    private static let longestLine = 1 << 20

    /// Opens an existing report; never waits for the other end of a FIFO.
    ///
    /// - Returns: Nil if there is no file.
    private static func open(_ path: String) throws -> FileHandle? {
        switch ReportDescriptor.open(path) {
        case .nothing: return nil
        case .notRegular: throw notRead(path)
        case .notOpened: throw notWritten(path)
        case .opened(let descriptor): return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
    }

    private static func make(_ path: String) throws -> FileHandle {
        guard let descriptor = ReportDescriptor.make(path) else { throw notWritten(path) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Whether a file is empty or begins with a line of a report.
    private static func isReport(_ handle: FileHandle, _ path: String) throws -> Bool {
        let start: Data
        do {
            try handle.seek(toOffset: 0)
            start = try handle.read(upToCount: longestLine) ?? Data()
        } catch {
            throw notRead(path)
        }
        guard !start.isEmpty else { return true }
        return (try? JSONDecoder().decode(Line.self, from: start.prefix { $0 != UInt8(ascii: "\n") })) != nil
    }

    private static func notRead(_ path: String) -> CommandFailure {
        CommandFailure(
            "report", "\"\(path)\" cannot be read, and is not overwritten. Use another path.",
            .inputOutput)
    }

    /// The paths of the databases that a command has completed.
    static func finished(_ command: String, in path: String) -> Set<String> {
        // A file that is not a report is rejected when the report is opened.
        let content = (try? open(path)?.readToEnd()) ?? Data()
        let lines = content.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // A truncated line is ignored.
            try? JSONDecoder().decode(Line.self, from: line)
        }
        return Set(lines.filter { $0.command == command && $0.status != "failed" }.map(\.path))
    }
}
