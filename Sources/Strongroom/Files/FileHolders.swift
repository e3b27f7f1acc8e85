import Foundation

/// The other processes that have a file open, as far as the operating system tells.
enum FileHolders {
    /// Describes those who hold a lock on a file.
    ///
    /// - Parameter paths: The names of the file and of those beside it on which it is locked.
    /// - Returns: A list such as `process 4711 (inventory)`; empty where the system does not tell, or nobody holds one.
    static func describe(_ paths: [String]) throws -> String {
        let nodes = try Set(paths.compactMap { try FileStatus.at($0)?.identity.node })
        // One line a lock: number, kind, mode, access, process, device and node, first and last byte. Only Linux has it.
        guard let table = FileManager.default.contents(atPath: "/proc/locks") else { return "" }
        var processes: Set<Int> = []
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ").filter { $0 != "->" }
            guard fields.count > 5, let process = Int(fields[4]), process != ProcessInfo.processInfo.processIdentifier,
                let node = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }), nodes.contains(node)
            else { continue }
            processes.insert(process)
        }
        return processes.sorted().map(describe).joined(separator: ", ")
    }

    private static func describe(_ process: Int) -> String {
        let name = FileManager.default.contents(atPath: "/proc/\(process)/comm")
            .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
        return name.map { "process \(process) (\($0))" } ?? "process \(process)"
    }
}
