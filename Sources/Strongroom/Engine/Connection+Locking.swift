extension Connection {
    /// Runs work that reads the file past the engine, in a transaction beside which nobody writes, and which changes nothing.
    ///
    /// On a connection that can take no lock others may write meanwhile; then the work does not count.
    ///
    /// - Throws: ``StrongroomError`` with `busy` when others write; what the work throws.
    func keepingOthersFromWriting<T>(_ body: () throws -> T) throws -> T {
        if isReadOnly { return try notingOthers(body) }
        let isKept = !isWriter
        // The engine lets nobody take the lock who is kept from writing.
        if isKept { try run("PRAGMA query_only = OFF") }
        defer { if isKept { try? run("PRAGMA query_only = ON") } }
        try begin(.immediate)
        defer { rollBack() }
        return try body()
    }

    private func notingOthers<T>(_ body: () throws -> T) throws -> T {
        try begin(.deferred)
        defer { rollBack() }
        try run(Self.firstPage)
        let before = try logState()
        let result = try body()
        try checkUnlocked?()
        guard try logState() == before else {
            throw StrongroomError(
                .busy, "Another program wrote the database while it was read, where it cannot be locked. Try again.",
                database: database)
        }
        return result
    }
}
