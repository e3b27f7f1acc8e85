extension Stores {
    /// Runs work on a database's file that is not open in this process, with the lock between processes held.
    ///
    /// - Parameter isWriting: Whether the work changes the file; it is refused then for a file that is opened
    ///   read-only.
    /// - Throws: ``StrongroomError`` with `readOnly`, `sameFile` if the file is open in this process, `locked`; the
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
            let context = try StoreContext(name, configuration, in: .disk).located()
            try OpenFiles.shared.claim(context.path, name)
            defer { OpenFiles.shared.release(context.path) }
            guard !isWriting || !context.isReadOnly else { throw StrongroomError.readOnlyStore(name.fileName) }
            let lock = try await context.file.lockToOpen(within: context.settings.openTimeout)
            let result = try await work(context.withBaseline(), context.keyChain())
            lock?.release()
            return result
        } catch {
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }
}
