import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reports changes of databases' files, whichever process makes them. All files that the process watches share one
/// descriptor of the system, and no thread waits while nothing changes.
///
/// On Linux see inotify(7). Writes through a memory mapping, as those to a WAL index, are not reported.
final class FileWatching: Sendable {
    static let shared = FileWatching()

    enum Report {
        /// The file, or its WAL, was written or replaced.
        case change
        /// The system watches the file no longer.
        case loss
    }

    private struct Watched {
        let path: String
        let report: @Sendable (Report) -> Void
        /// The system's numbers of the watches.
        var watches: Set<Int32>
    }

    private struct State {
        var queue: SystemWatches?
        var files: [UInt64: Watched] = [:]
        /// The files that need a watch; the directory's may be needed by several.
        var owners: [Int32: Set<UInt64>] = [:]
        var lastFile: UInt64 = 0
    }

    private let state = Locked(State())

    /// How long changes are collected before the next ones are reported, in microseconds: a program that writes without
    /// pause wakes this one up some hundred times per second and no more.
    private static let pause: UInt32 = 3_000

    /// Watches a database's file and its WAL.
    ///
    /// - Returns: The watch, which ends when it is deinitialized; nil if the system does not report changes of the
    ///   file, or has no watch left.
    func watch(_ path: String, _ report: @escaping @Sendable (Report) -> Void) -> FileWatch? {
        guard SystemWatches.isReliable(path) else { return nil }
        let file = state.withLock { state -> UInt64? in
            guard let queue = open(&state) else { return nil }
            guard let watches = queue.add(path) else {
                close(&state)
                return nil
            }
            state.lastFile += 1
            state.files[state.lastFile] = Watched(path: path, report: report, watches: watches)
            for watch in watches { state.owners[watch, default: []].insert(state.lastFile) }
            return state.lastFile
        }
        return file.map { FileWatch($0, self) }
    }

    /// Watches the files that are at the path now.
    fileprivate func renew(_ file: UInt64) {
        let lost = state.withLock { renew(file, &$0) ? nil : $0.files[file]?.report }
        lost?(.loss)
    }

    fileprivate func end(_ file: UInt64) {
        state.withLock { state in
            guard let watched = state.files.removeValue(forKey: file) else { return }
            remove(watched.watches, of: file, &state)
            close(&state)
        }
    }

    private func open(_ state: inout State) -> SystemWatches? {
        if state.queue == nil {
            state.queue = SystemWatches { [weak self] in
                self?.reportChanges()
                // On a thread that the system provides; what changes meanwhile is reported together.
                usleep(Self.pause)
            }
        }
        return state.queue
    }

    /// Closes the descriptor when no file is watched.
    private func close(_ state: inout State) {
        guard state.files.isEmpty else { return }
        state.queue.take()?.close()
        state.owners = [:]
    }

    private func remove(_ watches: Set<Int32>, of file: UInt64, _ state: inout State) {
        for watch in watches {
            state.owners[watch]?.remove(file)
            guard state.owners[watch]?.isEmpty == true else { continue }
            state.owners[watch] = nil
            state.queue?.remove(watch)
        }
    }

    /// - Returns: False if the file cannot be watched any more.
    private func renew(_ file: UInt64, _ state: inout State) -> Bool {
        guard let watched = state.files[file], let queue = state.queue else { return true }
        guard let watches = queue.add(watched.path) else { return false }
        state.files[file]?.watches = watches
        for watch in watches { state.owners[watch, default: []].insert(file) }
        remove(watched.watches.subtracting(watches), of: file, &state)
        return true
    }

    private func reportChanges() {
        var reports: [@Sendable (Report) -> Void] = []
        var losses: [@Sendable (Report) -> Void] = []
        state.withLock { state in
            guard let changes = state.queue?.changes() else { return }
            var files: Set<UInt64> = changes.hasOverflowed ? Set(state.files.keys) : []
            var replaced = files
            for watch in changes.changed { files.formUnion(state.owners[watch, default: []]) }
            for watch in changes.replaced { replaced.formUnion(state.owners[watch, default: []]) }
            for (watch, names) in changes.created {
                for file in state.owners[watch, default: []] {
                    guard let path = state.files[file]?.path else { continue }
                    let own = [path, SideFiles(of: path).log].map(FileSystem.name(of:))
                    if own.contains(where: names.contains) { replaced.insert(file) }
                }
            }
            for watch in changes.ended { state.owners[watch] = nil }
            for file in replaced where !renew(file, &state) { losses += [state.files[file]?.report].compactMap(\.self) }
            // After renewing: what was written to a new file before it was watched is found by the caller now.
            reports = files.union(replaced).compactMap { state.files[$0]?.report }
        }
        for report in reports { report(.change) }
        for report in losses { report(.loss) }
    }
}

/// A watched file; the watch ends when it is deinitialized.
final class FileWatch: Sendable {
    private let file: UInt64
    private let watching: FileWatching

    fileprivate init(_ file: UInt64, _ watching: FileWatching) {
        self.file = file
        self.watching = watching
    }

    /// Watches the files that are at the path now, after others have been put there.
    func renew() {
        watching.renew(file)
    }

    deinit {
        watching.end(file)
    }
}

/// Changes of watched files since the last call.
struct FileChanges {
    /// Watches of files that were written.
    var changed: Set<Int32> = []
    /// Watches of files that were renamed, removed or replaced.
    var replaced: Set<Int32> = []
    /// The names that appeared in a watched directory.
    var created: [Int32: Set<String>] = [:]
    /// Watches that the system has ended.
    var ended: Set<Int32> = []
    /// Whether changes were lost, because there were too many.
    var hasOverflowed = false
}

private func shut(_ descriptor: Int32) {
    close(descriptor)
}

#if canImport(Darwin)
/// The system's watches: one descriptor and one source per file or directory, see kqueue(2).
///
/// The database's file itself is not opened: closing the descriptor would drop the engine's locks. Changes of it that
/// do not go through the WAL create or remove a journal in the directory.
final class SystemWatches: @unchecked Sendable {  // guarded by FileWatching's lock, but for `found`
    private let queue = DispatchQueue(label: "strongroom.watch")
    private let report: @Sendable () -> Void
    private var sources: [Int32: (path: String, source: any DispatchSourceFileSystemObject)] = [:]
    private var last: Int32 = 0
    private let found = Locked(FileChanges())

    init?(_ report: @escaping @Sendable () -> Void) {
        self.report = report
    }

    /// Whether the system reports each change of a file: on a local file system.
    static func isReliable(_ path: String) -> Bool {
        var status = statfs()
        return statfs(path, &status) == 0 && status.f_flags & UInt32(MNT_LOCAL) != 0
    }

    func add(_ path: String) -> Set<Int32>? {
        let log = SideFiles(of: path).log
        var watches: Set<Int32> = []
        guard let directory = source(FileSystem.directory(of: path)) else { return nil }
        watches.insert(directory)
        if let watch = source(log) { watches.insert(watch) } else if errno != ENOENT { return nil }
        return watches
    }

    private func source(_ path: String) -> Int32? {
        if let known = sources.first(where: { $0.value.path == path }) { return known.key }
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        last += 1
        let number = last
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .rename, .delete], queue: queue)
        source.setEventHandler { [weak self] in self?.record(number) }
        source.setCancelHandler { shut(descriptor) }
        sources[number] = (path, source)
        source.activate()
        return number
    }

    private func record(_ number: Int32) {
        found.withLock { _ = $0.changed.insert(number) }
        report()
    }

    func remove(_ watch: Int32) {
        sources.removeValue(forKey: watch)?.source.cancel()
    }

    /// Changes since the last call. A file is reported as replaced when it was removed or its directory has changed.
    func changes() -> FileChanges {
        var changes = found.withLock { found in
            defer { found = FileChanges() }
            return found
        }
        for number in changes.changed {
            guard let (path, source) = sources[number] else { continue }
            let isGone = !source.data.isDisjoint(with: [.rename, .delete]) || !path.hasSuffix(SideFiles.logEnding)
            if isGone, path.hasSuffix(SideFiles.logEnding) { remove(number) }
            if isGone { changes.replaced.insert(number) }
        }
        return changes
    }

    func close() {
        for (_, source) in sources.values { source.cancel() }
        sources = [:]
    }
}
#else
/// The system's watches: one descriptor for all files, see inotify(7).
final class SystemWatches: Sendable {
    private let descriptor: Int32
    private let source: Locked<any DispatchSourceRead>

    private static let ofFile = UInt32(IN_MODIFY) | UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)
    private static let ofDirectory = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR)
    /// A removed link is a change of an attribute.
    private static let replacing = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)
    private static let appearing = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)

    init?(_ report: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "strongroom.watch"))
        source.setEventHandler(handler: report)
        source.setCancelHandler { shut(descriptor) }
        source.activate()
        self.source = Locked(source)
    }

    /// Whether the system reports each change of a file.
    static func isReliable(_ path: String) -> Bool { !RemoteFileSystems.contain(path) }

    /// Watches a database's file and its WAL, and the directory as long as one of them is missing.
    ///
    /// - Returns: The watches; nil if the system has none left.
    func add(_ path: String) -> Set<Int32>? {
        var watches: Set<Int32> = []
        for path in [path, SideFiles(of: path).log] {
            var watch = inotify_add_watch(descriptor, path, Self.ofFile)
            if watch < 0, errno == ENOENT {
                let directory = inotify_add_watch(descriptor, FileSystem.directory(of: path), Self.ofDirectory)
                guard directory >= 0 else { return nil }
                watches.insert(directory)
                // It may have been created before the directory was watched.
                watch = inotify_add_watch(descriptor, path, Self.ofFile)
                if watch < 0, errno == ENOENT { continue }
            }
            guard watch >= 0 else { return nil }
            watches.insert(watch)
        }
        return watches
    }

    func remove(_ watch: Int32) {
        inotify_rm_watch(descriptor, watch)
    }

    private static let length = 16 << 10

    func changes() -> FileChanges {
        var changes = FileChanges()
        withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 16) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, Self.length)
                guard count > 0 || count < 0 && errno == EINTR else { return }
                if count > 0 { Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &changes) }
            }
        }
        return changes
    }

    /// Bytes of an event before its name.
    private static let eventHead = 16

    private static func parse(_ bytes: UnsafeRawBufferPointer, _ changes: inout FileChanges) {
        var offset = 0
        while offset + eventHead <= bytes.count {
            let watch = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            offset += eventHead
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { changes.hasOverflowed = true }
            if mask & UInt32(IN_IGNORED) != 0 { changes.ended.insert(watch) }
            if mask & UInt32(IN_MODIFY) != 0 { changes.changed.insert(watch) }
            if mask & replacing != 0 { changes.replaced.insert(watch) }
            if mask & appearing != 0 {
                let name = bytes[offset..<min(offset + length, bytes.count)].prefix { $0 != 0 }
                changes.created[watch, default: []].insert(String(decoding: name, as: UTF8.self))
            }
            offset += length
        }
    }

    func close() {
        source.withLock { $0.cancel() }
    }
}
#endif

/// File systems whose files may change without this system's kernel, which then reports no change of them.
enum RemoteFileSystems {
    /// Types by their names in the table of mounts.
    private static let types: Set<Substring> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "coda", "lustre", "gpfs", "ocfs2",
        "gfs2", "beegfs", "orangefs", "glusterfs", "vboxsf", "vmhgfs", "prl_fs",
    ]

    private static let table = "/proc/self/mountinfo"
    private static let largestTable = 4 << 20

    /// Whether a file is on one of them; false if the system does not report it.
    static func contain(_ path: String) -> Bool {
        guard let device = try? FileStatus.at(path)?.identity.device,
            let mounts = try? FileSystem.firstBytes(of: table, largestTable)
        else { return false }
        return contain(device: device, in: String(decoding: mounts, as: UTF8.self))
    }

    /// Whether a device is one of them.
    ///
    /// - Parameters:
    ///   - device: The device's number, in which major and minor number are interleaved; see makedev(3).
    ///   - mounts: The table of mounts; see proc_pid_mountinfo(5).
    static func contain(device: UInt64, in mounts: String) -> Bool {
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & ~0xFF
        let number = "\(major):\(minor)"
        return mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            // Optional fields precede the dash, and the type follows it.
            guard fields.count > 2, fields[2] == number, let dash = fields.firstIndex(of: "-"),
                dash + 1 < fields.count
            else { return false }
            return types.contains(fields[dash + 1]) || fields[dash + 1].hasPrefix("fuse")
        }
    }
}
