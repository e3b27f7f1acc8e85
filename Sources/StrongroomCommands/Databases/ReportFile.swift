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
        /// The last copy that was made of it.
        fileprivate(set) var copy: Copy?
    }

    /// What the line of a copy says of its files.
    struct Copy: Codable, Equatable {
        let file: String?
        let bytes: Int64?
        let envelope: String?
    }

    /// Opens a report, and locks it.
    ///
    /// - Parameters:
    ///   - path: The file; accessible only to its owner when it is created.
    ///   - continuing: Whether to append to an earlier report; otherwise only the times of its lines are kept.
    ///   - commands: The commands, of which ``earlier`` has the lines.
    ///   - weaker: Commands whose failures count, too.
    /// - Throws: ``CommandFailure`` with `report` if the path is another kind of file, or cannot be written; with
    ///   `locked` if another run writes it.
    init(_ path: String, continuing: Bool, of commands: [String], weaker: [String] = []) throws {
        self.path = path
        let there = try Self.open(path) ?? Self.make(path)
        guard try Self.isReport(there, path) else {
            throw CommandFailure(
                "report", "\"\(path)\" is not a report, and is not overwritten. Use another path.",
                .usage)
        }
        try Self.lock(there, path)
        earlier = Self.lines(of: commands, weaker: weaker, in: path)
        // The old file is locked until the new one is.
        handle = try withExtendedLifetime(there) { try continuing ? there : Self.startedOver(path) }
        try writing {
            let end = try handle.seekToEnd()
            guard end > 0 else { return }
            // The last line of a killed program may be incomplete.
            try handle.seek(toOffset: end - 1)
            if try handle.read(upToCount: 1) != Data("\n".utf8) { try handle.write(contentsOf: Data("\n".utf8)) }
        }
    }

    /// Closes and unlocks it.
    func close() { try? handle.close() }

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

    private static func lock(_ handle: FileHandle, _ path: String) throws {
        guard ReportDescriptor.lock(handle.fileDescriptor, at: path) else {
            throw CommandFailure(
                "locked", "Another run writes the report \"\(path)\". Wait for it, or use another path.",
                .temporaryFailure)
        }
    }

    /// Replaces a report by one that only says when each command was last done with each database.
    private static func startedOver(_ path: String) throws -> FileHandle {
        var latest: [[String]: Line] = [:]
        for line in lines(in: path) {
            guard let time = line.time else { continue }
            var kept = Line(command: line.command, database: line.database, path: line.path, status: "pending")
            kept.lastDone = max(time, latest[[line.command, line.path]]?.lastDone ?? time)
            latest[[line.command, line.path]] = kept
        }
        let file = try OutputFile(URL(filePath: path).resolvingSymlinksInPath().path, replaces: true)
        for line in latest.values.sorted(by: { $0.path < $1.path }) { try file.write(JSONLine.encode(line) + "\n") }
        try file.finish()
        guard let handle = try open(path) else { throw notWritten(path) }
        try lock(handle, path)
        return handle
    }

    // MARK: Reading

    private struct Line: Codable {
        let command: String
        let database: String
        let path: String
        let status: String
        // Those of 0.2.0 have no times.
        var end: Date?
        var lastDone: Date?
        var detail: Copy?

        /// When the command was last done; unknown if that is in the future, as after the clock was wrong.
        var time: Date? { (status == "done" ? end : lastDone).flatMap { $0 > .now + 60 ? nil : $0 } }
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

    /// Whether a file is empty or begins with a line of a report, which a killed program may have left incomplete.
    private static func isReport(_ handle: FileHandle, _ path: String) throws -> Bool {
        let start: Data
        do {
            try handle.seek(toOffset: 0)
            start = try handle.read(upToCount: longestLine) ?? Data()
        } catch {
            throw notRead(path)
        }
        guard !start.isEmpty else { return true }
        let first = Data(start.prefix { $0 != UInt8(ascii: "\n") })
        let isIncomplete = (try? JSONSerialization.jsonObject(with: first)) == nil
        return line(first) != nil || isIncomplete && first.starts(with: Data(#"{"command":"#.utf8))
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
                guard let time = line.time else { continue }
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
    /// - Parameters:
    ///   - commands: The commands whose lines count.
    ///   - weaker: The commands of whose lines only failures count.
    static func lines(of commands: [String], weaker: [String] = [], in path: String) -> [String: Earlier] {
        var found: [String: Earlier] = [:]
        for line in lines(in: path) {
            var earlier = found[line.path] ?? Earlier()
            if commands.contains(line.command) {
                earlier.isFinished = ["done", "skipped"].contains(line.status)
                earlier.lastDone = [line.time, earlier.lastDone].compactMap(\.self).max()
                earlier.copy = line.detail?.file == nil ? earlier.copy : line.detail
            } else if weaker.contains(line.command), line.status == "failed" {
                earlier.isFinished = false
            }
            found[line.path] = earlier
        }
        return found
    }
}
