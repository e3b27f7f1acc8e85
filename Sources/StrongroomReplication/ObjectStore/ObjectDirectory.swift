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
            guard errno == ENOENT else { throw ObjectFile.failure("cannot open", path) }
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
            default: throw ObjectFile.failure("cannot open", path)
            }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// A directory in it; nil if there is none.
    func directory(_ name: String) throws -> ObjectDirectory? { try ObjectDirectory(name, in: self) }

    /// A directory in it, which is made if there is none.
    func made(_ name: String) throws -> ObjectDirectory {
        if let directory = try directory(name) { return directory }
        guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
            throw ObjectFile.failure("cannot create", "\(path)/\(name)")
        }
        try synchronize()
        guard let directory = try directory(name) else { throw ObjectFile.failure("cannot create", "\(path)/\(name)") }
        return directory
    }

    /// The names in it, without hidden ones: files that are being written, and those of other programs, such as those
    /// that synchronize directories.
    func names() throws -> [String] { try allNames().filter { !$0.hasPrefix(".") } }

    private func allNames() throws -> [String] {
        // With a position of its own.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let directory = fdopendir(copy) else { throw ObjectFile.failure("cannot read", path) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    /// The status of a name, not that of what a link refers to; nil if there is none.
    private func status(_ name: String) -> stat? {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// The length of a file in it; nil if it is none.
    func size(_ name: String) -> Int? {
        status(name).flatMap { $0.st_mode & S_IFMT == S_IFREG ? Int($0.st_size) : nil }
    }

    func isDirectory(_ name: String) -> Bool { status(name).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

    /// Creates a file with its whole content, unless its name is taken.
    func create(_ name: String, _ content: [UInt8]) throws -> Bool {
        let target = "\(path)/\(name)"
        if status(name) != nil { return false }
        let temporary = "\(Self.unfinished)\(UInt64.random(in: .min ... .max))"
        let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ObjectFile.failure("cannot create", target) }
        defer { unlinkat(descriptor, temporary, 0) }
        do {
            defer { close(file) }
            try ObjectFile.write(content, to: file, target)
            guard fsync(file) == 0 else { throw ObjectFile.failure("cannot write", target) }
        }
        // Unlike a rename, a link never replaces a file.
        guard linkat(descriptor, temporary, descriptor, name, 0) == 0 else {
            guard errno != EEXIST else { return false }
            guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS else {
                throw ObjectFile.failure("cannot create", target)
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
        let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw ObjectFile.notOwn(target, "file")
            default: throw ObjectFile.failure("cannot read", target)
            }
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw ObjectFile.failure("cannot read", target) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ObjectFile.notOwn(target, "file") }
        let size = Int(status.st_size)
        return try ObjectFile.read(file, (range ?? 0..<size).clamped(to: 0..<size), target)
    }

    /// Removes a file; no failure if there is none.
    func remove(_ name: String) throws {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw ObjectFile.failure("cannot remove", "\(path)/\(name)")
        }
    }

    /// Removes a directory in it if that is empty.
    func removeIfEmpty(_ name: String) { _ = unlinkat(descriptor, name, AT_REMOVEDIR) }

    /// Removes files that killed processes were writing, from it and the directories in it.
    func removeUnfinished() throws {
        for name in try allNames() where name != "." && name != ".." {
            guard let status = status(name) else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                if !name.hasPrefix(".") { try directory(name)?.removeUnfinished() }
            } else if name.hasPrefix(Self.unfinished), ObjectFile.age(status) > Self.longestWriting {
                try remove(name)
            }
        }
    }

    /// Longer than an object is being written, in seconds.
    private static let longestWriting = 3_600

    /// Flushes the names in it to the disk.
    private func synchronize() throws {
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw ObjectFile.failure("cannot write", path) }
    }
}
