import Dispatch
import Logging

/// An open store's file and its current key, for later connections and rotations. The key chain is not kept.
final class StoreFile: Sendable {
    private struct State {
        /// The context of the database; nil after closing, and in memory, where there is neither a file nor a key.
        var context: StoreContext?
        /// The key of the connections; nil for plaintext.
        var derivedKey: DerivedKey?
        /// The envelope's data keys and the file's salt; nil for a file that no data key opens.
        var wrapped: (dataKeys: DataKeys, salt: [UInt8])?
        /// Whether the file itself needs no rotation.
        var isSettled = false
        /// The number of keys that the file has had since it was opened.
        var generation = 0

        /// Keeps the key that opened the file.
        mutating func adopt(_ keys: DatabaseKeys, _ unlocked: UnlockedFile) {
            let isOnItsKey = unlocked.isCurrent && unlocked.derivedKey?.settings == keys.ciphers.last
            derivedKey = unlocked.derivedKey
            wrapped = unlocked.isWrapped ? keys.envelope.map { ($0.dataKeys, $0.databaseSalt) } : nil
            isSettled = unlocked.isWrapped && isOnItsKey
        }
    }

    private let database: String
    let isInMemory: Bool
    /// Whether it is read without locks, because none can be acquired.
    private let isUnlocked: Bool
    private let state = Locked(State())
    /// Serializes changes of the file's keys.
    let keyChanges = AsyncMutex()
    /// Serializes the search for a new key.
    private let renewal = DispatchSemaphore(value: 1)

    init(_ context: StoreContext, _ keys: DatabaseKeys, _ unlocked: UnlockedFile) {
        isUnlocked = unlocked.connection.mode == .untouched
        database = context.name.fileName
        isInMemory = context.isInMemory
        guard !isInMemory else { return }
        state.withLock { state in
            state.context = context
            state.adopt(keys, unlocked)
        }
    }

    /// - Throws: ``StrongroomError`` with `closed`, or `inMemory` if there is no file.
    private func openState() throws -> (state: State, context: StoreContext) {
        let state = state.withLock { $0 }
        guard let context = state.context else { throw isInMemory ? inMemory : closed }
        return (state, context)
    }

    /// The context of the database.
    ///
    /// - Throws: ``StrongroomError`` with `closed`, or `inMemory` if there is no file.
    func context() throws -> StoreContext { try openState().context }

    /// The context of the database, for operations that change the file or files beside it.
    ///
    /// - Throws: As ``context()``; ``StrongroomError`` with `readOnly`.
    func contextToWrite() throws -> StoreContext {
        let context = try context()
        guard !context.isReadOnly else { throw StrongroomError.readOnlyStore(database) }
        return context
    }

    private var inMemory: StrongroomError {
        StrongroomError(
            .inMemory,
            """
            The store is in memory and has no file, so it has no key, WAL, copy or dry run. Open a store on the disk \
            for that.
            """,
            database: database)
    }

    /// The error for a second connection to a database in memory: an empty database would be mistaken for it.
    private var lost: StrongroomError {
        StrongroomError(
            .closed,
            """
            The engine could not end a transaction, so its connection was closed, and the content of the store in \
            memory is lost. Close the store, and open it again.
            """,
            database: database)
    }

    private var closed: StrongroomError {
        StrongroomError(.closed, "The store is closed; open it again.", database: database)
    }

    /// Opens a connection.
    ///
    /// - Parameter role: The role to configure it for; nil for a separate connection that is only keyed.
    func connect(as role: Connection.Role?) throws -> Connection {
        guard !isInMemory else { throw lost }
        for _ in 0..<Self.attempts {
            let connection: Connection
            do {
                connection = try connectWithNewestKey(as: role)
            } catch {
                try requireSameFile()
                throw error
            }
            // Between the opening and its first lock, the file may have been replaced, for example by a rotation in
            // another process.
            guard connection.hasMoved else {
                try requireSameFile()
                return connection
            }
            connection.close()
        }
        try requireSameFile()
        throw StrongroomError(
            .fileChanged,
            """
            Other programs replace "\(try context().path)" repeatedly, so that no file could be opened. Close the \
            store, find out which program does that, then open the store again.
            """,
            database: database)
    }

    /// Throws if the file that the store opened is not at its path any more: a new connection would read another one
    /// than the others. A file that was opened read-only has a check of its own.
    private func requireSameFile() throws {
        guard let file = state.withLock({ $0.context?.file }) else { return }
        let found = try FileStatus.at(file.path)?.identity
        let known = OpenFiles.shared.identity(of: file.path)
        guard found == nil || !file.isReadOnly && known != nil && found != known else { return }
        throw StrongroomError.replaced(file.path, isMissing: found == nil, database: database)
    }

    private static let attempts = 5

    private func connectWithNewestKey(as role: Connection.Role?) throws -> Connection {
        let generation = state.withLock { $0.generation }
        do {
            return try connectOnce(as: role)
        } catch let error as StrongroomError where error.code == .notADatabase {
            defer { deliverKeyEvents() }
            guard try renew(after: generation) else { throw error }
            return try connectOnce(as: role)
        }
    }

    private func connectOnce(as role: Connection.Role?) throws -> Connection {
        let file = try context().file
        let (key, generation) = state.withLock { ($0.derivedKey, $0.generation) }
        // A later connection must not accept what earlier ones have rejected.
        if isUnlocked { try file.checkBaseline(isLocked: false) }
        let connection =
            try file.isReadOnly
            ? file.connectToRead(key: key) { try $0.proveKey() } : file.connect(.existing, key: key)
        connection.file.keyGeneration = generation
        do {
            if !file.isReadOnly { try connection.proveKey() }
            if let role { try connection.configure(as: file.isReadOnly ? .reader : role, of: file) }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// A connection that prevents those of a read-only store from checkpointing another program's WAL when they are
    /// closed; nil if none is needed.
    func keeperOfLog() -> Connection? {
        let (file, key) = state.withLock { ($0.context?.file, $0.derivedKey) }
        return file?.keeperOfLog(key: key)
    }

    /// Verifies the pages of the file; nil for plaintext, and after closing.
    var pageKey: DerivedKey? { state.withLock { $0.derivedKey } }

    /// Releases the key and the configuration: a closed store may be retained for long.
    func forget() {
        let forgotten = state.withLock { state in
            defer { (state.context, state.derivedKey, state.wrapped) = (nil, nil, nil) }
            return state
        }
        // Released outside the lock: the configuration is user code.
        _ = forgotten
    }

    /// The current key of the file; nil for plaintext.
    ///
    /// - Throws: As ``context()``.
    func derivedKey() throws -> DerivedKey? { try openState().state.derivedKey }

    /// The envelope's data keys and the file's salt; nil for a file that no data key opens.
    ///
    /// - Throws: As ``context()``.
    func wrapped() throws -> (dataKeys: DataKeys, salt: [UInt8])? { try openState().state.wrapped }

    /// Whether the file itself needs no rotation.
    ///
    /// - Throws: As ``context()``.
    func isSettled() throws -> Bool { try openState().state.isSettled }

    /// The number of keys that the file has had since it was opened.
    var generation: Int { state.withLock { $0.generation } }

    func adopt(_ keys: DatabaseKeys, _ unlocked: UnlockedFile) {
        state.withLock { state in
            guard state.context != nil else { return }
            state.adopt(keys, unlocked)
            state.generation += 1
        }
    }

    // MARK: Rotated by another process

    /// Finds the new key if the file can no longer be read with the newest known one: another process may have rotated
    /// it.
    ///
    /// - Parameter connection: A connection that can no longer read the file.
    /// - Returns: Whether there is a newer key now.
    func renew(after connection: Connection) throws -> Bool {
        defer { deliverKeyEvents() }
        return try renew(after: connection.file.keyGeneration)
    }

    /// Delivers what has happened to the keys on a thread of its own: observers may wait for the connection whose
    /// operation needs the key.
    private func deliverKeyEvents() {
        guard let events = try? context().keyEvents else { return }
        Task.detached { try? await BlockingWork.run { events.deliver() } }
    }

    /// As ``renew(after:)`` for a connection; the caller delivers what has happened to the keys.
    ///
    /// - Parameter old: The generation of the key that no longer reads the file.
    func renew(after old: Int) throws -> Bool {
        guard !isInMemory else { return false }
        renewal.wait()
        defer { renewal.signal() }
        let context = try context()
        let file = context.file
        let generation = state.withLock { $0.generation }
        guard generation == old else { return true }
        let chain = try BlockingWork.wait { try await context.keyChain() }
        guard !chain.isPlaintext, let size = try FileStatus.at(file.path)?.size else { return false }
        let (keys, unlocked) = try context.unlock(.encrypted(salt: file.salt(), size: size), chain)
        unlocked.connection.close()
        guard unlocked.derivedKey != nil else { return false }
        adopt(keys, unlocked)
        context.logger?.info(
            "found on another key", metadata: ["key": "\((unlocked.position ?? 0) + 1) of \(chain.count)"])
        return true
    }
}

/// The envelope of an open store, which is read each time: another process may have changed it.
extension StoreFile {
    /// Opens the envelope with the known data keys or, if another process has replaced them, with the chain. The caller
    /// delivers what has happened to the keys.
    func openEnvelope() throws -> OpenEnvelope {
        let envelopeFile = try envelopeFile()
        guard let known = try wrapped() else {
            guard try envelopeFile.exists() else { throw try noEnvelope() }
            // Another process may have rewritten the file with another data key meanwhile.
            guard try renew(after: generation), let known = try wrapped() else { throw try notWrappedYet() }
            return try envelopeFile.open(with: known.dataKeys, salt: known.salt)
        }
        do {
            return try envelopeFile.open(with: known.dataKeys, salt: known.salt)
        } catch let error as StrongroomError where error.code == .wrongKey {
            let context = try context()
            let chain = try BlockingWork.wait { try await context.keyChain() }
            return try envelopeFile.open(with: chain, salt: context.file.salt(), context.keyEvents)
        }
    }

    private func envelopeFile() throws -> EnvelopeFile {
        let file = try context().file
        return EnvelopeFile(databasePath: file.path, name: file.name)
    }

    /// Changes the envelope and writes it; the caller holds the lock between processes.
    ///
    /// - Returns: What the change returns; nothing is written if it throws.
    func changeEnvelope<T>(_ change: (inout OpenEnvelope) throws -> T) throws -> T {
        let envelope = try openEnvelope()
        var changed = envelope
        let result = try change(&changed)
        try envelopeFile().replace(envelope, with: changed, context().keyEvents)
        return result
    }

    /// The envelope for a copy with the key of the file's pages.
    func envelopeOfCopy(with key: DerivedKey) throws -> OpenEnvelope {
        let envelope = try openEnvelope()
        guard try envelope.contains(key) else {
            throw StrongroomError(
                .busy,
                """
                Another process has replaced the data key of "\(try context().path)" meanwhile. Try again; nothing was \
                changed.
                """,
                database: try context().file.name)
        }
        return envelope
    }

    /// The error for a file that is not encrypted with a data key although it has an envelope: the slots do not apply
    /// to it yet.
    private func notWrappedYet() throws -> StrongroomError {
        StrongroomError(
            .keySlot,
            """
            "\(try context().path)" has an envelope, but is not encrypted with the data key in it yet: rewriting it \
            has failed or was interrupted, as the report of its opening says. Call `rotate()`, then try again; nothing \
            was changed.
            """,
            database: try context().file.name
        )
    }

    func noEnvelope() throws -> StrongroomError {
        StrongroomError(
            .notDeclared,
            """
            "\(try context().path)" has no envelope: its keys encrypt the file themselves. Let the configuration give \
            `KeyProtection.envelope`, then rotate.
            """,
            database: try context().file.name
        )
    }
}
