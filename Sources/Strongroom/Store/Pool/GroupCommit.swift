/// Begins and ends the transaction of every write; used by whoever has the writer's slot.
///
/// Writes that wait at the same time share one. The first one begins it. Each later one runs in a savepoint of its own,
/// so that one that fails is undone alone. Whoever is last commits it, and all who are in it learn the outcome then.
final class GroupCommit: @unchecked Sendable {  // guarded by the writer's slot
    /// Tells a write the outcome: nil when it is on the disk.
    typealias Finish = ((any Error)?) -> Void

    private var members: [Finish] = []
    /// When the first of them was done.
    private var start = ContinuousClock.now
    private let longest: Duration

    /// - Parameter longest: How long after the first write is done further ones may begin.
    init(longest: Duration) {
        self.longest = longest
    }

    /// How much of the transaction would be lost with the next write.
    var company: Connection.Company { members.isEmpty ? .alone : .shared }

    /// Runs one write: in a transaction of its own, which is committed when this returns, or in the shared one, the
    /// first write in the transaction's own frame, a later one in a savepoint.
    ///
    /// - Throws: What the work throws; it is undone then, and so is everybody's when the engine has rolled the whole
    ///   transaction back: then the others get `transactionEnded`.
    func run<T>(_ kind: WriteKind, on connection: Connection, _ work: () throws -> T) throws -> T {
        switch kind {
        case .immediate: try connection.inTransaction(.immediate, work)
        case .deferred: try connection.inTransaction(.deferred, work)
        case .shared where members.isEmpty: try runFirst(on: connection, work)
        case .shared: try runLater(on: connection, work)
        }
    }

    private func runFirst<T>(on connection: Connection, _ work: () throws -> T) throws -> T {
        try connection.begin(.immediate)
        do {
            let result = try work()
            try connection.checkTransactionIsWhole()
            try connection.checkPages()
            return result
        } catch {
            throw connection.rollBack(after: error)
        }
    }

    private func runLater<T>(on connection: Connection, _ work: () throws -> T) throws -> T {
        do {
            return try connection.inSavepoint {
                let result = try work()
                // Otherwise one write would make the commit of all fail.
                if connection.hasDeferredViolations { try connection.checkForeignKeys() }
                return result
            }
        } catch {
            // The end of the savepoint has asked the engine whether it has read a damaged page.
            if connection.transaction.state == .rolledBack { explainToOthers(on: connection) }
            throw error
        }
    }

    /// The failures that are not one write's: any of them would have met a full disk.
    private static let failuresOfAll: Set<StrongroomError.Code> = [.diskFull, .inputOutput, .outOfMemory]

    /// Replaces what the writes before are told of the transaction that this write's failure has ended. The constraint
    /// that it broke, or the damaged page that it read, is none of theirs. They are not run again here: what they did
    /// besides writing would be done twice.
    private func explainToOthers(on connection: Connection) {
        let cause = connection.transaction.rollbackCause
        if let cause, Self.failuresOfAll.contains(cause.code) { return }
        connection.transaction.rollbackCause = StrongroomError(
            .transactionEnded,
            """
            The write was undone: it shared its transaction with another write, whose failure made the engine roll \
            back the whole of it (ON CONFLICT ROLLBACK, RAISE(ROLLBACK), a damaged page). Nothing of it was kept. Run \
            it again.
            """,
            database: connection.database)
    }

    /// Whether another write may go on in the transaction.
    func mayGrow(on connection: Connection) -> Bool {
        // What one write has asked for must not hold for the next one.
        connection.transaction.state == .open && connection.isInTransaction && !connection.hasDeferredViolations
            && !connection.defersForeignKeys && ContinuousClock.now - start < longest
    }

    /// Notes a write that is on the disk if the commit succeeds.
    func add(_ finish: @escaping Finish) {
        if members.isEmpty { start = .now }
        members.append(finish)
    }

    /// Ends the transaction: commits it if it is whole.
    ///
    /// - Returns: The writes to be told, and what: nil when they are on the disk.
    func end(on connection: Connection) -> (members: [Finish], outcome: (any Error)?) {
        guard !members.isEmpty else { return ([], nil) }
        defer { members.removeAll(keepingCapacity: true) }
        do {
            try connection.commit()
            return (members, nil)
        } catch {
            connection.rollBack()
            return (members, error)
        }
    }
}
