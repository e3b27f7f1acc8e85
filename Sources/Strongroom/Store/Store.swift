/// An open database: one writer and a pool of readers.
///
/// ```swift
/// let store = try await stores.open("addressbook_alice.sqlite")
/// try await store.write { db in
///     try Contact.insert(contact, in: db)
/// }
/// let people = try await store.read { db in
///     try Contact.where { $0.name.hasPrefix("A") }.fetch(db)
/// }
/// ```
public final class Store: Sendable {
    /// The database's name.
    public let name: DatabaseName

    /// Where the file lies, with every symbolic link followed.
    public let path: String

    /// What opening did.
    public let opening: OpenReport

    let access: Access

    init(name: DatabaseName, path: String, opening: OpenReport, access: Access) {
        self.name = name
        self.path = path
        self.opening = opening
        self.access = access
    }

    /// Reads in a snapshot: what others commit meanwhile is not seen, and nobody waits for anybody.
    ///
    /// - Parameter body: Runs on a thread of the store's own; gets a transaction in which only reading compiles.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `CancellationError` when the task is cancelled; ``StrongroomError`` with
    ///   `closed`, or the engine's failure.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> T
    ) async throws -> T {
        try await access.perform(.read) { connection in
            try connection.inSnapshot { try body(ReadTransaction(connection)) }
        }
    }

    /// Writes in one transaction on the one writer; returns after the commit is on the disk.
    ///
    /// - Parameter body: Runs on a thread of the store's own. When it throws, its work is rolled back.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `CancellationError` when the task is cancelled; ``StrongroomError`` with
    ///   `closed`, `busy`, `diskFull`, `transactionEnded`, or the engine's failure. Nothing of the work is kept then.
    @discardableResult
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await access.perform(.write) { connection in
            try connection.inTransaction(.immediate) { try body(WriteTransaction(connection)) }
        }
    }

    /// Reads in a snapshot, on the running thread; for code that is not async.
    ///
    /// - Parameter body: Gets a transaction in which only reading compiles.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``StrongroomError`` with `closed`, `nestedAccess` inside a transaction of the same store, or
    ///   the engine's failure.
    @available(*, noasync, message: "in async code, write: try await store.read { … }")
    public func read<T>(_ body: (borrowing ReadTransaction) throws -> T) throws -> T {
        try access.performBlocking(.read) { connection in
            try connection.inSnapshot { try body(ReadTransaction(connection)) }
        }
    }

    /// Writes in one transaction, on the running thread; for code that is not async.
    ///
    /// - Parameter body: When it throws, its work is rolled back.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``StrongroomError`` with `closed`, `nestedAccess` inside a transaction of the same store, `busy`,
    ///   `diskFull`, `transactionEnded`, or the engine's failure.
    @discardableResult
    @available(*, noasync, message: "in async code, write: try await store.write { … }")
    public func write<T>(_ body: (borrowing WriteTransaction) throws -> T) throws -> T {
        try access.performBlocking(.write) { connection in
            try connection.inTransaction(.immediate) { try body(WriteTransaction(connection)) }
        }
    }

    /// Closes the store: waits for what runs and what waits, brings the log into the file, closes the connections.
    ///
    /// A store that is closed already stays closed, and when somebody else is closing it, this waits for them; every later call of
    /// `read` or `write` throws.
    ///
    /// - Throws: ``StrongroomError`` with the engine's failure; the store is closed all the same, and nothing is lost.
    public func close() async throws {
        try await BlockingWork.run { [self] in try closeNow() }
    }

    /// Closes the store, on the running thread; for code that is not async.
    ///
    /// - Throws: ``StrongroomError`` with `nestedAccess` inside a transaction of the same store, or the engine's failure.
    @available(*, noasync, message: "in async code, write: try await store.close()")
    public func close() throws {
        try closeNow()
    }

    private func closeNow() throws {
        try access.close { connection in
            try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}
