/// A whole copy of a database under another name, with a key of its own, read again before it counts.
///
/// Pages are copied where only the key differs, which is exact; rows where the copy is encrypted in another way, since
/// the engine cannot copy pages of one size into those of another.
struct CheckedCopy {
    /// The database that is copied.
    let file: DatabaseFile
    /// What opens it; nil for plaintext.
    let from: DerivedKey?
    /// What opens the copy; nil for plaintext.
    let to: DerivedKey?
    /// Where the copy is made.
    let path: String
    let watcher: RotationWatcher
    /// By which path a database with a defect, such as an index that does not fit its table, is refused; nil to carry
    /// defects over.
    var wholeOnly: String?

    private static let pagesAtOnce = 1_024

    private var target: DatabaseFile { DatabaseFile(path: path, name: file.name, busyTimeout: 0, log: nil) }

    /// Makes the copy, checks it and brings it to the disk.
    ///
    /// Others may read and write meanwhile: one snapshot is copied. A page that an engine of version 3 takes for one of
    /// zeros is copied as such, so the caller verifies the pages first.
    ///
    /// - Parameter source: A connection that nothing else uses, outside a transaction; nothing may be done with it
    ///   afterwards but closing.
    /// - Returns: What the copy has, and the copy, which has its name until it is put elsewhere.
    /// - Throws: ``StrongroomError`` with `diskFull`, `damaged`, `fileChanged`, or the engine's failure;
    ///   `CancellationError`. No copy is left then.
    func make(from source: Connection) throws -> (summary: DatabaseSummary, copy: PlainFile) {
        try remove()
        do {
            let size = try source.ownNumber("PRAGMA page_count") * source.ownNumber("PRAGMA page_size")
            try FreeSpace.require(size + FreeSpace.margin, beside: path, for: "Copying")
            let copy = try PlainFile(making: path)
            source.stop(when: watcher.isCancelled)
            let summary = try fill(copy, from: source, size)
            if let wholeOnly { try summary.requireWhole(wholeOnly, file.name) }
            try becomeOneFile()
            let found = try verify(summary, size)
            try removeLogs()
            try copy.synchronize()
            try copy.requireName(path)
            return (found, copy)
        } catch {
            // What failed first counts.
            try? remove()
            throw (error as? StrongroomError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Removes the copy, and what an interrupted one left. What is plaintext is overwritten first.
    func remove() throws {
        try FileSystem.removeCopy(path, isPlaintext: to == nil)
    }

    private func removeLogs() throws {
        for ending in ["-journal", "-wal", "-shm"] { try FileSystem.remove(path + ending) }
    }

    /// - Returns: What the copy must have.
    private func fill(_ copy: PlainFile, from source: Connection, _ size: Int64) throws -> DatabaseSummary {
        func tell(_ done: Int, _ total: Int) throws {
            try watcher.tell(.writing, size * Int64(done) / Int64(max(1, total)), size)
        }
        guard from?.settings == to?.settings else {
            var summary: DatabaseSummary?
            try ContentCopy.run(from: source, to: copy, key: to, progress: tell) {
                // It was switched off for the copying, and an engine that looks at constraints is to look at them in
                // both.
                try source.run("PRAGMA ignore_check_constraints = OFF")
                summary = try DatabaseSummary(source)
            }
            guard let summary else { throw failed("nothing was copied") }
            return summary
        }
        return try source.inSnapshot {
            let summary = try DatabaseSummary(source)
            let connection = try target.connect(.existing, key: to)
            defer { connection.close() }
            try copy.requireOpened(by: connection)
            connection.stop(when: watcher.isCancelled)
            try connection.run("PRAGMA journal_mode = OFF")
            try connection.run("PRAGMA synchronous = OFF")
            try connection.copyPages(from: source, pagesAtOnce: Self.pagesAtOnce, progress: tell)
            return summary
        }
    }

    /// The pages of the source say that there is a log, which a copy on a medium that cannot be written would not get.
    private func becomeOneFile() throws {
        let connection = try target.connect(.existing, key: to)
        defer { connection.close() }
        try connection.proveKey()
        guard try connection.setJournalMode("DELETE") else { throw failed("its log could not be given up") }
    }

    /// Reads the copy on a fresh connection and compares it.
    private func verify(_ summary: DatabaseSummary, _ size: Int64) throws -> DatabaseSummary {
        try watcher.tell(.verifying, 0, size)
        if let to {
            let verifier = try PageVerifier(
                closed: PlainFile(path, followsLinks: false), PageCipher(to, settings: to.settings))
            let pageSize = Int64(verifier.contents.pages.pageSize)
            let damaged = try verifier.damagedPages { done in
                try watcher.tell(.verifying, min(Int64(done) * pageSize, size), size)
            }
            guard damaged.isEmpty else { throw failed("\(damaged.count) pages of it are damaged") }
        }
        let connection = try target.connect(.readOnly, key: to)
        defer { connection.close() }
        connection.stop(when: watcher.isCancelled)
        try connection.proveKey()
        let copy = try connection.inSnapshot { try DatabaseSummary(connection) }
        if copy.defects != [[.text("ok")]], copy.defects != summary.defects { throw failed("it is not whole") }
        if let difference = summary.difference(to: copy) { throw failed(difference) }
        try watcher.tell(.verifying, size, size)
        return copy
    }

    private func failed(_ reason: String) -> StrongroomError {
        StrongroomError(
            .damaged,
            """
            The copy of "\(file.path)" was not kept: \(reason). Look at the disk and at the database with `verify`, \
            then try again.
            """,
            database: file.name)
    }
}

extension DatabaseSummary {
    /// Throws where the engine has found something wrong.
    func requireWhole(_ path: String, _ name: String) throws {
        guard defects != [[.text("ok")]] else { return }
        let words = defects.first?.first?.asText ?? "integrity_check gave no answer"
        throw StrongroomError(
            .damaged,
            """
            "\(path)" is not whole, so nothing was put in the database's place: \(words). Take an older backup, or \
            salvage a copy of this one and restore that.
            """,
            database: name)
    }
}
