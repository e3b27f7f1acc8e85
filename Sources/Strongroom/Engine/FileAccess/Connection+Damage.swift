import CSQLCipher

/// A damaged page at the end of a long value is read as zeros without an error. The engine remembers it until the
/// transaction ends, and then answers everything for which it needs a page with an error; so it is asked for one before
/// anything that was read counts.
extension Connection {
    /// Needs no more than the first page, which is in memory; counting the entries of the schema would read them all.
    /// Measured on 3.4.1 and 4.6.1, the same also when many other pages have been read since, and they have left the
    /// page cache: "PRAGMA schema_version" and, where nothing has been written, "COMMIT" do not tell.
    static let firstPage = "SELECT 1 FROM sqlite_master LIMIT 1"

    /// Throws when a page was damaged that the transaction has read, also when all that was read seemed fine.
    ///
    /// - Throws: ``StrongroomError`` with `damaged`, or with why the engine cannot be asked.
    func checkPages() throws {
        try file.check?()
        do {
            try run(Self.firstPage)
        } catch {
            throw hasMetDamage ? damage(after: nil) : error
        }
    }

    /// Whether the transaction has read a damaged page; the engine then answers with errors of no meaning.
    var hasMetDamage: Bool {
        let result = trusting { sqlite3_exec(pointer, Self.firstPage, nil, nil, nil) }
        // It is no use of the user's.
        _ = authorizer.takeTables()
        switch result & 0xFF {
        // The second is for a page whose authentication failed; the engine remembers failures of the system in the same
        // way.
        case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB: return true
        default: return false
        }
    }

    /// What work is to be told of that has thrown: of damage, if it has read any, since nobody knows what it would have
    /// done otherwise.
    func explanation(of failure: any Error) -> any Error {
        guard !(failure is CancellationError), transaction.state != .none, isInTransaction else { return failure }
        do { try file.check?() } catch { return error }
        if let failure = failure as? StrongroomError, failure.code == .damaged { return failure }
        do {
            // Prepared, and so cheaper than asking for the damage, of which there is none as a rule.
            try run(Self.firstPage)
        } catch  where hasMetDamage {
            return damage(after: failure)
        } catch {
            // The first failure is the one to tell.
        }
        return failure
    }

    /// Writes the file anew without the pages that nobody uses. See SQLite's documentation, "VACUUM"
    /// (sqlite.org/lang_vacuum.html).
    func vacuum() throws {
        do {
            try run("VACUUM")
        } catch let error as StrongroomError where error.code == .sql {
            // Nothing is wrong with this SQL: it has met a page that is damaged.
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
