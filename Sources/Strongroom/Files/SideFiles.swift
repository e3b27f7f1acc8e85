/// The files beside a database that belong to it, by the path of the database.
package struct SideFiles {
    private let path: String

    package init(of path: String) { self.path = path }

    package static let logEnding = "-wal"
    private static let (indexEnding, journalEnding) = ("-shm", "-journal")
    package static let engineEndings = [journalEnding, logEnding, indexEnding]
    package static let envelopeEndings = [".keys", ".keys.copy"]
    /// The suffixes, after the dot and the database's name, of hidden files that are written only while the lock
    /// between processes is held, and that its next holder does not need: an opening removes those of a killed process.
    static let leftovers = [
        "restoring", "fetched", "restored", "snapshot.new", "keys.new", "keys.copy.new", "log.new", "salvaged",
    ]
    /// The suffixes of all hidden files, but for the lock, migration backups and records of replicas; only 0.2.0 writes
    /// `changes`.
    package static let libraryEndings =
        leftovers + ["new", "rotating", "plaintext", "trial", "trial.lock", "keys.next", "changes"]

    package var log: String { path + Self.logEnding }
    /// The name of a damaged WAL that a recovery keeps; those of further ones have a number, from `-2` on, behind it.
    var damagedLog: String { log + ".damaged" }
    var index: String { path + Self.indexEnding }
    var journal: String { path + Self.journalEnding }
    /// The files that may have content which the database itself lacks.
    package var logs: [String] { [log, journal] }
    var engineFiles: [String] { Self.engineEndings.map { path + $0 } }
    package var envelopes: [String] { Self.envelopeEndings.map { path + $0 } }
    /// The lock between processes.
    package var lock: String { FileSystem.hiddenFile(of: path, "lock") }
    package var all: [String] { engineFiles + envelopes + [lock] }

    func removeEngineFiles() throws {
        for file in engineFiles { try FileSystem.remove(file) }
    }

    /// The paths of the files whose names begin with that of a path.
    static func files(beginningWith path: String) throws -> [String] {
        let (directory, beginning) = (FileSystem.directory(of: path), FileSystem.name(of: path).utf8)
        // By bytes: another file's name may differ only in its Unicode normalization.
        return try FileSystem.names(in: directory).filter { $0.utf8.starts(with: beginning) }
            .map { "\(directory)/\($0)" }
    }

    func damagedLogs() throws -> [String] {
        try Self.files(beginningWith: damagedLog).filter { file in
            try Self.isDamagedLog(file) && FileStatus.ofName(file)?.isRegularFile ?? false
        }
    }

    /// Whether a name is that of a damaged WAL that a recovery keeps.
    static func isDamagedLog(_ name: String) -> Bool { name.contains(/-wal\.damaged(-[0-9]+)?$/) }

    /// Throws if another user may have created a file that is open, or may write it, or read and lock it.
    package func requireTrusted(_ file: PlainFile, advice: String) throws {
        guard try !file.status().isTrusted(beside: path) else { return }
        throw StrongroomError(
            .unsafeFile,
            """
            "\(file.path)" was created by another user, or others may read or write it, or it has a second name, so it \
            is not used. Find out who created it: if it is yours, remove the permissions of others (`chmod 600`); \
            otherwise remove it. \(advice)
            """)
    }
}

/// Copies of databases that are incomplete or no longer needed.
extension FileSystem {
    /// Removes a copy, if it exists, together with its journal, WAL and WAL index. A plaintext copy is overwritten
    /// first.
    ///
    /// An encrypted copy is not overwritten, which would take as long as writing it.
    ///
    /// - Parameter isPlaintext: Whether the copy is plaintext, regardless of its header.
    static func removeCopy(_ path: String, isPlaintext: Bool = false) throws {
        // A file with further hard links may be in use by others: only the name is removed.
        if let left = try requireRegular(path), left.links == 1,
            try isPlaintext
                || firstBytes(of: path, plaintextHeader.count, followsLinks: false) == plaintextHeader
        {
            try overwrite(path)
        }
        // The copy last: a process that is killed here leaves no file that belongs to a copy which does not exist.
        try SideFiles(of: path).removeEngineFiles()
        try remove(path)
    }

    /// The beginning of an unencrypted database.
    package static let plaintextHeader = Array("SQLite format 3\0".utf8)
}
