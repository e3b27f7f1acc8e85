/// A copy of a database under another name, with the same key.
struct PageCopy {
    let file: DatabaseFile
    /// The key of the file; nil for plaintext.
    let key: DerivedKey?
    /// The path of the copy.
    let path: String

    /// The copy as a database file.
    var target: DatabaseFile {
        DatabaseFile(
            path: path, name: file.name, busyTimeout: file.busyTimeout, log: nil, functions: file.functions)
    }

    /// Makes the copy, compares every page with the source and synchronizes it to disk.
    ///
    /// - Parameters:
    ///   - source: A connection outside a transaction. Other connections may read and write meanwhile.
    ///   - purpose: The name of the operation in the error for a full disk, as in "Migrating".
    ///   - checkCancellation: Called repeatedly; an error that it throws ends the copy and removes it.
    /// - Returns: The copy, which keeps this name until it is moved.
    /// - Throws: ``StrongroomError`` with `diskFull`, `damaged`, `fileChanged`, or the engine's failure.
    @discardableResult
    func make(from source: Connection, for purpose: String, checkCancellation: () throws -> Void) throws -> PlainFile {
        try remove()
        do {
            guard try FileStatus.at(file.path) != nil else { throw gone }
            let size = try source.inSnapshot { try source.databaseLength() }
            try FreeSpace.require(size + FreeSpace.margin, at: path, for: purpose)
            let copy = try PlainFile(making: path)
            // A temporary or standby copy does not need attributes that have no effect on who may read it.
            _ = try FileAttributes.copy(of: file.path, to: copy)
            let outcome = try ComparedPages(source: source, from: key, target: target, to: key)
                .make(copy) { _, _, _ in try checkCancellation() }
            if !outcome.damagedInSource.isEmpty { throw damaged(outcome.damagedInSource.count) }
            if let defect = outcome.defectOfCopy { throw failed(defect) }
            try proveKey()
            // A read-only connection leaves an empty WAL behind.
            try removeLogs()
            try copy.synchronize()
            try copy.requireName(path)
            return copy
        } catch {
            try? remove()
            throw error
        }
    }

    /// Removes the copy, and the remains of an interrupted one.
    func remove() throws { try FileSystem.removeCopy(path) }

    private func removeLogs() throws {
        try SideFiles(of: path).removeEngineFiles()
    }

    private func proveKey() throws {
        let connection = try target.connect(.readOnly, key: key)
        defer { connection.close() }
        try connection.proveKey()
    }

    /// Checks the authentication code of every page of a closed file.
    static func checkPages(
        of path: String, _ key: DerivedKey?, _ file: DatabaseFile, _ checkCancellation: () throws -> Void
    ) throws {
        guard let key else { return }
        let verifier = try PageVerifier(
            closed: PlainFile(path, followsLinks: false), PageCipher(key, settings: key.settings))
        let damaged = try verifier.damagedPages { _ in try checkCancellation() }
        guard !damaged.isEmpty else { return }
        throw StrongroomError(
            .damaged,
            "The copy \"\(path)\" has \(damaged.count.counting("damaged page")). Check the disk, then try again.",
            database: file.name)
    }

    private func damaged(_ count: Int) -> StrongroomError {
        StrongroomError(
            .damaged,
            """
            "\(file.path)" has \(count.counting("damaged page")), so it was not copied. \
            \(StrongroomError.Code.damaged.advice)
            """,
            database: file.name)
    }

    private func failed(_ defect: String) -> StrongroomError {
        StrongroomError(
            .copyDamaged, "The copy \"\(path)\" was not kept: \(defect). Check the disk, then try again.",
            database: file.name)
    }

    private var gone: StrongroomError {
        StrongroomError(
            .fileMissing, "The file \"\(file.path)\" is gone. Restore it, then try again.", database: file.name)
    }
}
