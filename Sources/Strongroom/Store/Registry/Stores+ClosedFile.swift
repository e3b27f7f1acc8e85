extension Stores {
    /// Runs work on a database's file that is not open in this process, with the lock between processes held.
    ///
    /// - Parameter isWriting: Whether the work changes the file; it is refused then for a file that is opened
    ///   read-only. Otherwise nothing is created beside the file, and its lock is acquired only if the lock file exists
    ///   and may be written.
    /// - Throws: ``StrongroomError`` with `readOnly`, `alreadyOpen` if the file is open in this process, `locked`; the
    ///   errors of its name, its configuration and its keys; what the work throws.
    func withClosedFile<T>(
        _ fileName: String, isWriting: Bool = true, _ work: (StoreContext, KeyChain) async throws -> T
    ) async throws -> T {
        let name = try DatabaseName(fileName)
        return try await withClosedFile(name, isWriting: isWriting, work)
    }

    /// Runs work that replaces a database's file, as ``withClosedFile(_:isWriting:_:)``; a lent store that is idle is
    /// closed first.
    func replacingFile<T>(
        _ fileName: String, _ work: (StoreContext, KeyChain) async throws -> T
    ) async throws -> T {
        let name = try DatabaseName(fileName)
        return try await whileNotLent(name, label: "restoring") {
            try await withClosedFile(name, isWriting: true, work)
        }
    }

    private func withClosedFile<T>(
        _ name: DatabaseName, isWriting: Bool, _ work: (StoreContext, KeyChain) async throws -> T
    ) async throws -> T {
        let configuration = try configuration(of: name)
        do {
            let configured = try StoreContext(name, configuration, in: .disk)
            let context = try (isWriting ? configured : configured.reading()).located()
            try OpenFiles.shared.claim(context.path, name)
            defer { OpenFiles.shared.release(context.path) }
            guard !isWriting || !configured.isReadOnly else { throw StrongroomError.readOnlyStore(name.fileName) }
            return try await withLock(of: context) { try await work(context.withBaseline(), context.keyChain()) }
        } catch {
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }

    /// Runs work with the lock between processes held. A lock file that was created for work that has failed is removed
    /// again: such work changes nothing.
    private func withLock<T>(of context: StoreContext, _ work: () async throws -> T) async throws -> T {
        let file = context.file
        let isNew = try FileStatus.ofName(file.lockPath) == nil
        let lock = try await file.lockToOpen(within: context.settings.openTimeout)
        do {
            let result = try await work()
            lock?.release()
            return result
        } catch {
            // With content it has been used: a database remembers there that it is encrypted.
            if isNew, let size = try? FileStatus.ofName(file.lockPath)?.size, size == 0 {
                try? FileSystem.remove(file.lockPath)
            }
            lock?.release()
            throw error
        }
    }
}
