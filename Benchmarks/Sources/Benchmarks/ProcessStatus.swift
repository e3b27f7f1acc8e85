import Baseline
import Foundation

/// What this process holds, as Linux tells it. See proc_pid_status(5), proc_pid_clear_refs(5).
struct ProcessStatus {
    /// Resident bytes.
    let memory: Int
    /// The most resident bytes since ``resetPeak()``.
    let peak: Int
    /// Bytes that are allocated and not freed; nil where the allocator does not tell.
    let allocated: Int?
    let descriptors: Int
    let threads: Int

    private struct NotUnderstood: Error {
        let field: String
    }

    /// Where there is no such directory nothing can be measured.
    private static let directory = "/proc/self"

    static var isAvailable: Bool { FileManager.default.fileExists(atPath: "\(directory)/clear_refs") }

    /// What the process holds now. What was freed does not count: it is given back to the system first.
    static func current() throws -> ProcessStatus {
        // The first reading loads what it needs, which would otherwise count in every later one.
        _ = try ProcessStatus()
        baseline_release_memory()
        return try ProcessStatus()
    }

    /// Makes the peak what is resident now.
    static func resetPeak() throws {
        let file = try FileHandle(forWritingTo: URL(filePath: "\(directory)/clear_refs"))
        defer { try? file.close() }
        try file.write(contentsOf: Data("5".utf8))
    }

    /// The peak, with what was freed meanwhile.
    static func currentPeak() throws -> Int { try ProcessStatus().peak }

    private init() throws {
        let status = try String(contentsOfFile: "\(Self.directory)/status", encoding: .utf8)
        memory = try Self.bytes(of: "VmRSS", in: status)
        peak = try Self.bytes(of: "VmHWM", in: status)
        let bytes = Int(baseline_allocated_memory())
        allocated = bytes < 0 ? nil : bytes
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(Self.directory)/fd").count
        threads = try FileManager.default.contentsOfDirectory(atPath: "\(Self.directory)/task").count
    }

    private static func bytes(of field: String, in status: String) throws -> Int {
        for line in status.split(separator: "\n") where line.hasPrefix("\(field):") {
            // The field's name, a number, and "kB", which are 1,024 bytes.
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count == 3, let kilobytes = Int(words[1]) { return kilobytes << 10 }
        }
        throw NotUnderstood(field: field)
    }
}
