extension Stores {
    /// Works on a database's file that is not open in this process, with the lock between processes held.
    ///
    /// - Parameter isWriting: Whether the work changes it; then it is refused for one that is opened read-only.
    /// - Throws: ``StrongroomError`` with `readOnly`, `sameFile` when it is open in this process, `locked`; what is
    ///   wrong with its name, its configuration and its keys; what the work throws.
    func withClosedFile<T>(
        _ fileName: String, isWriting: Bool = true, _ work: (StoreOpening, KeyChain) async throws -> T
    ) async throws -> T {
        let name = try DatabaseName(fileName)
        let configuration = try configuration(of: name)
        do {
            var opening = try StoreOpening(name, configuration)
            try OpenFiles.shared.claim(opening.path, name)
            defer { OpenFiles.shared.release(opening.path) }
            guard !isWriting || !opening.settings.isReadOnly else { throw StrongroomError.readOnlyStore(name.fileName) }
            let lock = try await opening.settings.isReadOnly ? opening.lockToRead() : opening.takeLock()
            if opening.settings.isReadOnly { try opening.noteFile() }
            let result = try await work(opening, configuration.keyChain(for: name))
            lock?.release()
            return result
        } catch {
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }
}
