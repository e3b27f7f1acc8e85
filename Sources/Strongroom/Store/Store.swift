import Logging

/// An open database: one writer and a pool of readers.
///
/// ```swift
/// let store = try await stores.open("addressbook_alice.sqlite")
/// try await store.write { db in
///     try Contact.insert(contact, in: db)
/// }
/// let people = try await store.read { db in
///     try Contact.where { $0.name.hasPrefix("A") }.fetch(in: db)
/// }
/// ```
public final class Store: Sendable {
    /// The database's name.
    public let name: DatabaseName

    /// The path of the file, with every symbolic link resolved.
    public let path: String

    /// What opening the store did.
    public let openReport: OpenReport

    let pool: ConnectionPool
    let file: StoreFile
    let functions: ConnectionFunctions
    /// What a module above keeps while the store is open.
    package let attachment = Locked<(any Sendable)?>(nil)

    /// - Parameters:
    ///   - keys: The keys that may open the file.
    ///   - unlocked: The file with its first connection: the writer, or the only one in memory.
    ///   - observers: Receive each operation.
    ///   - whenClosed: Called once, when no connection is left.
    init(
        _ context: StoreContext, _ keys: DatabaseKeys, _ unlocked: UnlockedFile, _ report: OpenReport,
        _ resources: StoreResources, _ observers: [any OperationObserver], whenClosed: @escaping @Sendable () -> Void
    ) {
        let file = StoreFile(context, keys, unlocked)
        name = context.name
        path = context.path
        openReport = report
        self.file = file
        functions = context.file.functions
        let attachment = attachment
        let statistics = Locked(StoreStatistics())
        let family = context.name.target
        resources.add(statistics, log: context.isInMemory ? nil : context.file.sideFiles.log, to: family)
        pool = ConnectionPool(
            context.name,
            settings: context.settings,
            executor: resources.executor,
            observers: observers,
            statistics: statistics,
            foreignPath: context.isInMemory ? nil : context.path,
            logger: context.logger,
            readerCount: context.isInMemory ? 0 : nil,
            writer: unlocked.connection,
            open: { try file.connect(as: $0) },
            renew: { try file.renew(after: $0) },
            // Not the context: the pool of a closed store would retain the configuration.
            beforeClosing: { [path = context.path] mayCheckpoint in
                OpenFiles.shared.markClosing(path)
                return mayCheckpoint ? file.keeperOfLog() : nil
            },
            automaticTables: AutomaticTables(isKept: context.migrator != nil || context.isReadOnly),
            schemaCheck: context.isInMemory ? nil : context.migrator?.schemaCheck(),
            // With the context this retains the configuration, which the file's location may depend on, while the store
            // is open.
            whenClosed: {
                file.forget()
                // Released outside the lock.
                _ = attachment.withLock { $0.take() }
                resources.remove(statistics, from: family)
                if !context.isInMemory { OpenFiles.shared.release(context.path) }
                whenClosed()
                context.logger?.info("closed")
            }
        )
    }

    /// The checkpoint of the closing: incomplete if another process was reading or the checkpoint failed, for
    /// example because the disk is full; ``CheckpointReport/failure`` has the reason. No commit is lost: the next
    /// opening reads the WAL. Nil while the store is open, and for a read-only store.
    public var closeReport: CheckpointReport? { pool.closing }

    /// The threads on which the operations of the registry's stores run; a task that prefers this executor reads and
    /// writes without changing threads.
    public var executor: StoreExecutor { pool.executor }

    /// The statistics of the store since it was opened.
    public var statistics: StoreStatistics { pool.statistics.withLock { $0 } }

    // MARK: Reading and writing

    /// Reads in a snapshot: commits made meanwhile are not visible, and the read and the writer do not wait for each
    /// other.
    ///
    /// If every reader is in use, the read waits in FIFO order.
    ///
    /// - Parameters:
    ///   - label: The name of the read in error messages, including timeouts of operations that wait for its reader.
    ///   - timeout: How long it may wait and run; nil for no limit.
    ///   - body: Runs once, on one of the store's threads; receives a transaction that cannot write. It may use
    ///     variables that nothing changes meanwhile or afterwards; see <doc:ReadingAndWriting>.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `CancellationError` if the task is cancelled, which also interrupts a running
    ///   statement; ``StrongroomError`` with `timedOut`, `closed`, `fileChanged` for a file that is opened read-only,
    ///   or the engine's failure.
    public func read<T: Sendable>(
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: sending @escaping (borrowing ReadTransaction) throws -> T
    ) async throws -> T {
        nonisolated(unsafe) let body = body  // sent to this function, which calls it once
        return try await pool.read(OperationLimits(label: label, timeout: timeout)) { try body(ReadTransaction($0)) }
    }

    /// Writes through the single writer; returns after the commit is on the disk.
    ///
    /// Writes that wait at the same time share a transaction and its commit, each in a savepoint: a write that throws
    /// is undone alone, each sees the changes of those before it, and if the commit fails, all of them throw.
    ///
    /// - Parameters:
    ///   - author: The author, for tables that keep a history; see ``Writing/author``.
    ///   - kind: How the transaction begins, and whether other writes may share it.
    ///   - label: The name of the write in error messages, including timeouts of operations that wait for it.
    ///   - timeout: How long it may wait and run; nil for no limit. In a shared transaction, a writing statement is not
    ///     interrupted; use ``WriteKind/immediate`` for one that takes long.
    ///   - body: Runs once, on one of the store's threads. If it throws, or calls ``WriteTransaction/rollBack()``, its
    ///     work is rolled back. It may use variables that nothing changes meanwhile or afterwards; see
    ///     <doc:ReadingAndWriting>.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `CancellationError` if the task is cancelled; ``StrongroomError`` with
    ///   `timedOut`, `closed`, `readOnly`, `busy`, `diskFull`, `transactionEnded`, or the engine's failure. The work is
    ///   rolled back then.
    @discardableResult
    public func write<T: Sendable>(
        author: String? = nil,
        as kind: WriteKind = .shared,
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: sending @escaping (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        nonisolated(unsafe) let body = body  // sent to this function, which calls it once
        return try await pool.write(as: kind, OperationLimits(label: label, timeout: timeout)) {
            if let author { $0.setAuthor(author) }
            return try body(WriteTransaction($0))
        }
    }

    /// Reads in a snapshot, on the current thread; for code that is not async. The parameters are those of the async
    /// form.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``StrongroomError`` with `timedOut`, `closed`, `nestedAccess` inside a
    ///   transaction of the same store, or the engine's failure.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await store.read { … }")
    public func read<T>(
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: (borrowing ReadTransaction) throws -> T
    ) throws -> T {
        try pool.performBlocking(.read, OperationLimits(label: label, timeout: timeout)) { connection in
            try connection.inKnownSnapshot { try body(ReadTransaction(connection)) }
        }
    }

    /// Writes through the single writer, on the current thread; for code that is not async. Shares a transaction with
    /// other writes, as the async form does, whose parameters it has.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``StrongroomError`` with `timedOut`, `closed`, `nestedAccess` inside a
    ///   transaction of the same store, `readOnly`, `busy`, `diskFull`, `transactionEnded`, or the engine's failure.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await store.write { … }")
    public func write<T>(
        author: String? = nil,
        as kind: WriteKind = .shared,
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: (borrowing WriteTransaction) throws -> T
    ) throws -> T {
        try pool.writeBlocking(as: kind, OperationLimits(label: label, timeout: timeout)) {
            if let author { $0.setAuthor(author) }
            return try body(WriteTransaction($0))
        }
    }

    // MARK: Closing

    /// Closes the store: waits for running and waiting operations, checkpoints the WAL, and closes the connections.
    ///
    /// If the WAL cannot be checkpointed, because another process is reading from it or the disk is full, it stays
    /// beside the file with every committed transaction, and closing does not fail: ``closeReport`` reports how far the
    /// checkpoint came. Closing waits at most a tenth of a second for readers in other processes.
    ///
    /// Closing a closed store has no effect; if another caller is closing it, this waits until that is done. Every
    /// later `read` or `write` throws.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store.
    public func close() async throws {
        try await BlockingWork.run { [self] in try pool.close() }
    }

    /// Closes the store, on the current thread; for code that is not async.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await store.close()")
    public func close() throws {
        try pool.close()
    }
}
