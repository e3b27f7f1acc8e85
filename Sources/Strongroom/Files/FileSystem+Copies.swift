/// Copies of databases that are not finished, or not wanted any more.
extension FileSystem {
    /// Removes a copy, if there is one, with what the engine has put beside it; one that is plaintext is overwritten
    /// first.
    ///
    /// What is encrypted is not overwritten: it would take as long as to write it.
    ///
    /// - Parameters:
    ///   - path: Where the copy lies. Nobody has it open.
    ///   - isPlaintext: Whether it is plaintext, whatever it begins with.
    /// - Throws: ``StrongroomError`` with `notAFile` for a symbolic link, a FIFO and the like in its place, which
    ///   stays.
    static func removeCopy(_ path: String, isPlaintext: Bool = false) throws {
        // A file with a further name is somebody else's: to remove the name is enough.
        if let left = try requireRegular(path), left.links == 1,
            try isPlaintext || firstBytes(of: path, plaintext.count, followsLinks: false) == plaintext
        {
            try overwrite(path)
        }
        for ending in ["", "-journal", "-wal", "-shm"] { try remove(path + ending) }
    }

    /// What a database begins with that is not encrypted.
    private static let plaintext = Array("SQLite format 3\0".utf8)
}
