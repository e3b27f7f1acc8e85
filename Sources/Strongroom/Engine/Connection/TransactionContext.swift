/// The transaction that this library opened on a connection last, and what it carries.
struct TransactionContext {
    enum State {
        /// None is open.
        case none
        /// It is open.
        case open
        /// The engine has rolled it back, or part of it could not be undone: nothing more may run in it.
        case rolledBack
    }

    var state = State.none
    /// What made the engine roll it back before its end.
    var rollbackCause: StrongroomError?
    /// Counts the transactions, and the parts of them that were undone.
    private(set) var number = 0
    /// The tables that it has read and written.
    var tables = TableUse()
    /// Whether the tables that are read are noted, too.
    var isWatchingReads = false
    /// Whether the connection is kept from writing until it ends.
    var isKeptFromWriting = false
    var isCommitting = false
    /// What the layers above know of what it has done so far.
    var attachments = Attachments()

    /// The tables that the last committed transactions have written.
    var committedWrites: Set<String> = []

    /// Notes that one has begun.
    mutating func begin() {
        state = .open
        rollbackCause = nil
        number += 1
        tables = TableUse()
        attachments = Attachments()
    }

    /// Notes that a part of it was undone: its statements are noted again when they are run.
    ///
    /// - Parameter before: What the transaction had read and written before that part.
    mutating func undoPart(_ before: TableUse) {
        tables = before
        number += 1
        attachments = Attachments()
    }

    /// Notes that it is committed.
    mutating func noteCommit() {
        committedWrites.formUnion(tables.writes)
    }
}
