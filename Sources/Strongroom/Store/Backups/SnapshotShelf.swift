import Foundation

/// The snapshots that lie beside a file. For whoever holds the lock between processes.
struct SnapshotShelf {
    let file: DatabaseFile

    private static let ending = DatabaseFile.snapshotEnding
    /// Bytes of a version that stand in a name.
    private static let longestVersion = 40

    /// What lies there, newest first.
    func snapshots() throws -> [Snapshot] {
        let directory = FileSystem.directory(of: file.path)
        let prefix = FileSystem.name(of: FileSystem.companion(of: file.path, Self.ending))
        guard try FileStatus.at(directory) != nil else { return [] }
        return try FileSystem.names(in: directory).compactMap { name in
            // By bytes: another file's name may differ only in how its letters are composed.
            guard name.utf8.starts(with: prefix.utf8) else { return nil }
            let rest = Substring(name.utf8.dropFirst(prefix.utf8.count))
            return try snapshot(String(rest), FileSystem.companion(of: file.path, ""))
        }.sorted { $0.number > $1.number }
    }

    /// - Parameter rest: The name behind the prefix: the number, a hyphen, and the version, in which there is none;
    ///   with another one it is a log of the engine's.
    private func snapshot(_ rest: String, _ stem: String) throws -> Snapshot? {
        let parts = rest.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].contains("-"), let number = Int(parts[0]), number > 0 else { return nil }
        let path = "\(stem)\(Self.ending)\(rest)"
        guard let status = try FileStatus.ofName(path), status.isRegularFile else { return nil }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return Snapshot(
            number: number, version: parts[1].isEmpty ? nil : String(parts[1]).removingPercentEncoding,
            date: attributes[.modificationDate] as? Date ?? .distantPast, size: status.size, path: path)
    }

    /// Makes a snapshot, and removes the oldest ones.
    ///
    /// - Parameters:
    ///   - version: The version that the file has; nil for one without a history.
    ///   - keep: How many are kept, at least one.
    ///   - goOn: Called now and then; what it throws ends the work, and the snapshots are as they were.
    /// - Returns: Where it lies.
    func add(
        _ source: Connection, _ key: DerivedKey?, version: String?, keep: Int, goOn: () throws -> Void
    ) throws -> String {
        let before = try snapshots()
        let copy = PageCopy(file: file, key: key, path: FileSystem.companion(of: file.path, "snapshot.new"))
        let made = try copy.make(from: source, for: "Keeping a snapshot of", goOn: goOn)
        let name = "\(Self.ending)\((before.first?.number ?? 0) + 1)-" + (version.map(Self.encoded) ?? "")
        let path = FileSystem.companion(of: file.path, name)
        do {
            try made.moveIntoPlace(path)
            try FileSystem.synchronize(FileSystem.directory(of: path))
        } catch {
            try? copy.remove()
            throw error
        }
        for old in surplus(before, keep: keep, version.map(Self.encoded)?.removingPercentEncoding) { try remove(old) }
        return path
    }

    /// Those that go when another one is there: of the same version first, since a migration that fails each time makes
    /// one each time.
    private func surplus(_ before: [Snapshot], keep: Int, _ version: String?) -> [Snapshot] {
        var kept = before
        var surplus: [Snapshot] = []
        while kept.count > max(1, keep) - 1 {
            surplus.append(kept.remove(at: kept.lastIndex { $0.version == version } ?? kept.count - 1))
        }
        return surplus
    }

    /// Removes a snapshot, with what an engine that has looked into it may have left.
    func remove(_ snapshot: Snapshot) throws {
        for ending in ["", "-wal", "-shm", "-journal"] { try FileSystem.remove(snapshot.path + ending) }
    }

    /// The version as a part of a file's name.
    private static func encoded(_ version: String) -> String {
        var text = ""
        for byte in version.utf8.prefix(longestVersion) {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic && scalar.isASCII || (48...57).contains(byte) || byte == 46
            text += isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return text
    }
}
