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
        // Read to its end: it has no length, and comes in pieces.
        guard let table = try? FileSystem.firstBytes(of: "/proc/locks", largestTable) else { return "" }
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

    /// Describes the other processes that have a file open, with a lock or without one, as far as this one may look: those of the same user, and
    /// for root all.
    ///
    /// - Returns: As ``describe(_:)``; empty also where the system does not tell.
    static func describeOpen(_ path: String) throws -> String {
        guard let identity = try FileStatus.at(path)?.identity else { return "" }
        let own = Int(ProcessInfo.processInfo.processIdentifier)
        // Only Linux has it; processes and descriptors come and go while they are looked at.
        let processes = ((try? FileSystem.names(in: "/proc")) ?? []).compactMap { Int($0) }
        let holders = processes.filter { process in
            guard process != own else { return false }
            let directory = "/proc/\(process)/fd"
            return ((try? FileSystem.names(in: directory)) ?? []).contains { name in
                ((try? FileStatus.at("\(directory)/\(name)")) ?? nil)?.identity == identity
            }
        }
        return holders.sorted().map(describe).joined(separator: ", ")
    }

    /// Bytes.
    private static let largestTable = 4 << 20

    private static func describe(_ process: Int) -> String {
        let name = FileManager.default.contents(atPath: "/proc/\(process)/comm")
            .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
        return name.map { "process \(process) (\($0))" } ?? "process \(process)"
    }
}
