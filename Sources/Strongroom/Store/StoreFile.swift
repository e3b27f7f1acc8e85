import Dispatch
import Logging

/// An open store's file, and the key that it is on now.
final class StoreFile: Sendable {
    private struct State {
        /// How it was opened, and the configuration; nil after closing.
        var opening: StoreOpening?
        /// Nil after closing.
        var key: FileKey?
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
    init(_ opening: StoreOpening, key: FileKey, isUnlocked: Bool) {
        self.isUnlocked = isUnlocked
        database = opening.name.fileName
        isInMemory = false
        state = Locked(State(opening: opening, key: key))
    }

    /// What a store in memory has in a file's place.
    init(inMemory name: DatabaseName) {
        isUnlocked = false
        database = name.fileName
        isInMemory = true
        state = Locked(State())
    }

    /// How the file was opened.
    ///
    /// - Throws: ``StrongroomError`` with `closed`, or `inMemory` when there is no file.
    func opening() throws -> StoreOpening {
        guard let opening = state.withLock({ $0.opening }) else { throw isInMemory ? inMemory : closed }
        return opening
    }

    /// How the file was opened, for what changes it, or what lies beside it.
    ///
    /// - Throws: As ``opening()``; ``StrongroomError`` with `readOnly`.
    func openingToWrite() throws -> StoreOpening {
        let opening = try opening()
        guard !opening.settings.isReadOnly else { throw StrongroomError.readOnlyStore(database) }
        return opening
    }

    /// The error for what is done with a file.
    private var inMemory: StrongroomError {
        StrongroomError(
            .inMemory,
            """
            The store lies in memory and has no file, so it has no key, log, copy or trial either. Open one on the \
            disk for that.
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
            Other programs put one file after the other in the place of "\(try opening().path)", so that none could be \
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
        let file = try opening().file
        let (key, generation) = state.withLock { ($0.key?.derived, $0.generation) }
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
        let (file, key) = state.withLock { ($0.opening?.file, $0.key?.derived) }
        return file?.keeperOfLog(key: key)
    }

    /// What the file's pages are checked with; nil for plaintext, and after closing.
    var pageKey: DerivedKey? { state.withLock { $0.key?.derived } }

    /// Lets go of the key and the configuration: a closed store may be held for long.
    func forget() {
        let opening = state.withLock { state in
            state.key = nil
            return state.opening.take()
        }
        // Let go of outside the lock: it is the user's.
        _ = opening
    }

    /// What is known of the file's key.
    ///
    /// - Throws: ``StrongroomError`` with `closed`.
    func key() throws -> FileKey {
        let key = state.withLock { $0.key }
        guard let key else { throw isInMemory ? inMemory : closed }
        return key
    }

    /// How many keys the file has had since it was opened.
    var generation: Int { state.withLock { $0.generation } }

    func replaceKey(_ key: FileKey) {
        state.withLock { state in
            guard state.opening != nil else { return }
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
        renewal.wait()
        defer { renewal.signal() }
        let opening = try opening()
        let file = opening.file
        let generation = state.withLock { $0.generation }
        guard generation == former else { return true }
        let chain = try BlockingWork.wait {
            try await opening.configuration.keyChain(for: opening.name)
        }
        guard !chain.isPlaintext, let size = try FileStatus.at(file.path)?.size else { return false }
        let (keys, choice) = try find(opening, chain, salt: file.salt(), size: size)
        choice.connection.close()
        guard choice.derived != nil else { return false }
        replaceKey(keys.key(choice))
        opening.logger?.info("found on another key", metadata: ["key": "\((choice.place ?? 0) + 1) of \(chain.count)"])
        return true
    }

    private func find(
        _ opening: StoreOpening, _ chain: KeyChain, salt: [UInt8], size: Int64
    ) throws -> (FileKeys, KeyChoice) {
        let keys = try opening.fileKeys(chain, salt: salt)
        do {
            return (keys, try keys.find(salt: salt, size: size))
        } catch let error as StrongroomError where error.code == .wrongKey {
            // Another process may have written the envelope, and the file, since the envelope was read.
            let newer = try opening.fileKeys(chain, salt: salt)
            guard newer.envelope?.envelope.envelope != keys.envelope?.envelope.envelope else { throw error }
            return (newer, try newer.find(salt: salt, size: size))
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
