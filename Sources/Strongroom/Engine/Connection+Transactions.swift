import CSQLCipher

extension Connection {
    /// How a transaction begins.
    ///
    /// See SQLite's documentation, «Transaction» (sqlite.org/lang_transaction.html).
    enum Start: String {
        case deferred = "BEGIN DEFERRED"
        case immediate = "BEGIN IMMEDIATE"
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Runs work in a transaction: committed when the work returns, rolled back when it throws.
    func inTransaction<T>(_ start: Start, _ body: () throws -> T) throws -> T {
        try begin(start)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a transaction, which whoever calls this ends with ``commit()`` or ``rollBack()``.
    func begin(_ start: Start) throws {
        try notingAnotherKey { try run(start.rawValue) }
        transactionState = .open
        doom = nil
        transactionNumber += 1
        tables = TableUse()
    }

    /// Runs work that reads in one snapshot, that of this moment: by itself a deferred transaction has none before its first query.
    func inSnapshot<T>(_ body: () throws -> T) throws -> T {
        try beginSnapshot()
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a transaction that reads what is there at this moment, which whoever calls this ends with ``commit()`` or ``rollBack()``.
    func beginSnapshot() throws {
        try begin(.deferred)
        do {
            _ = try notingAnotherKey { try ownValue("SELECT 1 FROM sqlite_master LIMIT 1") }
        } catch {
            rollBack()
            throw error
        }
    }

    /// After a rotation by another process the first page cannot be read any more.
    private func notingAnotherKey<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError where error.code == .notADatabase {
            isOfAnotherKey = true
            throw error
        }
    }

    /// Throws when the engine has rolled the transaction back, or part of it could not be undone.
    func checkTransactionIsWhole() throws {
        guard transactionState == .open, isInTransaction else { throw transactionEnded }
    }

    /// Commits the transaction. When this throws it is still open, or the engine has rolled it back; ``rollBack()`` is right in both cases.
    ///
    /// - Throws: ``StrongroomError`` with what made the engine roll it back before, or with why it could not be committed.
    func commit() throws {
        guard transactionState == .open, isInTransaction else { throw doom ?? transactionEnded }
        // Before a commit, lest zeros that were read in a damaged page's place be written back for good.
        do {
            try run(Self.probe)
        } catch {
            throw hasMetDamage ? damage : error
        }
        // What is nearly done is not left halfway.
        isCommitting = true
        defer { isCommitting = false }
        try run("COMMIT")
        transactionState = .none
        changedTables.formUnion(tables.writes)
    }

    /// A damaged page at the end of a long value is read as zeros without an error; the engine remembers it as long as the
    /// transaction lasts, and tells when the schema is asked for.
    private static let probe = "SELECT count(*) FROM sqlite_master"

    /// Whether the engine has met a damaged page in this transaction; it then answers everything with an error of no meaning.
    var hasMetDamage: Bool {
        let result = trusting { sqlite3_exec(pointer, Self.probe, nil, nil, nil) }
        // It is no use of the user's.
        _ = authorizer.takeTables()
        return result != SQLITE_OK && result != SQLITE_INTERRUPT
    }

    /// The error for a page that was damaged.
    private var damage: StrongroomError {
        StrongroomError(
            .damaged,
            "A page that was read is damaged, so nothing of the transaction counts. Restore the file from a backup.",
            database: database
        )
    }

    /// Rolls the transaction back, if the engine has not.
    func rollBack() {
        defer { transactionState = .none }
        guard isInTransaction else { return }
        do {
            try run("ROLLBACK")
        } catch {
            // What made the work fail is the error to tell. A connection that is still in its transaction is closed by whoever
            // holds its seat, and closing rolls back.
        }
    }

    /// Runs work in a savepoint: an error undoes the work and nothing else.
    @usableFromInline
    func inSavepoint<T>(_ body: () throws -> T) throws -> T {
        guard transactionState == .open else { throw transactionEnded }
        try run("SAVEPOINT strongroom")
        do {
            let result = try forgettingWrites(body)
            // The work may have swallowed the error that made the engine roll everything back.
            guard transactionState == .open else { throw transactionEnded }
            try run("RELEASE strongroom")
            return result
        } catch {
            try undoSavepoint()
            throw error
        }
    }

    private func undoSavepoint() throws {
        // A failure that made the engine roll back everything has taken the savepoint with it.
        guard isInTransaction else { return }
        do {
            try run("ROLLBACK TO strongroom")
            try run("RELEASE strongroom")
        } catch {
            transactionState = .doomed
            throw error
        }
    }
}
