extension Stores {
    /// Says that a database was renamed: its file, which was moved or copied to the path of its new name, is accepted
    /// under it from now on.
    ///
    /// Each file whose schema a migrator maintains records the name of its database. Opening it under another name
    /// throws `otherDatabase`: with one key chain for all databases of a family, an exchanged file would be read as
    /// that of another tenant. Move a database while it is closed, with the files beside it: `-wal`, `.keys` and
    /// `.keys.copy`.
    ///
    /// ```swift
    /// try await stores.adopt("addressbook_beth.sqlite", from: "addressbook_alice.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name, whose configuration gives the path and the keys of the file. Its store must
    ///     not be in use.
    ///   - formerName: The name that is recorded in the file. A file that records none, or the database's own name, is
    ///     accepted as well.
    /// - Throws: ``StrongroomError`` with `otherDatabase` if the file records a third name, `notDeclared` without a
    ///   migrator, `fileMissing`, `alreadyOpen`, `locked`, `busy`, `readOnly`; what opening throws about names,
    ///   configurations, keys and damage. The file is unchanged then.
    public func adopt(_ fileName: String, from formerName: String) async throws {
        let former = try DatabaseName(formerName)
        try await replacingFile(fileName) { context, chain in
            try await BlockingWork.run { try context.adopt(from: former, chain) }
        }
    }
}

extension StoreContext {
    fileprivate func adopt(from former: DatabaseName, _ chain: KeyChain) throws {
        guard migrator != nil else {
            throw StrongroomError(
                .notDeclared,
                """
                The configuration of "\(name)" has no migrator, so the name that its file records is not compared. \
                Nothing was changed.
                """,
                database: name.fileName)
        }
        let (_, unlocked) = try unlock(FileContent.of(path), chain)
        // It cannot write if a killed process has left a WAL.
        unlocked.connection.close()
        let connection = try file.connect(.existing, key: unlocked.derivedKey)
        defer { connection.close() }
        try connection.proveKey()
        let record = RecordedName(connection: connection)
        if let recorded = try record.read() {
            if recorded == name.fileName { return }
            guard recorded == former.fileName else { throw ofOther(recorded) }
        }
        try record.write(name.fileName)
    }
}
