extension Stores {
    /// Works on a database's file that is not open in this process, with the lock between processes held.
    ///
    /// - Throws: ``StrongroomError`` with `sameFile` when it is open in this process, `locked`; what is wrong with its name, its configuration and
    ///   its keys; what the work throws.
    func withClosedFile<T>(
        _ fileName: String, _ work: (StoreOpening, KeyChain) async throws -> T
    ) async throws -> T {
        let name = try DatabaseName(fileName)
        let configuration = try configuration(of: name)
        do {
            let opening = try StoreOpening(name, configuration)
            try OpenFiles.shared.claim(opening.path, name)
            defer { OpenFiles.shared.release(opening.path) }
            let lock = try await opening.takeLock()
            let result = try await work(opening, configuration.keyChain(for: name))
            lock.release()
            return result
        } catch {
            throw (error as? StrongroomError)?.naming(name.fileName) ?? error
        }
    }
}
