import Foundation

/// The memory that the process may use: the limit of its cgroup, such as a container's, or systemd's `MemoryMax`. A
/// process that exceeds it is killed.
///
/// See cgroups(7), and in the kernel's documentation `memory.max`, and `memory.limit_in_bytes` of version 1.
struct MemoryLimit {
    /// What the paths of the system's files begin with.
    var root = ""

    /// The lowest limit of the cgroups that the process is in, in bytes; nil without one.
    var bytes: Int? {
        let groups = text(at: "/proc/self/cgroup")?.split(separator: "\n") ?? []
        return groups.flatMap(limits).min()
    }

    /// - Parameter group: A line of the system's list: a number, controllers (version 2 names none), and a path.
    private func limits(of group: Substring) -> [Int] {
        let parts = group.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return [] }
        let controllers = parts[1].split(separator: ",")
        guard controllers.isEmpty || controllers.contains("memory") else { return [] }
        let (directory, file) =
            controllers.isEmpty
            ? ("/sys/fs/cgroup", "memory.max") : ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        // The limits of the groups around it apply, too. In a container the path may be the host's, and only the first
        // of these can be read.
        var names = parts[2].split(separator: "/")[...]
        var limits: [Int] = []
        while true {
            let path = ([directory] + names.map(String.init) + [file]).joined(separator: "/")
            if let limit = limit(at: path) { limits.append(limit) }
            guard names.popLast() != nil else { return limits }
        }
    }

    /// - Returns: Nil if there is none: `max` in version 2, the largest number of pages in version 1.
    private func limit(at path: String) -> Int? {
        guard let limit = text(at: path).flatMap({ Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) else {
            return nil
        }
        return (1..<(1 << 60)).contains(limit) ? limit : nil
    }

    private func text(at path: String) -> String? { try? String(contentsOfFile: root + path, encoding: .utf8) }
}
