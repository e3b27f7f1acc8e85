import Foundation

/// The other processes that have a file open, as far as the operating system tells.
enum FileHolders {
    /// Finds those who hold a lock on a database's file, or on the index of its log.
    ///
    /// - Returns: The numbers of the processes; none where the system does not tell.
    /// - Throws: ``StrongroomError`` when it could not be looked, as with too many files open: that is not the same as
    ///   nobody.
    static func locking(_ path: String) throws -> [Int] {
        let nodes = try Set(["", "-shm"].compactMap { try FileStatus.at(path + $0)?.identity.node })
        return try locking(nodes) ?? []
    }

    /// Finds the other processes that hold a lock on files, of whatever kind.
    ///
    /// - Parameter nodes: The files' nodes.
    /// - Returns: The numbers of the processes; nil where the system does not tell.
    static func locking(_ nodes: Set<UInt64>) throws -> [Int]? {
        // One line a lock: number, kind, mode, access, process, device and node, first and last byte. Only Linux has
        // it. Read to its end: it has no length, and comes in pieces.
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

    /// Finds the other processes that have a file open, with a lock or without one, as far as this one may look: those
    /// of the same user, and for root all.
    ///
    /// - Returns: As ``locking(_:)``.
    /// - Throws: As ``locking(_:)``.
    static func opening(_ path: String) throws -> [Int] {
        guard let identity = try FileStatus.at(path)?.identity else { return [] }
        return try opening(identity)
    }

    /// As for a path, of a file that may have no name.
    static func opening(_ identity: FileStatus.Identity) throws -> [Int] {
        // Only Linux has it.
        let processes = try visible { try FileSystem.names(in: "/proc") } ?? []
        let holders = try processes.compactMap { Int($0) }.filter { process in
            guard process != own else { return false }
            return try openFiles(of: process).contains(identity)
        }
        return holders.sorted()
    }

    /// How often this process has a file open; 0 where the system does not tell.
    static func descriptorsHere(_ path: String) throws -> Int {
        guard let identity = try FileStatus.at(path)?.identity else { return 0 }
        return try openFiles(of: own).count { $0 == identity }
    }

    /// What each descriptor of a process refers to.
    private static func openFiles(of process: Int) throws -> [FileStatus.Identity] {
        try visible { try FileSystem.identities(in: "/proc/\(process)/fd") } ?? []
    }

    /// Those of ``locking(_:)`` and of ``opening(_:)``.
    static func using(_ path: String) throws -> [Int] {
        try Set(locking(path) + opening(path)).sorted()
    }

    /// How long a process that is being started may have what the one has open that starts it.
    static let startOfAProcess = Duration.seconds(2)
    /// Seconds between two tries.
    private static let pause = 0.02

    /// Those who still have a file when it is asked again, for as long as a process takes that is being started.
    ///
    /// - Parameters:
    ///   - find: Looks for them.
    ///   - whenWaiting: Called between two tries; what it throws ends the waiting.
    static func lasting(_ find: () throws -> [Int], whenWaiting: () throws -> Void = {}) throws -> [Int] {
        let start = ContinuousClock.now
        while true {
            let holders = try find()
            guard !holders.isEmpty, ContinuousClock.now - start < startOfAProcess else { return holders }
            try whenWaiting()
            Thread.sleep(forTimeInterval: pause)
        }
    }

    /// Those of ``using(_:)`` who stay: a process that is being started has, for a moment, what the one has open that
    /// starts it.
    ///
    /// - Parameters:
    ///   - path: The database's file.
    ///   - patience: How long at most it is asked again while somebody may be such a process.
    ///   - whenWaiting: As for ``lasting(_:whenWaiting:)``.
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
            // Those alone who were there each time: a program that starts many has always one of them.
            holders = try Set(using(path)).intersection(holders).sorted()
        }
        return holders
    }

    /// Whether a process has a file perhaps only because the one has it that starts it; locks are not handed on.
    private static func mayBeBeingStarted(_ process: Int, among holders: [Int], _ path: String) throws -> Bool {
        guard let starter = try starter(of: process), starter == own || holders.contains(starter) else { return false }
        return try !locking(path).contains(process)
    }

    /// The process that has started another one; nil where the system does not tell.
    private static func starter(of process: Int) throws -> Int? {
        guard let status = try visible({ try FileSystem.firstBytes(of: "/proc/\(process)/status", largestStatus) })
        else {
            return nil
        }
        return String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("PPid:") }
            .flatMap { Int($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
    }

    /// What a process's program is called; nil where the system does not tell.
    static func name(of process: Int) -> String? {
        FileManager.default.contents(atPath: "/proc/\(process)/comm")
            .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// A list for people such as `process 4711 (inventory)`.
    static func describe(_ processes: [Int]) -> String {
        processes.map { process in name(of: process).map { "process \(process) (\($0))" } ?? "process \(process)" }
            .joined(separator: ", ")
    }

    private static var own: Int { Int(ProcessInfo.processInfo.processIdentifier) }

    /// What is there and may be looked at: processes and descriptors come and go meanwhile, and those of other users
    /// are theirs.
    private static func visible<T>(_ look: () throws -> T) throws -> T? {
        do {
            return try look()
        } catch let error as StrongroomError where isHidden(error.code) {
            return nil
        }
    }

    private static func isHidden(_ code: StrongroomError.Code) -> Bool {
        // The last one is for a process that ends while it is looked at (ESRCH).
        [.fileMissing, .permissionDenied, .notAFile, .inputOutput].contains(code)
    }

    /// Bytes.
    private static let largestTable = 4 << 20
    private static let largestStatus = 1 << 16
}
