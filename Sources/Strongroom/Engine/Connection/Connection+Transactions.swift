import CSQLCipher

extension Connection {
    /// How a transaction begins.
    ///
    /// See SQLite's documentation, "Transaction" (sqlite.org/lang_transaction.html).
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
            throw rollBack(after: error)
        }
    }

    /// Begins a transaction, which whoever calls this ends with ``commit()`` or ``rollBack()``.
    func begin(_ start: Start) throws {
        try notingAnotherKey { try run(start.rawValue) }
        transaction.begin()
        guard let participant else { return }
        do {
            try participant.didBegin(on: self)
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs work that reads in one snapshot, that of this moment: by itself a deferred transaction has none before its
    /// first query.
    func inSnapshot<T>(_ body: () throws -> T) throws -> T {
        try beginSnapshot()
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            throw rollBack(after: error)
        }
    }

    /// Begins a transaction that reads what is there at this moment, which whoever calls this ends with ``commit()`` or
    /// ``rollBack()``.
    func beginSnapshot() throws {
        guard let participant else { return try takeSnapshot() }
        try participant.beginSnapshot(on: self, takeSnapshot)
    }

    private func takeSnapshot() throws {
        try begin(.deferred)
        do {
            try notingAnotherKey { try run(Self.firstPage) }
            if isInMemory { try keepFromWriting(true) }
        } catch {
            rollBack()
            throw error
        }
    }

    /// Makes the engine refuse what writes, as on a reader's connection, or lets it through again.
    func keepFromWriting(_ isKept: Bool) throws {
        try run("PRAGMA query_only = \(isKept ? "ON" : "OFF")")
        transaction.isKeptFromWriting = isKept
    }

    /// After a rotation by another process the first page cannot be read any more.
    private func notingAnotherKey<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError where error.code == .notADatabase {
            file.isOfAnotherKey = true
            throw error
        }
    }

    /// Throws when the engine has rolled the transaction back, or part of it could not be undone.
    func checkTransactionIsWhole() throws {
        guard transaction.state == .open, isInTransaction else { throw transactionEnded }
    }

    /// Commits the transaction. When this throws it is still open, or the engine has rolled it back; ``rollBack()`` is
    /// right in both cases.
    ///
    /// - Throws: ``StrongroomError`` with what made the engine roll it back before, or with why it could not be
    ///   committed.
    func commit() throws {
        guard transaction.state == .open, isInTransaction else { throw transaction.rollbackCause ?? transactionEnded }
        // Before a commit, lest zeros that were read in a damaged page's place be written back for good.
        try checkPages()
        // What is nearly done is not left halfway.
        transaction.isCommitting = true
        defer { transaction.isCommitting = false }
        if let participant { try participant.commit(on: self) { try run("COMMIT") } } else { try run("COMMIT") }
        transaction.state = .none
        if transaction.isKeptFromWriting { try keepFromWriting(false) }
        transaction.noteCommit()
    }

    /// Rolls the transaction back, if the engine has not.
    func rollBack() {
        // Their preparation may have created the tables that are rolled back.
        if transaction.tables.writes.contains("sqlite_master") { forgetUserStatements() }
        defer { transaction.state = .none }
        // Should it fail, the next write is told so.
        if transaction.isKeptFromWriting { try? keepFromWriting(false) }
        // Also when the engine has rolled it back by itself.
        defer { participant?.noteUndoing(on: self) }
        guard isInTransaction else { return }
        do {
            try run("ROLLBACK")
        } catch {
            // What made the work fail is the error to tell. A connection that is still in its transaction is closed by
            // whoever holds its slot, and closing rolls back.
        }
    }

    /// Rolls the transaction back after work that has thrown.
    ///
    /// - Returns: What is to be thrown.
    func rollBack(after error: any Error) -> any Error {
        let told = explanation(of: error)
        rollBack()
        return told
    }

    /// Runs work in a savepoint: an error undoes the work and nothing else.
    @usableFromInline
    func inSavepoint<T>(_ body: () throws -> T) throws -> T {
        guard transaction.state == .open else { throw transactionEnded }
        try run("SAVEPOINT strongroom")
        do {
            let result = try forgettingWrites(body)
            // The work may have swallowed the error that made the engine roll everything back.
            guard transaction.state == .open else { throw transactionEnded }
            try run("RELEASE strongroom")
            return result
        } catch {
            let told = explanation(of: error)
            // The engine does not undo a part of a transaction that has met a damaged page.
            if let damage = told as? StrongroomError, damage.code == .damaged, hasMetDamage {
                (transaction.state, transaction.rollbackCause) = (.rolledBack, damage)
            } else {
                try undoSavepoint()
            }
            throw told
        }
    }

    private func undoSavepoint() throws {
        // A failure that made the engine roll back everything has taken the savepoint with it.
        guard isInTransaction else { return }
        do {
            try run("ROLLBACK TO strongroom")
            participant?.noteUndoing(on: self)
            try run("RELEASE strongroom")
        } catch {
            transaction.state = .rolledBack
            throw error
        }
    }
}
