#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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

    /// The files that the entries of a directory refer to, following symbolic links. Entries that no longer exist or
    /// that this process may not read are left out.
    static func identities(in directory: String) throws -> [FileStatus.Identity] {
        guard let stream = opendir(directory) else { throw failure(errno, "cannot read the directory", directory) }
        defer { closedir(stream) }
        let descriptor = dirfd(stream)
        var identities: [FileStatus.Identity] = []
        errno = 0
        while let entry = readdir(stream) {
            var status = stat()
            let result = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: start.pointee)) {
                    fstatat(descriptor, $0, &status, 0)
                }
            }
            if result == 0 {
                identities.append(FileStatus.Identity(status))
            } else if errno == ENOMEM {
                throw failure(errno, "cannot read the directory", directory)
            }
            errno = 0
        }
        guard errno == 0 else { throw failure(errno, "cannot read the directory", directory) }
        return identities
    }
}
