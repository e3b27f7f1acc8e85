import Foundation

/// A JSON Lines file, in which each line is flushed to disk before the next is written: after a crash, all reported
/// lines are there.
final class ReportFile: Sendable {
    private let handle: FileHandle
    private let path: String
    /// What earlier runs have written of databases, by their paths.
    let earlier: [String: Earlier]

    /// What the lines of a command say of a database.
    struct Earlier: Equatable {
        /// Whether the last line says that it was done, or that there was nothing to do.
        fileprivate(set) var isFinished = false
        /// When it was last done; nil if no line says that, as in a report of 0.2.0.
        fileprivate(set) var lastDone: Date?
    }

    /// Opens a report.
    ///
    /// - Parameters:
    ///   - path: The file; accessible only to its owner when it is created.
    ///   - continuing: Whether to append to an earlier report; otherwise it is overwritten.
    ///   - commands: The commands, of which ``earlier`` has the lines.
    /// - Throws: ``CommandFailure`` with `report` if the path is another kind of file, or cannot be written.
    init(_ path: String, continuing: Bool, of commands: [String]) throws {
        self.path = path
        earlier = Self.lines(of: commands, in: path)
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
        // Those of 0.2.0 have no times.
        let end: Date?
        let lastDone: Date?
    }

    private static func line(_ bytes: Data) -> Line? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? decoder.decode(Line.self, from: bytes)
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
        return line(start.prefix { $0 != UInt8(ascii: "\n") }) != nil
    }

    private static func notRead(_ path: String) -> CommandFailure {
        CommandFailure(
            "report", "\"\(path)\" cannot be read, and is not overwritten. Use another path.",
            .inputOutput)
    }

    /// When each command was last done with each database, by the database's path and the command's name.
    ///
    /// - Throws: ``CommandFailure`` with `report` for a file that is missing or is not a report.
    static func times(in paths: [String]) throws -> [String: [String: Date]] {
        var times: [String: [String: Date]] = [:]
        for path in paths {
            guard let handle = try open(path), try isReport(handle, path) else {
                throw CommandFailure("report", "\"\(path)\" is not a report. Use another path.", .noInput)
            }
            for line in lines(in: path) {
                guard let time = line.status == "done" ? line.end : line.lastDone else { continue }
                times[line.path, default: [:]][line.command] = max(time, times[line.path]?[line.command] ?? time)
            }
        }
        return times
    }

    private static func lines(in path: String) -> [Line] {
        // A file that is not a report is rejected when the report is opened; a truncated line is ignored.
        let content = (try? open(path)?.readToEnd()) ?? Data()
        return content.split(separator: UInt8(ascii: "\n")).compactMap(Self.line)
    }

    /// What a report says of databases, by their paths.
    ///
    /// - Parameter commands: The commands whose lines count.
    static func lines(of commands: [String], in path: String) -> [String: Earlier] {
        var found: [String: Earlier] = [:]
        for line in lines(in: path) where commands.contains(line.command) {
            let times = [line.status == "done" ? line.end : nil, line.lastDone, found[line.path]?.lastDone]
            found[line.path] = Earlier(isFinished: line.status != "failed", lastDone: times.compactMap(\.self).max())
        }
        return found
    }
}
