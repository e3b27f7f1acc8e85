import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Objects as files in a directory, which may be one that rclone, restic, rsync or a file server carries on.
///
/// ```swift
/// let objects = DirectoryObjectStore("/srv/replicas")
/// ```
public struct DirectoryObjectStore: ObjectStore {
    /// The directory's path.
    public let path: String

    /// - Parameter path: The directory's path; it is created with the first object.
    public init(_ path: String) {
        self.path = path
    }

    public var place: String { "directory \(path)" }

    public func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        let target = path(of: name)
        return try await Self.blocking {
            if access(target, F_OK) == 0 { return false }
            let directory = ObjectFile.directory(of: target)
            try ObjectFile.createDirectories(directory)
            return try ObjectFile.create(target, content)
        }
    }

    public func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        let target = path(of: name)
        return try await Self.blocking { try ObjectFile.read(target, range) }
    }

    public func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        let directory = path(of: folder)
        return try await Self.blocking {
            var names = try ObjectFile.names(in: directory).filter { entry in name.map { entry > $0 } ?? true }
            // Not sorted for the first one alone, which is asked for after each change.
            if count > 1 { names.sort(by: >) }
            var entries: [ObjectEntry] = []
            while entries.count < count, let name = count > 1 ? names.last : names.min() {
                if count > 1 { names.removeLast() } else { names.removeAll { $0 == name } }
                guard let status = ObjectFile.status("\(directory)/\(name)"), !status.isDirectory else { continue }
                entries.append(ObjectEntry(name: name, size: status.size))
            }
            return entries
        }
    }

    public func folders(in folder: String) async throws -> [String] {
        let directory = path(of: folder)
        return try await Self.blocking {
            try ObjectFile.names(in: directory).sorted().filter { name in
                let path = "\(directory)/\(name)"
                guard ObjectFile.status(path)?.isDirectory == true else { return false }
                return try !ObjectFile.names(in: path).isEmpty
            }
        }
    }

    public func remove(_ names: [String]) async throws {
        let paths = names.map(path(of:))
        try await Self.blocking {
            for path in paths { try ObjectFile.remove(path) }
        }
    }

    public func removeUnfinished(in folder: String) async throws {
        let directory = path(of: folder)
        try await Self.blocking { try ObjectFile.removeUnfinished(in: directory) }
    }

    private func path(of name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

    private static func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try Task.checkCancellation()
        return try await BlockingWork.run(body)
    }
}

/// The files of a directory of objects.
enum ObjectFile {
    /// The beginning of the names of files that are being written.
    private static let unfinished = ".new-"

    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    static func createDirectories(_ path: String) throws {
        guard access(path, F_OK) != 0, !path.isEmpty else { return }
        try createDirectories(directory(of: path))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("cannot create", path) }
        try synchronize(directory(of: path))
    }

    /// Creates a file with its whole content, unless its name is taken.
    static func create(_ path: String, _ content: [UInt8]) throws -> Bool {
        let directory = directory(of: path)
        let temporary = "\(directory)/\(unfinished)\(UInt64.random(in: .min ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot create", temporary) }
        defer { unlink(temporary) }
        do {
            defer { close(descriptor) }
            try write(content, to: descriptor, temporary)
            guard fsync(descriptor) == 0 else { throw failure("cannot write", temporary) }
        }
        // Unlike a rename, a link never replaces a file.
        guard link(temporary, path) == 0 else {
            guard errno != EEXIST else { return false }
            guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS else { throw failure("cannot create", path) }
            throw StrongroomError(
                .objectStore,
                """
                The file system of "\(directory)" has no hard links, without which two hosts cannot be kept from \
                creating one object. Put the replica on another file system, or in another object store.
                """)
        }
        try synchronize(directory)
        return true
    }

    private static func write(_ content: [UInt8], to descriptor: Int32, _ path: String) throws {
        try content.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                #if canImport(Darwin)
                let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                let count = Musl.write(descriptor, rest.baseAddress, rest.count)
                #else
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                #endif
                guard count >= 0 || errno == EINTR else { throw failure("cannot write", path) }
                done += max(0, count)
            }
        }
    }

    static func read(_ path: String, _ range: Range<Int>?) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure("cannot read", path) }
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("cannot read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw StrongroomError.damaged(path, "it is no file") }
        let size = Int(status.st_size)
        let range = (range ?? 0..<size).clamped(to: 0..<size)
        return try [UInt8](capacity: range.count) { buffer, filled in
            while filled < range.count, let start = buffer.baseAddress {
                let count = pread(descriptor, start + filled, range.count - filled, off_t(range.lowerBound + filled))
                guard count >= 0 || errno == EINTR else { throw failure("cannot read", path) }
                if count == 0 { break }
                filled += max(0, count)
            }
        }
    }

    /// The names in a directory, without those of files that are being written; none if it does not exist.
    static func names(in path: String) throws -> [String] {
        // Also without hidden files of other programs, such as those that synchronize directories.
        try allNames(in: path).filter { !$0.hasPrefix(".") }
    }

    private static func allNames(in path: String) throws -> [String] {
        guard let directory = opendir(path) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure("cannot read", path) }
            return []
        }
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

    /// Removes files that killed processes were writing, from a directory and those in it.
    static func removeUnfinished(in directory: String) throws {
        for name in try allNames(in: directory) where name != "." && name != ".." {
            let path = "\(directory)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                if !name.hasPrefix(".") { try removeUnfinished(in: path) }
            } else if name.hasPrefix(unfinished), now - modification(status) > longestWriting {
                guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot remove", path) }
            }
        }
    }

    /// Longer than an object is being written, in seconds.
    private static let longestWriting = 3_600

    /// Seconds since 1970.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec)
    }

    private static func modification(_ status: stat) -> Int {
        #if canImport(Darwin)
        Int(status.st_mtimespec.tv_sec)
        #else
        Int(status.st_mtim.tv_sec)
        #endif
    }

    static func status(_ path: String) -> (size: Int, isDirectory: Bool)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (Int(status.st_size), status.st_mode & S_IFMT == S_IFDIR)
    }

    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot remove", path) }
        // The folder of a base, once it is empty.
        _ = rmdir(directory(of: path))
    }

    /// Flushes the names in a directory to the disk.
    static func synchronize(_ directory: String) throws {
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("cannot write", directory) }
    }

    static func failure(_ what: String, _ path: String) -> StrongroomError {
        let number = errno
        let code: StrongroomError.Code =
            switch number {
            case ENOSPC, EDQUOT: .diskFull
            case EACCES, EPERM, EROFS: .permissionDenied
            default: .objectStore
            }
        let advice =
            switch code {
            case .diskFull: "Free space there, or give the replica another directory; the database itself goes on."
            case .permissionDenied: "Check who owns the directory and whether it may be written."
            default: "Check the directory of the replica."
            }
        return StrongroomError(
            code, "The object store \(what) \"\(path)\": \(String(cString: strerror(number))). \(advice)")
    }
}
