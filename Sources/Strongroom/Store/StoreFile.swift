import Dispatch
import Logging

/// An open store's file, and the key that it is on now.
final class StoreFile: Sendable {
    private struct State {
        /// What is known of the database; nil after closing.
        var context: StoreContext?
        /// Nil after closing.
        var key: ActiveKey?
        /// Counts the keys that the file has had since it was opened.
        var generation = 0
    }

    private let database: String
    /// Whether there is no file.
    let isInMemory: Bool
    private let isUnlocked: Bool
    private let state: Locked<State>
    /// Those who change the file's keys.
    let keyChanges = AsyncMutex()
    /// One at a time finds the key anew.
    private let renewal = DispatchSemaphore(value: 1)

    /// - Parameter isUnlocked: Whether it is read without locks, since none can be had.
    init(_ context: StoreContext, key: ActiveKey, isUnlocked: Bool) {
        self.isUnlocked = isUnlocked
        database = context.name.fileName
        isInMemory = context.isInMemory
        // What lies in memory has neither a file nor a key.
        state = Locked(context.isInMemory ? State() : State(context: context, key: key))
    }

    /// What is known of the database.
    ///
    /// - Throws: ``StrongroomError`` with `closed`, or `inMemory` when there is no file.
    func context() throws -> StoreContext {
        guard let context = state.withLock({ $0.context }) else { throw isInMemory ? inMemory : closed }
        return context
    }

    /// What is known of the database, for what changes the file, or what lies beside it.
    ///
    /// - Throws: As ``context()``; ``StrongroomError`` with `readOnly`.
    func contextToWrite() throws -> StoreContext {
        let context = try context()
        guard !context.isReadOnly else { throw StrongroomError.readOnlyStore(database) }
        return context
    }

    /// The error for what is done with a file.
    private var inMemory: StrongroomError {
        StrongroomError(
            .inMemory,
            """
            The store lies in memory and has no file, so it has no key, WAL, copy or dry run either. Open one on the \
            disk for that.
            """,
            database: database)
    }

    /// The error for another connection to a database that belonged to its only one: an empty one would pass for it.
    private var lost: StrongroomError {
        StrongroomError(
            .inMemory,
            """
            The engine could not end a transaction, so its connection was closed, and with it went what the store had \
            in memory. Close the store, and open it again.
            """,
            database: database)
    }

    private var closed: StrongroomError {
        StrongroomError(.closed, "The store is closed; open it again.", database: database)
    }

    /// Opens a connection.
    ///
    /// - Parameter role: What it is set up for; nil for one that is nobody's and only has the key.
    func connect(as role: Connection.Role?) throws -> Connection {
        guard !isInMemory else { throw lost }
        for _ in 0..<Self.attempts {
            let connection = try connectWithNewestKey(as: role)
            // Between its opening and its first lock the file may have been replaced, as by a rotation in another
            // process.
            guard connection.hasMoved else { return connection }
            connection.close()
        }
        throw StrongroomError(
            .fileChanged,
            """
            Other programs put one file after the other in the place of "\(try context().path)", so that none could be \
            opened. Close the store, look who does that, then open it again.
            """,
            database: database)
    }

    private static let attempts = 5

    private func connectWithNewestKey(as role: Connection.Role?) throws -> Connection {
        let generation = state.withLock { $0.generation }
        do {
            return try connectOnce(as: role)
        } catch let error as StrongroomError where error.code == .notADatabase {
            guard try renew(after: generation) else { throw error }
            return try connectOnce(as: role)
        }
    }

    private func connectOnce(as role: Connection.Role?) throws -> Connection {
        let file = try context().file
        let (key, generation) = state.withLock { ($0.key?.derivedKey, $0.generation) }
        // A connection that is opened later is not to take for whole what those before it have refused.
        if isUnlocked { try file.baseline?.check(isLocked: false, database) }
        let connection =
            try file.isReadOnly
            ? file.connectToRead(key: key) { try $0.proveKey() } : file.connect(.existing, key: key)
        connection.attachments[KeyGeneration.self] = KeyGeneration(generation)
        do {
            if !file.isReadOnly { try connection.proveKey() }
            if let role { try connection.configure(as: file.isReadOnly ? .reader : role, of: file) }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// A connection that keeps those of a store that only reads from checkpointing another program's WAL when
    /// they are closed; nil when none is needed.
    func keeperOfLog() -> Connection? {
        let (file, key) = state.withLock { ($0.context?.file, $0.key?.derivedKey) }
        return file?.keeperOfLog(key: key)
    }

    /// What the file's pages are checked with; nil for plaintext, and after closing.
    var pageKey: DerivedKey? { state.withLock { $0.key?.derivedKey } }

    /// Lets go of the key and the configuration: a closed store may be held for long.
    func forget() {
        let context = state.withLock { state in
            state.key = nil
            return state.context.take()
        }
        // Let go of outside the lock: the configuration is the user's.
        _ = context
    }

    /// What is known of the file's key.
    ///
    /// - Throws: ``StrongroomError`` with `closed`.
    func activeKey() throws -> ActiveKey {
        let key = state.withLock { $0.key }
        guard let key else { throw isInMemory ? inMemory : closed }
        return key
    }

    /// How many keys the file has had since it was opened.
    var generation: Int { state.withLock { $0.generation } }

    func replaceKey(_ key: ActiveKey) {
        state.withLock { state in
            guard state.context != nil else { return }
            state.key = key
            state.generation += 1
        }
    }

    // MARK: Rotated by another process

    /// Finds the key anew when the file cannot be read with the one that was the newest: another process may have
    /// rotated it.
    ///
    /// - Parameter connection: One that can no longer read it.
    /// - Returns: Whether there is another key now.
    func renew(after connection: Connection) throws -> Bool {
        try renew(after: connection.attachments[KeyGeneration.self]?.number ?? 0)
    }

    /// As ``renew(after:)`` for a connection.
    ///
    /// - Parameter former: The generation of the key that no longer reads it.
    func renew(after former: Int) throws -> Bool {
        guard !isInMemory else { return false }
        renewal.wait()
        defer { renewal.signal() }
        let context = try context()
        let file = context.file
        let generation = state.withLock { $0.generation }
        guard generation == former else { return true }
        let chain = try BlockingWork.wait { try await context.keyChain() }
        guard !chain.isPlaintext, let size = try FileStatus.at(file.path)?.size else { return false }
        let (keys, unlocked) = try unlock(context, .encrypted(salt: file.salt(), size: size), chain)
        unlocked.connection.close()
        guard unlocked.derivedKey != nil else { return false }
        replaceKey(keys.activeKey(of: unlocked))
        context.logger?.info(
            "found on another key", metadata: ["key": "\((unlocked.position ?? 0) + 1) of \(chain.count)"])
        return true
    }

    private func unlock(
        _ context: StoreContext, _ content: FileContent, _ chain: KeyChain
    ) throws -> (DatabaseKeys, UnlockedFile) {
        let keys = try context.databaseKeys(chain, salt: content.salt)
        do {
            return (keys, try keys.unlock(content))
        } catch let error as StrongroomError where error.code == .wrongKey {
            // Another process may have written the envelope, and the file, since the envelope was read.
            let newer = try context.databaseKeys(chain, salt: content.salt)
            guard newer.envelope?.sealed != keys.envelope?.sealed else { throw error }
            return (newer, try newer.unlock(content))
        }
    }
}

/// Which of the file's keys since the store was opened a connection has.
private final class KeyGeneration {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }
}
