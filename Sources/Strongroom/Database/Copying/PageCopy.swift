/// A copy of a database under another name, with the key that the database has.
struct PageCopy {
    let file: DatabaseFile
    /// What opens the file; nil for plaintext.
    let key: DerivedKey?
    /// Where the copy lies.
    let path: String

    private static let pagesAtOnce = 1_024

    /// The copy as a database.
    var target: DatabaseFile { DatabaseFile(path: path, name: file.name, busyTimeout: file.busyTimeout, log: nil) }

    /// Makes the copy, checks the authentication code of every page of it and brings it to the disk.
    ///
    /// - Parameters:
    ///   - source: A connection outside a transaction. Others may read and write meanwhile.
    ///   - purpose: What the error calls the work when there is no room, as in "Migrating".
    ///   - goOn: Called now and then; what it throws ends the copying, and nothing is left.
    /// - Returns: The copy, which has the name until it is put elsewhere.
    /// - Throws: ``StrongroomError`` with `diskFull`, `damaged`, `fileChanged`, or the engine's failure.
    @discardableResult
    func make(from source: Connection, for purpose: String, goOn: () throws -> Void) throws -> PlainFile {
        try remove()
        do {
            guard try FileStatus.at(file.path) != nil else { throw gone }
            try checkPages(of: source, goOn)
            let copy = try source.inSnapshot {
                let size = try source.ownNumber("PRAGMA page_count") * source.ownNumber("PRAGMA page_size")
                try FreeSpace.require(size + FreeSpace.margin, beside: path, for: purpose)
                let copy = try PlainFile(making: path)
                // A copy for a time, or one that only stands by: nobody misses attributes that say nothing about who
                // may read it.
                _ = try FileAttributes.copy(of: file.path, to: copy)
                try fill(copy, from: source, goOn)
                // Its end checks that no page was read that is damaged: such a one is copied as zeros.
                return copy
            }
            try verify(goOn)
            // A connection that can only read leaves an empty log behind.
            try removeLogs()
            try copy.synchronize()
            try copy.requireName(path)
            return copy
        } catch {
            try? remove()
            throw error
        }
    }

    /// Removes the copy, and what an interrupted one left.
    func remove() throws {
        try FileSystem.remove(path)
        try removeLogs()
    }

    private func removeLogs() throws {
        for suffix in ["-journal", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    }

    private func fill(_ copy: PlainFile, from source: Connection, _ goOn: () throws -> Void) throws {
        let connection = try target.connect(.existing, key: key)
        defer { connection.close() }
        try copy.requireOpened(by: connection)
        try connection.run("PRAGMA journal_mode = OFF")
        try connection.run("PRAGMA synchronous = OFF")
        try connection.copyPages(from: source, pagesAtOnce: Self.pagesAtOnce) { _, _ in try goOn() }
    }

    /// Checks the pages that are to be copied: the engine of version 3 takes a page of zeros for sound, and the copy
    /// would have it with a code of its own.
    private func checkPages(of source: Connection, _ goOn: () throws -> Void) throws {
        guard let key else { return }
        let damaged = try source.readingPastTheEngine {
            try PageVerifier(source, PageCipher(key, settings: key.settings)).damagedPages { _ in try goOn() }
        }
        guard !damaged.isEmpty else { return }
        throw StrongroomError(
            .damaged,
            """
            "\(file.path)" has \(damaged.count) damaged pages, so it was not copied. \
            \(StrongroomError.Code.damaged.advice)
            """,
            database: file.name)
    }

    private func verify(_ goOn: () throws -> Void) throws {
        try Self.checkPages(of: path, key, file, goOn)
        let connection = try target.connect(.readOnly, key: key)
        defer { connection.close() }
        try connection.proveKey()
    }

    /// Checks the authentication code of every page of a file that nobody has open.
    static func checkPages(
        of path: String, _ key: DerivedKey?, _ file: DatabaseFile, _ goOn: () throws -> Void
    ) throws {
        guard let key else { return }
        let verifier = try PageVerifier(
            closed: PlainFile(path, followsLinks: false), PageCipher(key, settings: key.settings))
        let damaged = try verifier.damagedPages { _ in try goOn() }
        guard !damaged.isEmpty else { return }
        throw StrongroomError(
            .damaged,
            "The copy \"\(path)\" has \(damaged.count) damaged pages. Look at the disk, then try again.",
            database: file.name)
    }

    private var gone: StrongroomError {
        StrongroomError(
            .fileMissing, "The file \"\(file.path)\" is gone. Bring it back, then try again.", database: file.name)
    }
}

extension Connection {
    /// A number that the library's own SQL answers; 0 when it answers something else.
    func ownNumber(_ sql: String) throws -> Int64 {
        guard case .integer(let number)? = try ownValue(sql) else { return 0 }
        return number
    }
}
