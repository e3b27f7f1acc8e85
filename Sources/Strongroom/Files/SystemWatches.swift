import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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

    /// Changes since the last call. A file counts as replaced when it was removed or its directory has changed.
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

    /// - Parameter report: Called when there are changes.
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

    /// The changes since the last call.
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
