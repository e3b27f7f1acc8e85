#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension OperatedDatabase {
    /// What lies beside a database and belongs to it.
    private static let endings = ["", "-wal", "-shm", "-journal", ".keys", ".keys.copy"]

    /// Makes sure that a file that is read or written besides the database is not the database, nor one that belongs to it.
    ///
    /// To be asked before anything is opened: to close a descriptor of a file that is open as a database drops the engine's locks.
    ///
    /// - Throws: ``CommandFailure`` with `sameFile`.
    func requireForeign(_ path: String) throws {
        let (wanted, database) = (Self.resolved(path), Self.resolved(self.path))
        let name = FilePath.name(of: database)
        let own = Self.endings.map { database + $0 } + ["\(database.dropLast(name.count)).\(name).lock"]
        let isOwn = own.contains { $0 == wanted || Self.isSame($0, wanted) }
        guard isOwn else { return }
        throw CommandFailure(
            "sameFile", "«\(path)» is the database itself, or belongs to it. Give another path.", .usage)
    }

    private static func isSame(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// The path with every link followed, also when nothing lies there yet.
    private static func resolved(_ path: String) -> String {
        if let whole = realPath(path) { return whole }
        let name = FilePath.name(of: path)
        let directory = String(path.dropLast(name.count))
        guard let parent = realPath(directory.isEmpty ? "." : directory) else { return path }
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
