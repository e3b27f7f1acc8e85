import Foundation

/// The operating system calls that the library uses, with typed errors.
package enum FileSystem {
    /// The error for a failed system call.
    ///
    /// - Parameter action: The action that failed, as in "cannot open".
    package static func failure(_ number: Int32, _ action: String, _ path: String) -> StrongroomError {
        let reason = String(cString: strerror(number))
        let (code, advice): (StrongroomError.Code, String?) =
            switch number {
            case EACCES, EPERM:
                (.permissionDenied, "Check who owns the file and its directory, and their permissions.")
            case EROFS:
                (.permissionDenied, "Its file system is mounted read-only, as after I/O errors: see the system's log.")
            case ENOSPC, EDQUOT: (.diskFull, "Free space, then try again.")
            case EMFILE, ENFILE: (.tooManyOpenFiles, nil)
            case ENOENT: (.fileMissing, "Check the path.")
            case EISDIR, ENOTDIR, ELOOP: (.notAFile, nil)
            case EEXIST: (.exists, "Use another path, or move away what is there.")
            case ENAMETOOLONG: (.invalidName, "Use a shorter name.")
            default: (.inputOutput, "Check the disk.")
            }
        return StrongroomError(code, "Strongroom \(action) \"\(path)\": \(reason). \(advice ?? code.advice)")
    }

    /// Creates a directory and its parent directories, accessible only to the owner.
    static func createDirectories(_ path: String) throws {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(ENOTDIR, "cannot use as a directory", path) }
            return
        }
        let parent = directory(of: path)
        if parent != path { try createDirectories(parent) }
        guard mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw failure(errno, "cannot create the directory", path) }
            return
        }
        // The process's umask may also have removed permissions of the owner.
        guard try FileStatus.ofName(path)?.permissions != 0o700 else { return }
        guard fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw failure(errno, "cannot set the permissions of", path)
        }
    }

    static func firstBytes(of path: String, _ count: Int, followsLinks: Bool = true) throws -> [UInt8] {
        try PlainFile(path, followsLinks: followsLinks).bytes(at: 0, count)
    }

    /// The first bytes of a file beside a database, which another process may remove at any time; nil if it does not
    /// exist.
    static func firstBytesIfThere(of path: String, _ count: Int) throws -> [UInt8]? {
        guard try FileStatus.ofName(path) != nil else { return nil }
        do {
            return try firstBytes(of: path, count, followsLinks: false)
        } catch let error as StrongroomError where error.code == .fileMissing {
            return nil
        }
    }

    /// Moves a finished file to its destination; fails if the destination exists.
    static func moveIntoPlace(_ source: String, _ destination: String) throws {
        // link, unlike rename, never replaces a file; a file system without hard links only has rename.
        if link(source, destination) == 0 {
            unlink(source)
        } else if errno == EPERM || errno == ENOTSUP || errno == ENOSYS {
            guard access(destination, F_OK) != 0 else { throw failure(EEXIST, "cannot replace", destination) }
            guard rename(source, destination) == 0 else { throw failure(errno, "cannot move a file to", destination) }
        } else {
            throw failure(errno, "cannot move a file to", destination)
        }
    }

    static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// Whether the process may write a file, or create files in a directory, with its effective user.
    static func mayWrite(_ path: String) -> Bool { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

    static func isMountedReadOnly(_ path: String) -> Bool { !mayWrite(path) && errno == EROFS }

    /// Whether a file is on another file system than the root, which is mounted read-only. Of the root's own file
    /// system a service may see directories as read-only that others can write.
    static func isOnOwnReadOnlyMount(_ path: String) -> Bool {
        var (system, own, root) = (statvfs(), stat(), stat())
        guard statvfs(path, &system) == 0, system.f_flag & UInt(ST_RDONLY) != 0 else { return false }
        return stat(path, &own) == 0 && stat("/", &root) == 0 && own.st_dev != root.st_dev
    }

    static func isSymbolicLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure(errno, "cannot remove", path) }
    }

    /// Flushes the content of a file or directory to disk.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(errno, "cannot open", path) }
        defer { close(descriptor) }
        try FileSynchronization.synchronize(descriptor, path)
    }

    /// Flushes the directory entry of a file to disk.
    ///
    /// - Throws: ``StrongroomError``, whose message says that the file is at its path nevertheless.
    static func settle(_ path: String) throws {
        do {
            try synchronize(directory(of: path))
        } catch let error as StrongroomError {
            throw StrongroomError(
                error.code,
                """
                "\(path)" is complete, but a power failure may undo that: its directory could not be flushed to disk. \
                \(error.message)
                """)
        }
    }

    /// The part of a path before its last component.
    package static func directory(of path: String) -> String {
        // By bytes: to Swift, a slash followed by a combining mark is another character.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(Substring(path.utf8[..<slash]))
    }

    package static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(Substring(path.utf8[path.utf8.index(after: slash)...]))
    }

    /// The path of a hidden file of the library beside another file. Its name begins with a dot, so it is never that of
    /// a database.
    static func hiddenFile(of path: String, _ ending: String) -> String {
        let directory = directory(of: path)
        return "\(directory == "/" ? "" : directory)/.\(name(of: path)).\(ending)"
    }

    /// The path with all symbolic links resolved; the last component need not exist.
    static func resolve(_ path: String) throws -> String {
        if let resolved = realPath(path) { return resolved }
        guard errno == ENOENT else { throw failure(errno, "cannot find", path) }
        guard let parent = realPath(directory(of: path)) else {
            throw failure(errno, "cannot find", directory(of: path))
        }
        return parent == "/" ? "/\(name(of: path))" : "\(parent)/\(name(of: path))"
    }

    /// Bytes, as Linux and Apple platforms allow.
    private static let maximumPath = 4_096

    /// What a symbolic link refers to.
    static func target(ofLink path: String) throws -> String {
        var target = [CChar](repeating: 0, count: maximumPath)
        let length = readlink(path, &target, target.count)
        guard length >= 0 else { throw failure(errno, "cannot find", path) }
        return String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension FileSystem {
    /// Opens a regular file; never waits for the other end of a FIFO, and never opens a device.
    ///
    /// The file type is checked before opening, and again through the descriptor, since the file may be replaced in
    /// between.
    static func openFile(_ path: String, _ access: Int32, followsLinks: Bool) throws -> Int32 {
        let existing = try followsLinks ? FileStatus.at(path) : FileStatus.ofName(path)
        if let existing, !existing.isRegularFile { throw notRegular(path, existing) }
        let flags = access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw failure(errno, "cannot open", path) }
        do {
            let status = try FileStatus.of(descriptor, path)
            guard status.isRegularFile else { throw notRegular(path, status) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Throws if the path of a database's file refers to something other than a regular file.
    ///
    /// - Returns: The file's status; nil if it does not exist.
    @discardableResult
    static func requireRegular(_ path: String) throws -> FileStatus? {
        guard let status = try FileStatus.ofName(path) else { return nil }
        guard status.isRegularFile else { throw notRegular(path, status) }
        return status
    }

    /// Whether users other than the current user and root may create or replace files in a directory.
    static func isShared(directory: String) throws -> Bool {
        guard let status = try FileStatus.at(directory) else { return false }
        return ![0, geteuid()].contains(status.owner) || status.permissions & 0o022 != 0
    }

    private static func notRegular(_ path: String, _ status: FileStatus) -> StrongroomError {
        StrongroomError(
            .notAFile,
            """
            "\(path)" is \(status.kind) instead of a regular file. It was neither followed nor changed. Find out \
            which program created it, and remove it.
            """)
    }
}

extension FileSystem {
    /// The names of a directory's entries, in no order, without `.` and `..`.
    static func names(in directory: String) throws -> [String] {
        try names(taking: open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory)
    }

    /// The names of the entries of a directory that was opened, and is closed here.
    package static func names(taking descriptor: Int32, _ directory: String) throws -> [String] {
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            throw failure(code, "cannot read the directory", directory)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: start.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw failure(errno, "cannot read the directory", directory) }
        return names
    }
}

extension FileSystem {
    static func replace(_ path: String, with finished: String) throws {
        guard rename(finished, path) == 0 else { throw failure(errno, "cannot replace", path) }
    }

    /// Creates a hard link to a file.
    ///
    /// - Returns: False if the file system does not support hard links.
    static func addName(_ other: String, to path: String) throws -> Bool {
        if link(path, other) == 0 { return true }
        guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else {
            throw failure(errno, "cannot create a hard link to", path)
        }
        return false
    }

    /// Bytes.
    private static let beginning = 4_096

    /// Overwrites a file with zeros, its beginning first, and flushes them to disk. Nothing of the content remains on a
    /// file system that writes in place.
    ///
    /// - Returns: Whether the file was overwritten. A file with further hard links is not overwritten: they may be in
    ///   use by others.
    @discardableResult
    static func overwrite(_ path: String) throws -> Bool {
        let file = PlainFile(try openFile(path, O_WRONLY, followsLinks: false), path)
        let status = try file.status()
        guard status.links <= 1 else { return false }
        var offset = 0
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        while offset < status.size {
            let length = min(Int(status.size) - offset, offset == 0 ? beginning : zeros.count)
            try zeros.withUnsafeBytes { zeros in
                try file.write(UnsafeRawBufferPointer(rebasing: zeros[..<length]), at: Int64(offset))
            }
            // Without its header a log is ignored. With its header and half of its content, it would be an incomplete
            // log.
            if offset == 0 { try file.synchronize() }
            offset += length
        }
        try file.synchronize()
        return true
    }
}
