import Foundation

/// What a process holds, as Linux reports it. See proc_pid_status(5).
struct ServiceSample {
    /// Resident bytes that no file backs: allocated memory and stacks.
    let memory: Int
    let descriptors: Int
    let threads: Int

    /// - Parameter process: The identifier of a process.
    /// - Returns: nil if it has ended, or the system has no /proc.
    init?(of process: Int32) {
        let directory = "/proc/\(process)"
        guard let status = try? String(contentsOfFile: "\(directory)/status", encoding: .utf8),
            let kilobytes = Self.number("RssAnon", in: status), let threads = Self.number("Threads", in: status),
            let open = try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/fd")
        else { return nil }
        memory = kilobytes << 10
        self.threads = threads
        descriptors = open.count
    }

    private static func number(_ field: String, in status: String) -> Int? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
}
