extension Connection {
    /// Runs work in one snapshot whose pages the work may also read from the file and the WAL without the engine, while
    /// other connections write. To be called outside a transaction.
    ///
    /// The engine keeps what a snapshot needs: it neither restarts a WAL with frames of the snapshot that are not in
    /// the file, nor writes pages to the file that are newer ("WAL-mode File Format", section 2.2,
    /// sqlite.org/walformat.html). A connection without locks has no such protection: afterwards it is checked that the
    /// file has not changed.
    ///
    /// - Parameter body: Called with the end of the WAL in the snapshot; nil if the database is not in WAL mode.
    /// - Throws: ``StrongroomError`` with `busy` if every attempt meets a commit of another connection, `fileChanged`
    ///   in place of everything else if the file has changed under a connection without locks; what the work throws.
    func inSnapshotOfPages<T>(_ body: (PublishedLog?) throws -> T) throws -> T {
        for _ in 0..<Self.attemptsAtSnapshot {
            // A connection that reads only the database file has no WAL.
            let before = mode == .untouched ? nil : try publishedLog()
            try beginSnapshot()
            // Not committed: the end of a transaction in which the engine has met a damaged page is an error.
            defer { rollBack() }
            let log = mode == .untouched ? nil : try publishedLog()
            // Otherwise there was a commit in between, so this may not be the snapshot's end.
            guard log == before else { continue }
            // Half written, as a killed process leaves the index: the beginning of the next transaction repairs it.
            guard try log != nil || mode == .untouched || ownValue("PRAGMA journal_mode") != .text("wal") else {
                continue
            }
            let result = Result { try body(log) }
            try file.check?()
            return try result.get()
        }
        throw StrongroomError(
            .busy,
            """
            Another connection committed at each attempt to read the pages of the database. Try again. Nothing was \
            changed.
            """,
            database: database)
    }

    private static let attemptsAtSnapshot = 1_000
}
