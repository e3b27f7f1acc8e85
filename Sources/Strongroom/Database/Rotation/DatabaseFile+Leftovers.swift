extension DatabaseFile {
    /// Removes files that killed processes have left beside the database. They are created only under the lock that is
    /// held while the database is opened.
    ///
    /// - Parameters:
    ///   - companions: Those that exist, see ``requireOwnCompanions()``. Nothing else is left: a copy's journal and WAL
    ///     are created after the copy and removed before it.
    ///   - exists: Whether the database file exists.
    func removeLeftovers(_ companions: Set<String>, exists: Bool) throws {
        // Nearly always.
        guard !companions.isEmpty else { return }
        try EnvelopeFile(databasePath: path, name: name).removeLeftovers()
        if exists {
            try removeSecondName()
            try Rotation.removeLeftovers(of: path)
        }
        for ending in ["snapshot.new", "restoring", "fetched", "restored"] where companions.contains(ending) {
            try FileSystem.removeCopy(FileSystem.companion(of: path, ending))
        }
        // Records of commits, which 0.2.0 kept; those that this user cannot read or remove do no harm.
        let records = FileSystem.companion(of: path, "changes")
        let mark = Array("strongroom log 1".utf8)
        if companions.contains("changes"),
            (try? FileSystem.firstBytes(of: records, mark.count, followsLinks: false)) == mark
        {
            try? FileSystem.remove(records)
        }
    }

    /// The path at which a new file is created before it is renamed into place.
    var temporaryPath: String { FileSystem.companion(of: path, "new") }

    /// A crash while a new file was renamed into place may have left two names for it.
    private func removeSecondName() throws {
        let identity = try FileSystem.requireRegular(temporaryPath)?.identity
        guard let identity, try FileStatus.at(path)?.identity == identity else { return }
        try FileSystem.remove(temporaryPath)
    }
}
