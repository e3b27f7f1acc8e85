extension Connection {
    /// Runs work that reads the file and its WAL without the engine, in a transaction that changes nothing. If this
    /// connection can take the write lock, others cannot write meanwhile; otherwise the work fails when they do.
    ///
    /// - Throws: ``StrongroomError`` with `busy` if others have written, `fileChanged`; what the work throws.
    func readingPastTheEngine<T>(_ body: () throws -> T) throws -> T {
        if isReadOnly { return try noticingWrites(body) }
        guard !isWriter else { return try lockingOthersOut(body) }
        // The engine does not give the write lock to a connection with `query_only`.
        try run("PRAGMA query_only = OFF")
        let result = Result { try lockingOthersOut(body) }
        try run("PRAGMA query_only = ON")
        return try result.get()
    }

    /// Runs work in one snapshot whose pages the work may also read from the file and the WAL without the engine, while
    /// others write. To be called outside a transaction.
    ///
    /// The engine keeps what a snapshot needs: it neither restarts a WAL with frames of the snapshot that are not in
    /// the file, nor writes pages to the file that are newer ("WAL-mode File Format", section 2.2,
    /// sqlite.org/walformat.html).
    ///
    /// - Parameter body: Called with the end of the WAL in the snapshot; nil if the database is not in WAL mode.
    /// - Throws: ``StrongroomError`` with `busy` if others commit all the time; what the work throws.
    func inSnapshotOfPages<T>(_ body: (PublishedLog?) throws -> T) throws -> T {
        for _ in 0..<Self.attemptsAtSnapshot {
            // A connection that reads only the database file has no WAL.
            let before = mode == .untouched ? nil : try publishedLog()
            try beginSnapshot()
            // Not committed: the end of a transaction in which the engine has met a damaged page is an error.
            defer { rollBack() }
            let log = mode == .untouched ? nil : try publishedLog()
            // Otherwise a commit came in between, so this may not be the snapshot's end.
            guard log == before else { continue }
            // Half written, as a killed process leaves the index: the beginning of the next transaction repairs it.
            guard try log != nil || mode == .untouched || ownValue("PRAGMA journal_mode") != .text("wal") else {
                continue
            }
            return try body(log)
        }
        throw StrongroomError(
            .busy,
            """
            Other connections have committed all the time, so the pages of the database could not be read. Try again \
            later. Nothing was changed.
            """,
            database: database)
    }

    private static let attemptsAtSnapshot = 1_000

    private func lockingOthersOut<T>(_ body: () throws -> T) throws -> T {
        try begin(.immediate)
        defer { rollBack() }
        let result = try body()
        try file.check?()
        return result
    }

    private func noticingWrites<T>(_ body: () throws -> T) throws -> T {
        try beginSnapshot()
        defer { rollBack() }
        let before = try logState()
        let result = try body()
        try file.check?()
        guard try logState() == before else {
            throw StrongroomError(
                .busy,
                """
                Another program wrote while the pages of the database were checked, and a read-only store cannot lock \
                other writers out. Try again when no program writes, or open the database for writing: then other \
                writers wait until the check is done.
                """,
                database: database)
        }
        return result
    }
}
