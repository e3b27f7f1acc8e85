import CSQLCipher

extension Connection {
    /// How a transaction begins.
    ///
    /// See SQLite's documentation, "Transaction" (sqlite.org/lang_transaction.html).
    enum Start {
        case deferred, immediate, exclusive

        fileprivate var statement: TransactionStatement {
            switch self {
            case .deferred: .begin
            case .immediate: .beginImmediate
            case .exclusive: .beginExclusive
            }
        }
    }

    /// Runs work in a transaction, which is committed when the work returns and rolled back when it throws.
    func inTransaction<T>(_ start: Start, _ body: () throws -> T) throws -> T {
        try begin(start)
        return try committing(body)
    }

    private func committing<T>(_ body: () throws -> T) throws -> T {
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            throw rollBack(after: error)
        }
    }

    /// Begins a transaction, which the caller ends with ``commit()`` or ``rollBack()``.
    func begin(_ start: Start) throws {
        try reportingAnotherKey { try run(start.statement) }
        if start != .deferred { bufferLog() }
        transaction.begin(after: totalChanges)
    }

    /// Runs work that reads in one snapshot, taken now: a deferred transaction takes its snapshot only with its first
    /// query.
    func inSnapshot<T>(_ body: () throws -> T) throws -> T {
        try beginSnapshot()
        return try committing(body)
    }

    /// Begins a read transaction whose snapshot is taken now, and which the caller ends with ``commit()`` or
    /// ``rollBack()``.
    func beginSnapshot() throws {
        try begin(.deferred)
        do {
            try reportingAnotherKey { try readFirstPage() }
            if isInMemory { try keepFromWriting(true) }
        } catch {
            rollBack()
            throw error
        }
    }

    /// Makes the connection read-only, as a reader's is, or writable again.
    func keepFromWriting(_ isKept: Bool) throws {
        try run("PRAGMA query_only = \(isKept ? "ON" : "OFF")")
        transaction.isKeptFromWriting = isKept
    }

    /// After a rotation by another process the first page can no longer be read; an engine whose codec keeps its errors
    /// may then only say that it cannot write.
    private func reportingAnotherKey<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError
            where error.code == .notADatabase || [.readOnly, .damaged].contains(error.code) && hasFailedCodec
        {
            file.isOfAnotherKey = true
            throw error
        }
    }

    /// Throws if the engine has rolled back the transaction, or a part of it could not be rolled back.
    func checkTransactionIsOpen() throws {
        guard transaction.state == .open, isInTransaction else { throw causeOfEnd }
    }

    /// The error for a transaction that the engine has rolled back after an error that the work has swallowed: the
    /// error itself if the file could not be read or written, since that is no fault of the work.
    private var causeOfEnd: StrongroomError {
        guard let cause = transaction.rollbackCause, cause.code == .inputOutput else { return transactionEnded }
        return cause
    }

    /// Commits the transaction. If this throws, the transaction is still open, or the engine has rolled it back;
    /// ``rollBack()`` is correct in both cases.
    ///
    /// - Throws: ``StrongroomError`` with the earlier cause of the engine's rollback, or with the reason why the commit
    ///   failed; `fileMissing` or `fileChanged` if the file is not at its path any more.
    func commit() throws {
        guard transaction.state == .open, isInTransaction else { throw transaction.rollbackCause ?? transactionEnded }
        try forgetAuthor()
        try recordUncountedWrites()
        // Before a commit, so that zeros read instead of a damaged page are not written back.
        try checkPages()
        try checkPath()
        // A commit is not interrupted.
        transaction.isCommitting = true
        defer { transaction.isCommitting = false }
        try run(.commit)
        transaction.state = .none
        for work in transaction.whenCommitted { work() }
        transaction.whenCommitted = []
        // The file may have been moved during the commit.
        try checkPath()
        if transaction.isKeptFromWriting { try keepFromWriting(false) }
        transaction.recordCommit(after: totalChanges)
    }

    /// Rolls back the transaction, unless the engine has done so.
    func rollBack() {
        // Their preparation may have created the tables that are rolled back.
        if transaction.tables.changesSchema { forgetUserStatements() }
        defer {
            transaction.state = .none
            transaction.whenCommitted = []
            forgetFailedReads()
        }
        // If it fails, the next write reports it.
        if transaction.isKeptFromWriting { try? keepFromWriting(false) }
        guard isInTransaction else { return }
        do {
            try run(.rollback)
            // Pages of the WAL that are in use have been read again, without being counted.
            file.checkedMisses = -1
        } catch {
            // The work's error is the one to report. A connection that is still in its transaction is closed by the
            // holder of its slot, and closing rolls back.
        }
    }

    func rollBack(after error: any Error) -> any Error {
        let cause = explanation(of: error)
        rollBack()
        return cause
    }

    /// Runs work in a savepoint: an error rolls back the work and nothing else.
    @usableFromInline
    func inSavepoint<T>(_ body: () throws -> T) throws -> T {
        guard transaction.state == .open else { throw transactionEnded }
        let writers = try pauseWriters()
        try run("SAVEPOINT strongroom")
        do {
            let result = try forgettingWrites(body)
            // The work may have swallowed the error after which the engine rolled back the transaction.
            guard transaction.state == .open else { throw causeOfEnd }
            try pauseWriters()
            try checkPages()
            try run("RELEASE strongroom")
            return result
        } catch {
            let cause = explanation(of: error)
            let idle = writers.filter { $0.writer.writeCount == $0.count }.map(\.writer)
            for (writer, count) in writers where writer.writeCount != count { writer.loseWrites() }
            // After a damaged page the engine does not roll back to a savepoint, or the connection is lost.
            let failure = cause as? StrongroomError
            if hasFailedCodec || [.damaged, .inputOutput].contains(failure?.code) && hasMetDamage {
                (transaction.state, transaction.rollbackCause) = (.rolledBack, failure)
            } else {
                try undoSavepoint(idle)
            }
            throw cause
        }
    }

    /// - Returns: The values that are open for writing and have not expired, and how often each was written.
    @discardableResult
    private func pauseWriters() throws -> [(writer: OpenBlob, count: Int)] {
        guard !transaction.writers.isEmpty else { return [] }
        for writer in transaction.writers { try writer.pause() }
        return transaction.writers.filter { !$0.isExpired }.map { ($0, $0.writeCount) }
    }

    /// - Parameter idle: The open values that were not written since the savepoint.
    private func undoSavepoint(_ idle: [OpenBlob]) throws {
        // A rollback of the transaction by the engine has removed the savepoint, too.
        guard isInTransaction else { return }
        do {
            try run("ROLLBACK TO strongroom")
            try run("RELEASE strongroom")
            // After a change of the schema the engine has ended all of them.
            for writer in idle { writer.reopen() }
        } catch {
            transaction.state = .rolledBack
            throw error
        }
    }
}
