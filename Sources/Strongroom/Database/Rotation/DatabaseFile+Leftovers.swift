extension DatabaseFile {
    /// Removes what killed processes have left beside the file: whoever makes any of it holds the lock that an opening
    /// holds.
    ///
    /// - Parameter isThere: Whether there is the file.
    func removeLeftovers(isThere: Bool) throws {
        try EnvelopeFile(databasePath: path, name: name).removeLeftovers()
        if isThere {
            try removeSecondName()
            try Rotation.removeLeftovers(of: path)
        }
        for ending in ["snapshot.new", "restoring", "restored"] {
            try FileSystem.removeCopy(FileSystem.companion(of: path, ending))
        }
    }

    /// Where the file is made before it is put in its place.
    var temporaryPath: String { FileSystem.companion(of: path, "new") }

    /// A crash while a new file was put in place may have left it two names.
    private func removeSecondName() throws {
        let identity = try FileSystem.requireRegular(temporaryPath)?.identity
        guard let identity, try FileStatus.at(path)?.identity == identity else { return }
        try FileSystem.remove(temporaryPath)
    }
}
