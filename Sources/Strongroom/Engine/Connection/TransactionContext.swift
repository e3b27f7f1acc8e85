/// The state of the transaction that this library opened last on a connection.
struct TransactionContext {
    enum State {
        /// No transaction is open.
        case none
        /// A transaction is open.
        case open
        /// The engine has rolled it back, or a part of it could not be rolled back: no statement may run in it any
        /// more.
        case rolledBack
    }

    /// Whether the user's closure that runs may request the rollback of its work.
    enum Rollback {
        /// It may not: it is none of a write or a savepoint.
        case refused
        case possible, requested
    }

    var state = State.none
    var rollback = Rollback.refused
    /// The error after which the engine rolled it back.
    var rollbackCause: StrongroomError?
    /// The number of transactions and of rolled back parts so far.
    private(set) var number = 0
    /// The tables that it has read and written.
    var tables = TableUse()
    /// Whether reads of tables are recorded, too.
    var isWatchingReads = false
    /// Whether the connection is read-only until the transaction ends.
    var isKeptFromWriting = false
    var isCommitting = false
    /// The time of the rows that the transaction writes, in seconds since the start of 2001, once it is needed.
    var writeTime: Double?
    /// Who makes the changes.
    var authorship = Authorship()
    /// Whether the table of the author may have a row.
    var hasAuthorRow = false
    /// What is open for writing besides statements.
    var writers: [any OpenWriter] = []
    /// The rows that closures receive now, the innermost last.
    var openRows: [OpenRows] = []
    /// State of the layers above for this transaction.
    var attachments = Attachments()

    /// The number of changed rows that the engine had counted when it began.
    private(set) var changesBefore = 0
    /// Whether it may have written something that the engine does not count, such as a value in parts.
    var hasUncountedWrites = false

    /// The tables that the last committed transactions have written.
    var committedWrites: Set<String> = []

    /// Records the beginning of a transaction.
    ///
    /// - Parameter changes: The number of changed rows that the engine has counted so far.
    mutating func begin(after changes: Int) {
        changesBefore = changes
        hasUncountedWrites = false
        state = .open
        rollbackCause = nil
        number += 1
        tables = TableUse()
        writeTime = nil
        writers = []
        attachments = Attachments()
        authorship = Authorship()
        hasAuthorRow = false
    }

    /// Records the rollback of a part: its statements are recorded again when they next run.
    ///
    /// - Parameters:
    ///   - before: The tables that the transaction had read and written before that part.
    ///   - authorBefore: The author before that part.
    mutating func undoPart(_ before: TableUse, _ authorBefore: Authorship) {
        tables = before
        authorship = authorBefore
        number += 1
        attachments = Attachments()
    }

    /// Records the commit: the tables of its statements, unless these have changed no row at all.
    ///
    /// - Parameter changes: The number of changed rows that the engine has counted so far.
    mutating func recordCommit(after changes: Int) {
        guard !tables.writes.isEmpty else { return }
        guard changes != changesBefore || hasUncountedWrites || tables.changesSchema else { return }
        committedWrites.formUnion(tables.writes)
    }
}

/// What is open for writing besides statements, such as a value that is written in parts. The engine begins and
/// releases no savepoint meanwhile, so it pauses then.
protocol OpenWriter: AnyObject {
    /// How often it has written.
    var writeCount: Int { get }

    /// Whether what it writes to was changed otherwise, so that it can neither read nor write any more.
    var isExpired: Bool { get }

    /// Ends its write until it writes next.
    func pause() throws

    /// Called when a part of the transaction is rolled back in which it has written.
    func loseWrites()

    /// Called after a part of the transaction has been rolled back in which it has not written, and before which it was
    /// not expired.
    func reopen()
}
