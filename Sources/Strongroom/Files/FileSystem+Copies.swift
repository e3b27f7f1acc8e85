/// Copies of databases that are incomplete or no longer needed.
extension FileSystem {
    /// Removes a copy, if it exists, together with its journal, WAL and WAL index. A plaintext copy is overwritten
    /// first.
    ///
    /// An encrypted copy is not overwritten, which would take as long as writing it.
    ///
    /// - Parameters:
    ///   - path: The copy. No process has it open.
    ///   - isPlaintext: Whether the copy is plaintext, regardless of its header.
    /// - Throws: ``StrongroomError`` with `notAFile` for a symbolic link, a FIFO or the like at the path, which is not
    ///   removed.
    static func removeCopy(_ path: String, isPlaintext: Bool = false) throws {
        // A file with further hard links may be in use by others: only the name is removed.
        if let left = try requireRegular(path), left.links == 1,
            try isPlaintext || firstBytes(of: path, plaintext.count, followsLinks: false) == plaintext
        {
            try overwrite(path)
        }
        // The copy last: a process that is killed here leaves no file that belongs to a copy which does not exist.
        for ending in ["-journal", "-wal", "-shm", ""] { try remove(path + ending) }
    }

    /// The header of an unencrypted database.
    private static let plaintext = Array("SQLite format 3\0".utf8)
}
