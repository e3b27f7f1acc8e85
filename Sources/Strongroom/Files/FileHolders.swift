import Foundation

/// Finds other processes that have a file open, as far as the operating system reports them.
enum FileHolders {
    /// Finds processes that hold a lock on a database file or its WAL index.
    ///
    /// - Returns: The process IDs; empty if the system does not report them.
    /// - Throws: ``StrongroomError`` if the search failed, for instance because of too many open files. A failure does
    ///   not mean that no process holds a lock.
    static func locking(_ path: String) throws -> [Int] {
        let nodes = try Set([path, SideFiles(of: path).index].compactMap { try FileStatus.at($0)?.identity.node })
        return try locking(nodes) ?? []
    }

    /// Finds other processes that hold a lock of any kind on one of the files.
    ///
    /// - Returns: The process IDs; nil if the system does not report them.
    static func locking(_ nodes: Set<UInt64>) throws -> [Int]? {
        // One line per lock: number, kind, mode, access, process, device and inode, first and last byte. Linux only.
        // Read to the end: the file reports no size and is returned in parts.
        guard let table = try visible({ try FileSystem.firstBytes(of: "/proc/locks", largestTable) }) else {
            return nil
        }
        var processes: Set<Int> = []
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ").filter { $0 != "->" }
            guard fields.count > 5, let process = Int(fields[4]), process != own,
                let node = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }), nodes.contains(node)
            else { continue }
            processes.insert(process)
        }
        return processes.sorted()
    }

    /// Finds other processes that have a file open, with or without a lock. Only processes of the same user are
    /// visible; for root, all processes.
    static func withOpenFile(_ path: String) throws -> [Int] {
        // A device, such as /dev/null, or a directory is open in many.
        guard let status = try FileStatus.at(path), status.isRegularFile else { return [] }
        return try withOpenFile(status.identity)
    }

    /// The same for a file that may have no name.
    static func withOpenFile(_ identity: FileStatus.Identity) throws -> [Int] {
        // Linux only.
        let processes = try visible { try FileSystem.names(in: "/proc") } ?? []
        return try processes.compactMap { Int($0) }.filter { try $0 != own && openFiles(of: $0).contains(identity) }
            .sorted()
    }

    /// The number of descriptors of this process that refer to a file; 0 if the system does not report them.
    static func descriptorsHere(_ path: String) throws -> Int {
        guard let identity = try FileStatus.at(path)?.identity else { return 0 }
        return try openFiles(of: own).count { $0 == identity }
    }

    private static func openFiles(of process: Int) throws -> [FileStatus.Identity] {
        let directory = "/proc/\(process)/fd"
        return try (visible { try FileSystem.names(in: directory) } ?? []).compactMap { name in
            try visible { try FileStatus.at("\(directory)/\(name)")?.identity } ?? nil
        }
    }

    /// The processes of ``locking(_:)`` and ``withOpenFile(_:)``.
    static func using(_ path: String) throws -> [Int] { try Set(locking(path) + withOpenFile(path)).sorted() }

    /// How long a child process may hold descriptors inherited from its parent before it calls `exec`.
    static let startOfAProcess = Duration.seconds(2)
    /// Seconds between two attempts.
    private static let pause = 0.02

    /// Repeats a search until it finds no process or the startup time of a process has passed, and returns the
    /// processes found last.
    static func lasting(_ find: () throws -> [Int], whenWaiting: () throws -> Void = {}) throws -> [Int] {
        let start = ContinuousClock.now
        while true {
            let holders = try find()
            guard !holders.isEmpty, ContinuousClock.now - start < startOfAProcess else { return holders }
            try whenWaiting()
            Thread.sleep(forTimeInterval: pause)
        }
    }

    /// The processes of ``using(_:)`` that keep the file open. A child process holds its parent's descriptors for a
    /// moment, until it calls `exec`; such processes are left out.
    static func staying(
        _ path: String, patience: Duration = startOfAProcess, whenWaiting: () throws -> Void
    ) throws -> [Int] {
        let start = ContinuousClock.now
        var holders = try using(path)
        while try holders.contains(where: { try mayBeBeingStarted($0, among: holders, path) }),
            ContinuousClock.now - start < patience
        {
            try whenWaiting()
            Thread.sleep(forTimeInterval: pause)
            // Only processes that were found each time: a program that starts many processes always has one that is
            // starting.
            holders = try Set(using(path)).intersection(holders).sorted()
        }
        return holders
    }

    /// Whether a process may have the file open only through descriptors inherited from its parent. Locks are not
    /// inherited.
    private static func mayBeBeingStarted(_ process: Int, among holders: [Int], _ path: String) throws -> Bool {
        guard let starter = try starter(of: process), starter == own || holders.contains(starter) else { return false }
        return try !locking(path).contains(process)
    }

    /// The parent of a process; nil if the system does not report it.
    private static func starter(of process: Int) throws -> Int? {
        guard let status = try visible({ try FileSystem.firstBytes(of: "/proc/\(process)/status", largestStatus) })
        else { return nil }
        return String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("PPid:") }
            .flatMap { Int($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
    }

    /// The name of a process's executable; nil if the system does not report it.
    static func name(of process: Int) -> String? {
        FileManager.default.contents(atPath: "/proc/\(process)/comm")
            .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// A description of processes for messages, such as `process 4711 (inventory)`.
    static func describe(_ processes: [Int]) -> String {
        processes.map { process in name(of: process).map { "process \(process) (\($0))" } ?? "process \(process)" }
            .joined(separator: ", ")
    }

    private static var own: Int { Int(ProcessInfo.processInfo.processIdentifier) }

    /// The result of a lookup; nil if the object does not exist or is not visible: processes and descriptors come and
    /// go, and those of other users may not be read.
    private static func visible<T>(_ inspect: () throws -> T) throws -> T? {
        do {
            return try inspect()
        } catch let error as StrongroomError
            // The last code is for a process that ends during the lookup (ESRCH).
            where [.fileMissing, .permissionDenied, .notAFile, .inputOutput].contains(error.code)
        {
            return nil
        }
    }

    /// Bytes.
    private static let largestTable = 4 << 20
    private static let largestStatus = 1 << 16
}
