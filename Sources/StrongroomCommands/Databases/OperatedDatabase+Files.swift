import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension OperatedDatabase {
    /// Throws if a further file that is read or written is the database, a file that belongs to it, or a key file.
    ///
    /// Call it before anything is opened: closing a descriptor of a file that is open as a database drops the engine's
    /// locks.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - keyFiles: Key files of the command, besides that of the database.
    /// - Throws: ``CommandFailure`` with `sameFile`, `keyFile`; errors of the configuration when its keys are
    ///   requested.
    func requireForeign(_ path: String, keyFiles: [String?] = []) async throws {
        let (wanted, database) = (Self.resolved(path), Self.resolved(self.path))
        guard !Self.isOne(of: [database] + SideFiles(of: database).all, wanted) else {
            throw CommandFailure(
                "sameFile", "\"\(path)\" is the database itself, or belongs to it. Use another path.", .usage)
        }
        try await requireNoKeyFile(path, keyFiles: keyFiles)
    }

    /// Throws if a file is a key file.
    ///
    /// - Throws: ``CommandFailure`` with `keyFile`; errors of the configuration when its keys are requested.
    func requireNoKeyFile(_ path: String, keyFiles: [String?] = []) async throws {
        let wanted = Self.resolved(path)
        let keys = (keyFiles + [keyFile]).compactMap { $0 }.map(Self.resolved)
        var isKeyFile = Self.isOne(of: keys, wanted)
        if !isKeyFile { isKeyFile = try await holdsKeys(ExistingFile(wanted)) }
        guard isKeyFile else { return }
        throw CommandFailure(
            "keyFile", "\"\(path)\" is a key file, without which databases cannot be opened. Use another path.",
            .usage)
    }

    /// Whether a file contains keys: those of the database, or keys that the library generates.
    private func holdsKeys(_ file: ExistingFile) async throws -> Bool {
        if file.hasRandomKeys { return true }
        guard let found = try file.keyChain() else { return false }
        // A configuration may create its key file when its keys are requested.
        try Self.checkFile(path)
        let own = try await configuration.keyChain(for: name)
        return found == own || (found.current == own.current && !own.isPlaintext)
    }

    private static func isOne(of paths: [String], _ wanted: String) -> Bool {
        paths.contains { $0 == wanted || isSame($0, wanted) }
    }

    private static func isSame(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// The path with all symbolic links resolved, also if there is no file yet.
    static func resolved(_ path: String) -> String {
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
