import Dispatch
import Logging

/// An open store's file, and the key that it is on now.
final class StoreFile: Sendable {
    private struct State {
        /// How it was opened, and the configuration; nil after closing.
        var opening: StoreOpening?
        /// Nil for plaintext, and after closing.
        var key: DerivedKey?
        /// Counts the keys that the file has had since it was opened.
        var generation = 0
    }

    private let database: String
    private let state: Locked<State>
    /// One at a time finds the key anew.
    private let renewal = DispatchSemaphore(value: 1)

    init(_ opening: StoreOpening, key: DerivedKey?) {
        database = opening.name.fileName
        state = Locked(State(opening: opening, key: key))
    }

    /// How the file was opened.
    ///
    /// - Throws: ``StrongroomError`` with `closed`.
    func opening() throws -> StoreOpening {
        guard let opening = state.withLock({ $0.opening }) else {
            throw StrongroomError(.closed, "The store is closed; open it again.", database: database)
        }
        return opening
    }

    /// Opens a connection.
    func connect(as role: Connection.Role) throws -> Connection {
        let generation = state.withLock { $0.generation }
        do {
            return try connectOnce(as: role)
        } catch let error as StrongroomError where error.code == .notADatabase {
            guard try renew(after: generation) else { throw error }
            return try connectOnce(as: role)
        }
    }

    private func connectOnce(as role: Connection.Role) throws -> Connection {
        let file = try opening().file
        let (key, generation) = state.withLock { ($0.key, $0.generation) }
        let connection = try file.connect(.existing, key: key)
        connection.keyGeneration = generation
        do {
            try connection.proveKey()
            try connection.configure(as: role, of: file)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// Lets go of the key and the configuration: a closed store may be held for long.
    func forget() {
        let opening = state.withLock { state in
            state.key = nil
            return state.opening.take()
        }
        // Let go of outside the lock: it is the user's.
        _ = opening
    }

    private func replaceKey(_ key: DerivedKey) {
        state.withLock { state in
            guard state.opening != nil else { return }
            state.key = key
            state.generation += 1
        }
    }

    // MARK: Rotated by another process

    /// Finds the key anew when the file cannot be read with the one that was the newest: another process may have rotated it.
    ///
    /// - Parameter former: The generation of the key that no longer reads it.
    /// - Returns: Whether there is another key now.
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
        // A connection without a key: nothing is read through the engine.
        let salt = try file.connect(.readOnly, key: nil).rawBytes(CipherSettings.saltLength, at: 0)
        let choice = try KeyChoice.find(in: chain, opening.ciphers, for: file, salt: salt, size: size)
        choice.connection.close()
        guard let key = choice.derived else { return false }
        replaceKey(key)
        opening.logger?.info("found on another key", metadata: ["key": "\((choice.place ?? 0) + 1) of \(chain.count)"])
        return true
    }

    // MARK: Rotating

    /// Brings the file to the current key and settings; nobody in this process has a connection to it meanwhile, and the lock between
    /// processes is held.
    func rotate(_ chain: KeyChain, _ watcher: RotationWatcher) throws -> RotationReport {
        let opening = try opening()
        let file = opening.file
        let content = try FileContent.of(file.path)
        let settings = opening.ciphers[opening.ciphers.count - 1]
        let choice: KeyChoice
        switch content {
        case .absent:
            throw StrongroomError(
                .fileMissing, "The file «\(file.path)» is gone. Bring it back, then try again.", database: file.name)
        case .plaintext(let size):
            guard chain.opensPlaintext else { throw opening.plaintextFound }
            choice = try KeyChoice.plaintext(file, in: chain, size: size)
        case .encrypted(let salt, let size):
            choice = try KeyChoice.find(in: chain, opening.ciphers, for: file, salt: salt, size: size)
        }
        let done = try Rotation.run(
            file, choice, to: chain, settings, salt: content.salt, patience: opening.settings.openTimeout,
            watcher: watcher)
        guard let (report, key) = done else {
            choice.connection.close()
            // Another process may have rotated it.
            if let key = choice.derived { replaceKey(key) }
            return RotationReport(unchanged: chain.count - 1, settings, bytes: try FileStatus.at(file.path)?.size ?? 0)
        }
        replaceKey(key)
        try OpenFiles.shared.identify(file.path)
        opening.logger?.info("rotated", metadata: ["method": "\(report.method)"])
        return report
    }
}

extension RotationReport {
    /// The report of a rotation that found nothing to do.
    fileprivate init(unchanged place: Int, _ settings: CipherSettings, bytes: Int64) {
        self.init(
            method: .none,
            from: place,
            to: place,
            formerSettings: settings,
            settings: settings,
            bytes: bytes,
            isOldContentGone: true,
            writingDuration: .zero,
            verificationDuration: .zero
        )
    }
}
