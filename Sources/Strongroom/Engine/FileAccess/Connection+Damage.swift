import CSQLCipher

/// A damaged page at the end of a long value is read as zeros without an error. The engine then fails every later page
/// request of the transaction with an error; so a page is requested before a result is used.
extension Connection {
    /// Reads the first page, which also takes the snapshot of a transaction that has none.
    ///
    /// Needs no more than the first page, which is cached; counting the entries of the schema would read them all.
    /// Measured on 3.4.1 and 4.6.1, also after many other pages have been read and have left the page cache: "PRAGMA
    /// schema_version" and, if nothing has been written, "COMMIT" do not detect the damage.
    func readFirstPage() throws {
        // Not to its end: with the first row, the page has been read.
        try withOwn(.firstPage) { _ = try $0.step() }
    }

    /// Throws if the transaction has read a damaged page, even if all reads succeeded.
    ///
    /// - Throws: ``StrongroomError`` with `damaged`, or with the reason why the engine cannot be queried.
    func checkPages() throws {
        try file.check?()
        do {
            try readFirstPage()
        } catch {
            throw hasMetDamage ? damage(after: nil) : error
        }
    }

    /// Whether the transaction has read a damaged page; the engine's errors are then meaningless.
    var hasMetDamage: Bool {
        let result = trusting { sqlite3_exec(pointer, TransactionStatement.firstPage.sql, nil, nil, nil) }
        // The query is not the user's.
        _ = authorizer.removeTables()
        switch result & 0xFF {
        // SQLITE_ERROR is the result for a page whose authentication failed; the engine reports failures of the
        // operating system in the same way.
        case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB: return true
        default: return false
        }
    }

    /// The error to report after work has thrown: `damaged` if the work has read a damaged page, because its behaviour
    /// is then unpredictable.
    func explanation(of failure: any Error) -> any Error {
        guard !(failure is CancellationError), transaction.state != .none, isInTransaction else { return failure }
        do { try file.check?() } catch { return error }
        if let failure = failure as? StrongroomError, failure.code == .damaged { return failure }
        do {
            // The statement is cached, so this costs less than checking for damage, which is rare.
            try readFirstPage()
        } catch  where hasMetDamage {
            return damage(after: failure)
        } catch {
            // The first failure is the one to report.
        }
        return failure
    }

    /// Rewrites the file without unused pages. See SQLite's documentation, "VACUUM"
    /// (sqlite.org/lang_vacuum.html).
    func vacuum() throws {
        do {
            try run("VACUUM")
        } catch let error as StrongroomError where error.code == .sql {
            // The SQL is valid: it has read a damaged page.
            throw damage(after: error)
        }
    }

    private func damage(after error: (any Error)?) -> StrongroomError {
        var damage = StrongroomError(
            .damaged,
            """
            A page that was read is damaged, so nothing of the transaction counts. \
            \(StrongroomError.Code.damaged.advice)
            """,
            database: database
        )
        damage.underlying = error
        return damage
    }
}
