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

    /// Where the file lies, with every symbolic link followed.
    public let path: String

    /// What opening did.
    public let opening: OpenReport

    let pool: ConnectionPool
    let file: StoreFile
    private let memoryPressure: MemoryPressure

    /// - Parameters:
    ///   - connection: The first connection: the writer, or the only one in memory.
    ///   - key: What further connections are keyed with.
    ///   - whenClosed: Called once, when no connection is left.
    init(
        _ context: StoreContext, _ connection: Connection, _ key: ActiveKey, _ report: OpenReport,
        whenClosed: @escaping @Sendable () -> Void
    ) {
        let file = StoreFile(context, key: key, isUnlocked: connection.mode == .untouched)
        name = context.name
        path = context.path
        opening = report
        self.file = file
        pool = ConnectionPool(
            database: context.name.fileName,
            settings: context.settings,
            readerCount: context.isInMemory ? 0 : nil,
            writer: connection,
            open: { try file.connect(as: $0) },
            renew: { try file.renew(after: $0) },
            keeper: { file.keeperOfLog() },
            firstUses: AutomaticTables(isKept: context.migrator != nil || context.isReadOnly),
            // With the context this keeps the configuration, and what the file's place depends on, as long as the store
            // is open.
            whenClosed: {
                file.forget()
                if !context.isInMemory { OpenFiles.shared.release(context.path) }
                whenClosed()
                context.logger?.info("closed")
            }
        )
        memoryPressure = MemoryPressure(of: pool)
    }

    /// How far closing checkpointed the WAL: not to its end while another process reads, or when the checkpoint failed,
    /// as on a full disk; its ``CheckpointReport/failure`` says why then. Nothing is lost by that: the next opening
    /// finds the WAL. Nil as long as the store is open, and of a read-only store.
    public var closing: CheckpointReport? { pool.closing }

    /// The threads on which the store's work runs; a task that prefers them reads and writes without a change of
    /// thread.
    public var executor: StoreExecutor { pool.executor }

    /// What the store has done since it was opened.
    public var statistics: StoreStatistics { pool.counters.statistics }

    // MARK: Reading and writing

    /// Reads in a snapshot: what others commit meanwhile is not seen, and nobody waits for anybody.
    ///
    /// When all readers are taken the read waits; first come, first served.
    ///
    /// - Parameters:
    ///   - label: How errors name the read, to those who wait for its reader, too.
    ///   - timeout: How long it may wait and run; nil for as long as it takes.
    ///   - body: Runs on a thread of the store's own; gets a transaction in which only reading compiles.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `CancellationError` when the task is cancelled, which also stops a running
    ///   statement; ``StrongroomError`` with `timedOut`, `closed`, `fileChanged` for a file that is opened read-only,
    ///   or the engine's failure.
    public func read<T: Sendable>(
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> T
    ) async throws -> T {
        try await pool.read(OperationLimits(label: label, timeout: timeout)) { try body(ReadTransaction($0)) }
    }

    /// Writes on the one writer; returns after the commit is on the disk.
    ///
    /// Writes that wait at the same time share a transaction and its commit, each in a savepoint of its own: one that
    /// throws is undone alone, each sees what those before it did, and when the commit fails, all of them throw.
    ///
    /// - Parameters:
    ///   - kind: How the transaction begins, and whether others may share it.
    ///   - label: How errors name the write, to those who wait for it, too.
    ///   - timeout: How long it may wait and run; nil for as long as it takes. In a shared transaction a statement that
    ///     writes is not stopped in its middle; give ``WriteKind/immediate`` for one that takes long.
    ///   - body: Runs on a thread of the store's own. When it throws, its work is rolled back.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `CancellationError` when the task is cancelled; ``StrongroomError`` with
    ///   `timedOut`, `closed`, `readOnly`, `busy`, `diskFull`, `transactionEnded`, or the engine's failure. Nothing of
    ///   the work is kept then.
    @discardableResult
    public func write<T: Sendable>(
        as kind: WriteKind = .shared,
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await pool.write(as: kind, OperationLimits(label: label, timeout: timeout)) {
            try body(WriteTransaction($0))
        }
    }

    /// Reads in a snapshot, on the running thread; for code that is not async.
    ///
    /// - Parameters:
    ///   - label: How errors name the read, to those who wait for its reader, too.
    ///   - timeout: How long it may wait and run; nil for as long as it takes.
    ///   - body: Gets a transaction in which only reading compiles.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``StrongroomError`` with `timedOut`, `closed`, `nestedAccess` inside a
    ///   transaction of the same store, or the engine's failure.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await store.read { … }")
    public func read<T>(
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: (borrowing ReadTransaction) throws -> T
    ) throws -> T {
        try pool.readBlocking(OperationLimits(label: label, timeout: timeout)) { try body(ReadTransaction($0)) }
    }

    /// Writes on the one writer, on the running thread; for code that is not async. Shares a transaction with others as
    /// the async form does.
    ///
    /// - Parameters:
    ///   - kind: How the transaction begins, and whether others may share it.
    ///   - label: How errors name the write, to those who wait for it, too.
    ///   - timeout: How long it may wait and run; nil for as long as it takes.
    ///   - body: When it throws, its work is rolled back.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``StrongroomError`` with `timedOut`, `closed`, `nestedAccess` inside a
    ///   transaction of the same store, `readOnly`, `busy`, `diskFull`, `transactionEnded`, or the engine's failure.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await store.write { … }")
    public func write<T>(
        as kind: WriteKind = .shared,
        label: String? = nil,
        timeout: Duration? = nil,
        _ body: (borrowing WriteTransaction) throws -> T
    ) throws -> T {
        try pool.writeBlocking(as: kind, OperationLimits(label: label, timeout: timeout)) {
            try body(WriteTransaction($0))
        }
    }

    // MARK: Closing

    /// Closes the store: waits for what runs and what waits, checkpoints the WAL, closes the connections.
    ///
    /// Where the WAL cannot be checkpointed, since another program reads from it or the disk is full, it stays beside
    /// the file, with all that was committed, and closing does not fail for that: ``closing`` says how far it came.
    /// Other programs that read are waited for at most for a tenth of a second.
    ///
    /// A store that is closed already stays closed, and when somebody else is closing it, this waits for them; every
    /// later call of `read` or `write` throws.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store.
    public func close() async throws {
        try await BlockingWork.run { [self] in try pool.close() }
    }

    /// Closes the store, on the running thread; for code that is not async.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await store.close()")
    public func close() throws {
        try pool.close()
    }
}
