public import Foundation
import Logging

/// A backup of a database from before a migration. It is next to the file, with the key that the file had
/// then.
public struct MigrationBackup: Sendable, Equatable {
    /// The number of the backup; the newest has the largest.
    public let number: Int
    /// The schema version of the file, truncated if it is long. Nil for a file without a migration history.
    public let version: String?
    /// When it was made.
    public let date: Date
    /// Its size in bytes.
    public let size: Int64
    /// Its path.
    public let path: String
}

/// The backups of a file from before its migrations. The caller holds the lock between processes.
extension DatabaseFile {
    /// The maximum number of bytes of a version in a file name.
    private static let longestVersion = 40
    /// A file with a greater number is no backup: it leaves no number for the next one.
    private static let greatestNumber = 1 << 40

    /// The existing backups, newest first.
    func migrationBackups() throws -> [MigrationBackup] {
        let directory = FileSystem.directory(of: path)
        let prefix = FileSystem.name(of: FileSystem.hiddenFile(of: path, Self.migrationBackupEnding))
        guard try FileStatus.at(directory) != nil else { return [] }
        return try FileSystem.names(in: directory).compactMap { name in
            // Compared by bytes: another file's name may differ only in its Unicode normalization.
            guard name.utf8.starts(with: prefix.utf8) else { return nil }
            let rest = Substring(name.utf8.dropFirst(prefix.utf8.count))
            return try migrationBackup(String(rest), FileSystem.hiddenFile(of: path, ""))
        }.sorted { $0.number > $1.number }
    }

    /// - Parameter rest: The file name after the prefix: the number, a hyphen, and the version, which contains none;
    ///   with a further hyphen it is one of the engine's journal or WAL files.
    private func migrationBackup(_ rest: String, _ stem: String) throws -> MigrationBackup? {
        let parts = rest.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].contains("-"), let number = Int(parts[0]),
            (1...Self.greatestNumber).contains(number)
        else { return nil }
        let path = "\(stem)\(Self.migrationBackupEnding)\(rest)"
        guard let status = try FileStatus.ofName(path), status.isRegularFile, try isOwn(status) else { return nil }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return MigrationBackup(
            number: number, version: parts[1].isEmpty ? nil : String(parts[1]).removingPercentEncoding,
            date: attributes[.modificationDate] as? Date ?? .distantPast, size: status.size, path: path)
    }

    /// Whether a file is of this user, the database's owner or root: one that another user has planted is no backup,
    /// and no other one is removed for it.
    private func isOwn(_ status: FileStatus) throws -> Bool {
        [UInt32(geteuid()), 0, try FileStatus.at(path)?.owner].contains(status.owner) && status.links == 1
    }

    /// Makes a backup, and removes the oldest ones.
    ///
    /// - Parameters:
    ///   - version: The version of the file; nil for one without a history.
    ///   - keep: The number of backups to keep, at least one.
    ///   - monitor: If it cancels the work, no backup is made or removed.
    /// - Returns: The path of the backup.
    func addMigrationBackup(
        _ source: Connection, _ key: DerivedKey?, version: String?, keep: Int, _ monitor: WorkMonitor
    ) throws -> String {
        let before = try migrationBackups()
        let copy = CheckedCopy(
            file: self, from: key, to: key, path: FileSystem.hiddenFile(of: path, "snapshot.new"),
            monitor: monitor, purpose: "Making a migration backup of")
        // It does not need attributes that have no effect on who may read it.
        let finished = try copy.make(from: source) { _ = try FileAttributes.copy(of: path, to: $0) }.file
        let version = version.map(Self.encoded) ?? ""
        let backup = FileSystem.hiddenFile(
            of: path, "\(Self.migrationBackupEnding)\((before.first?.number ?? 0) + 1)-\(version)")
        do {
            try finished.moveIntoPlace(backup)
            try FileSystem.synchronize(FileSystem.directory(of: backup))
        } catch {
            try? copy.remove()
            throw error
        }
        let decoded = version.isEmpty ? nil : version.removingPercentEncoding
        for old in Self.surplus(before, keep: keep, decoded) { try remove(old) }
        return backup
    }

    /// The backups to remove after a new one: those of the same version first, since a migration that fails
    /// repeatedly adds one each time.
    private static func surplus(_ before: [MigrationBackup], keep: Int, _ version: String?) -> [MigrationBackup] {
        var kept = before
        var surplus: [MigrationBackup] = []
        while kept.count > max(1, keep) - 1 {
            surplus.append(kept.remove(at: kept.lastIndex { $0.version == version } ?? kept.count - 1))
        }
        return surplus
    }

    /// Removes a backup, with the files that an engine may have left next to it.
    func remove(_ backup: MigrationBackup) throws {
        try FileSystem.remove(backup.path)
        try SideFiles(of: backup.path).removeEngineFiles()
    }

    private static func encoded(_ version: String) -> String {
        var version = version.prefix(longestVersion)
        // A part of a character could not be decoded.
        while version.utf8.count > longestVersion { version.removeLast() }
        let allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789."
        return version.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: allowed)) ?? ""
    }
}
