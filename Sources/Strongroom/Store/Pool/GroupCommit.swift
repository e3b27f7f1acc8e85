/// Begins and ends the transaction of every write; called only by the holder of the writer's slot.
///
/// Shared writes that wait at the same time run in one transaction. The first one begins it. Each later one runs in a
/// savepoint, so that a failing write is undone alone. The last one commits, and every write of the group receives the
/// outcome then.
final class GroupCommit: @unchecked Sendable {  // guarded by the writer's slot
    /// Reports the outcome to a write: nil when it is committed.
    typealias Finish = ((any Error)?) -> Void

    private var members: [Finish] = []
    /// When the first of them was done.
    private var start = ContinuousClock.now
    /// How long after the end of the first write further ones may begin.
    private let longest: Duration
    private let foreign: ForeignCommits
    /// Compared with the clock before and after each commit.
    private let right: WriteRight

    init(longest: Duration, _ foreign: ForeignCommits, _ right: WriteRight) {
        self.right = right
        self.longest = longest
        self.foreign = foreign
    }

    /// Whether an interrupt would affect other writes of the transaction.
    var sharing: Connection.Sharing { members.isEmpty ? .unshared : .shared }

    /// Runs one write: in a separate transaction, which is committed when this returns, or in the shared one, the first
    /// write directly in the transaction, a later one in a savepoint.
    ///
    /// - Throws: What the work throws; the write is undone then. If the engine has rolled back the whole transaction,
    ///   the other writes are undone as well and fail with `transactionEnded`.
    func run<T>(_ kind: WriteKind, on connection: Connection, _ work: () throws -> T) throws -> T {
        switch kind {
        case .immediate:
            return try acknowledging(
                connection.inTransaction(.immediate) {
                    if foreign.isOn { foreign.checkInTransaction(connection) }
                    try connection.readKnownSchema()
                    return try inTime(work)
                })
        case .deferred:
            return try acknowledging(
                foreign.whileDeferred(on: connection) {
                    try connection.inTransaction(.deferred) {
                        let result = try inTime(work)
                        // It may have begun to read late, and needs no snapshot before.
                        try connection.readKnownSchema()
                        return result
                    }
                })
        case .shared where members.isEmpty: return try runFirst(on: connection, work)
        case .shared: return try runLater(on: connection, work)
        }
    }

    /// Runs work whose transaction is committed only if the right to write has not ended meanwhile.
    private func inTime<T>(_ work: () throws -> T) throws -> T {
        let result = try work()
        try right.require()
        return result
    }

    /// - Throws: The error for a commit during which the right to write has ended.
    private func acknowledging<T>(_ result: T) throws -> T {
        if let refusal = right.refusalOfCommit { throw refusal }
        return result
    }

    private func runFirst<T>(on connection: Connection, _ work: () throws -> T) throws -> T {
        try connection.begin(.immediate)
        do {
            if foreign.isOn { foreign.checkInTransaction(connection) }
            try connection.readKnownSchema()
            let result = try work()
            try connection.checkTransactionIsOpen()
            try connection.checkPages()
            return result
        } catch {
            throw connection.rollBack(after: error)
        }
    }

    private func runLater<T>(on connection: Connection, _ work: () throws -> T) throws -> T {
        connection.transaction.authorship = Authorship()
        connection.transaction.writeTime = nil
        do {
            // Of an earlier write.
            try connection.forgetAuthor()
            return try connection.inSavepoint {
                let result = try work()
                // Otherwise one write would make the commit fail for all.
                if connection.hasDeferredViolations { try connection.checkForeignKeys() }
                return result
            }
        } catch {
            // Releasing the savepoint has checked whether the engine read a damaged page.
            if connection.transaction.state == .rolledBack { explainToOthers(on: connection) }
            throw error
        }
    }

    /// Failures that do not belong to one write: any write would have failed on a full disk.
    private static let failuresOfAll: Set<StrongroomError.Code> = [.diskFull, .inputOutput, .outOfMemory]

    /// Replaces the error that the earlier writes of a transaction get which this write's failure has rolled back: the
    /// violated constraint, or the damaged page, concerns only this write. They are not run again here, since side
    /// effects of their closures would happen twice.
    private func explainToOthers(on connection: Connection) {
        let cause = connection.transaction.rollbackCause
        if let cause, Self.failuresOfAll.contains(cause.code) { return }
        connection.transaction.rollbackCause = StrongroomError(
            .transactionEnded,
            """
            The write was undone: it shared its transaction with another write, after whose failure the engine rolled \
            back all of it (ON CONFLICT ROLLBACK, RAISE(ROLLBACK), a damaged page). Nothing of it was kept. Run it \
            again.
            """,
            database: connection.database)
    }

    /// Whether another write may continue the transaction.
    func mayGrow(on connection: Connection) -> Bool {
        // A setting of one write (`defer_foreign_keys`) must not apply to the next.
        connection.transaction.state == .open && connection.isInTransaction && !connection.hasDeferredViolations
            && !connection.defersForeignKeys && ContinuousClock.now - start < longest
    }

    /// Records a write whose outcome is that of the commit.
    func add(_ finish: @escaping Finish) {
        if members.isEmpty { start = .now }
        members.append(finish)
    }

    /// Ends the transaction: commits it, or rolls it back if the commit fails.
    ///
    /// - Returns: The writes to complete, and their outcome: nil when they are committed.
    func end(on connection: Connection) -> (members: [Finish], outcome: (any Error)?) {
        guard !members.isEmpty else { return ([], nil) }
        defer { members.removeAll(keepingCapacity: true) }
        do {
            try right.require()
            try connection.commit()
        } catch {
            connection.rollBack()
            return (members, error)
        }
        return (members, right.refusalOfCommit)
    }
}

/// Reads and writes in a transaction, which the pool begins and ends.
extension ConnectionPool {
    @inline(__always)
    func read<T: Sendable>(
        _ limits: OperationLimits, _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await perform(.read, limits) { connection in try connection.inKnownSnapshot { try work(connection) } }
    }

    /// Writes in a transaction, shared or separate; the work may request its rollback.
    ///
    /// - Throws: ``StrongroomError`` with `readOnly`; as ``perform(_:_:_:)``.
    @inline(__always)
    func write<T: Sendable>(
        as kind: WriteKind, _ limits: OperationLimits, _ work: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try requireWriting()
        do {
            guard kind != .shared else {
                return try await perform(.write, limits) { [self] connection in
                    // It may have waited while the store began to refuse writes.
                    try requireWriting()
                    return try connection.acceptingRollback { try work(connection) }
                }
            }
            return try await perform(.ungroupedWrite, limits) { [self] connection in
                try requireWriting()
                return try group.run(kind, on: connection) {
                    try connection.acceptingRollback { try work(connection) }
                }
            }
        } catch let rollback as RequestedRollback {
            return try rollback.returned()
        }
    }

    /// As the async form, on the current thread.
    func writeBlocking<T>(
        as kind: WriteKind, _ limits: OperationLimits, _ work: (Connection) throws -> T
    ) throws -> T {
        try requireWriting()
        func accepting(_ connection: Connection) throws -> T {
            try requireWriting()
            return try connection.acceptingRollback { try work(connection) }
        }
        do {
            guard kind != .shared else { return try performBlocking(.write, limits, accepting) }
            return try performBlocking(.ungroupedWrite, limits) { connection in
                try group.run(kind, on: connection) { try accepting(connection) }
            }
        } catch let rollback as RequestedRollback {
            return try rollback.returned()
        }
    }
}

/// The stores that have a transaction on the current thread.
///
/// Recorded per thread, not per task: a task started by a transaction's closure is not inside the transaction.
enum CurrentTransaction {
    private struct Frame {
        let pool: Unmanaged<ConnectionPool>
        let outer: UnsafeRawPointer?
    }

    private static let pointer = ThreadLocal()

    static func isInside(_ pool: ConnectionPool) -> Bool {
        frames.contains { $0.pool.toOpaque() == Unmanaged.passUnretained(pool).toOpaque() }
    }

    static var isInsideAny: Bool { pointer.value != nil }

    /// The databases that have a transaction on the current thread, innermost first.
    static var databases: [String] { frames.map { $0.pool.takeUnretainedValue().database } }

    private static var frames: some Sequence<Frame> {
        sequence(state: pointer.value.map { UnsafeRawPointer($0) }) { next in
            let frame = next?.load(as: Frame.self)
            next = frame?.outer
            return frame
        }
    }

    /// Runs work marked as being inside a transaction of a store; also a callback that the store's own work waits for.
    static func inside<T>(_ pool: ConnectionPool, _ body: () throws -> T) rethrows -> T {
        let outer = pointer.value
        let frame = Frame(pool: .passUnretained(pool), outer: outer.map { UnsafeRawPointer($0) })
        return try withUnsafePointer(to: frame) { inner in
            pointer.value = UnsafeMutableRawPointer(mutating: inner)
            defer { pointer.value = outer }
            return try body()
        }
    }
}
