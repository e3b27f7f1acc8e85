import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open directory of objects. Each part of a name is opened by itself, and followed only if it is no link: whoever
/// may write to the directory cannot have files outside of it read, replaced or removed.
final class ObjectDirectory {
    let path: String
    private let descriptor: Int32

    /// Opens a directory; nil if there is none. The path itself may be a link.
    init?(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw FileSystem.failure(errno, "cannot open", path) }
            return nil
        }
    }

    private init?(_ name: String, in parent: ObjectDirectory) throws {
        path = "\(parent.path)/\(name)"
        descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ENOTDIR, ELOOP: throw ObjectFile.notOwn(path, "directory")
            default: throw FileSystem.failure(errno, "cannot open", path)
            }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// A directory in it; nil if there is none.
    func directory(_ name: String) throws -> ObjectDirectory? { try ObjectDirectory(name, in: self) }

    /// A directory in it, which is created if there is none.
    func created(_ name: String) throws -> ObjectDirectory {
        if let directory = try directory(name) { return directory }
        guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
            throw FileSystem.failure(errno, "cannot create the directory", "\(path)/\(name)")
        }
        try synchronize()
        guard let directory = try directory(name) else {
            throw FileSystem.failure(ENOENT, "cannot open", "\(path)/\(name)")
        }
        return directory
    }

    /// The names in it, without hidden ones: files that are being written, and those of other programs, such as those
    /// that synchronize directories.
    func names() throws -> [String] { try allNames().filter { !$0.hasPrefix(".") } }

    private func allNames() throws -> [String] {
        // With a position of its own.
        try FileSystem.names(taking: openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), path)
    }

    /// The status of a name, not that of what a link refers to; nil if there is none.
    private func status(_ name: String) -> FileStatus? { (try? FileStatus.ofName(name, in: descriptor)) ?? nil }

    /// The length of a file in it; nil if it is none.
    func size(_ name: String) -> Int? { status(name).flatMap { $0.isRegularFile ? Int($0.size) : nil } }

    func isDirectory(_ name: String) -> Bool { status(name)?.isDirectory ?? false }

    /// Creates a file with its entire content, unless its name is taken.
    func create(_ name: String, _ content: [UInt8]) throws -> Bool {
        let target = "\(path)/\(name)"
        if status(name) != nil { return false }
        let temporary = "\(Self.unfinished)\(UInt64.random(in: .min ... .max))"
        let new = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard new >= 0 else { throw FileSystem.failure(errno, "cannot create", target) }
        defer { unlinkat(descriptor, temporary, 0) }
        do {
            let file = PlainFile(new, target)
            try file.write(content, at: 0)
            try file.synchronize()
        }
        // Unlike a rename, a link never replaces a file.
        guard linkat(descriptor, temporary, descriptor, name, 0) == 0 else {
            guard errno != EEXIST else { return false }
            guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS else {
                throw FileSystem.failure(errno, "cannot create", target)
            }
            throw StrongroomError(
                .objectStore,
                """
                The file system of "\(path)" has no hard links, without which two hosts cannot be kept from creating \
                one object. Put the replica on another file system, or in another object store.
                """)
        }
        try synchronize()
        return true
    }

    /// The beginning of the names of files that are being written.
    private static let unfinished = ".new-"

    /// Reads a file or a part of it; nil if there is none.
    func read(_ name: String, _ range: Range<Int>?) throws -> [UInt8]? {
        let target = "\(path)/\(name)"
        let opened = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw ObjectFile.notOwn(target, "file")
            default: throw FileSystem.failure(errno, "cannot read", target)
            }
        }
        let file = PlainFile(opened, target)
        let status = try file.status()
        guard status.isRegularFile else { throw ObjectFile.notOwn(target, "file") }
        let wanted = (range ?? 0..<Int(status.size)).clamped(to: 0..<Int(status.size))
        return try file.bytes(at: Int64(wanted.lowerBound), wanted.count)
    }

    /// Removes a file; no failure if there is none.
    func remove(_ name: String) throws {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw FileSystem.failure(errno, "cannot remove", "\(path)/\(name)")
        }
    }

    /// Removes a directory in it if that is empty.
    func removeIfEmpty(_ name: String) { _ = unlinkat(descriptor, name, AT_REMOVEDIR) }

    /// Removes files that killed processes were writing, from it and the directories in it.
    func removeUnfinished() throws {
        let now = Duration.milliseconds(WriteDeadline.time)
        for name in try allNames() {
            guard let status = status(name) else { continue }
            if status.isDirectory {
                if !name.hasPrefix(".") { try directory(name)?.removeUnfinished() }
            } else if name.hasPrefix(Self.unfinished), now - status.modified > Self.longestWriting {
                try remove(name)
            }
        }
    }

    /// Longer than an object is being written.
    private static let longestWriting = Duration.seconds(3_600)

    /// Flushes the names in it to the disk.
    func synchronize() throws {
        // Some file systems cannot flush a directory.
        guard FileSynchronization.synchronize(descriptor) || errno == EINVAL else {
            throw FileSystem.failure(errno, "cannot flush to disk", path)
        }
    }
}
