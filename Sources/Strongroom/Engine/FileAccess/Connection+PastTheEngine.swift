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
