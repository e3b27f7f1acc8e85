import Foundation

/// All databases of a family.
extension Stores {
    /// The databases of a family that have a file: those in the directory in which the family's configuration places a
    /// database named like the target.
    ///
    /// - Parameter target: The part of the databases' names before the first `_` or `.`.
    /// - Returns: The names in alphabetical order.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`,
    ///   `permissionDenied`; what the configuration throws.
    public func databases(of target: String) throws -> [DatabaseName] {
        let name = try DatabaseName(target)
        let configuration = try configuration(of: name)
        let path = try configuration.filePath(for: name) ?? DefaultPath.path(for: name)
        let directory = FileSystem.directory(of: path)
        guard try FileStatus.at(directory) != nil else { return [] }
        return try FileSystem.names(in: directory).sorted().compactMap { file in
            // Excludes the files that the engine and the library keep beside a database, and files that the
            // configuration would place elsewhere.
            guard let found = try? DatabaseName(file), found.target == name.target else { return nil }
            let path = try configuration.filePath(for: found) ?? DefaultPath.path(for: found)
            let isFile = try FileStatus.at(path)?.isRegularFile ?? false
            return isFile && FileSystem.directory(of: path) == directory ? found : nil
        }
    }

    /// Rotates databases to the current keys of their chains and the current cipher settings, several at a time. Each
    /// is opened, which also migrates it, rotated if necessary, and closed again unless another caller has opened it as
    /// well.
    ///
    /// A failure does not stop the others. After an interruption, call it again: a database that already has its
    /// current key is only opened.
    ///
    /// ```swift
    /// let outcomes = try await stores.rotate(stores.databases(of: "addressbook"), atMost: 8) { done in
    ///     print(done.name, done.result)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - databases: The databases' names.
    ///   - limit: The maximum number of concurrent rotations, at least 1.
    ///   - progress: Called after each database, one call at a time.
    /// - Returns: The outcomes, in the order of the names.
    /// - Throws: `CancellationError` if the task is cancelled; finished rotations are kept.
    @discardableResult
    public func rotate(
        _ databases: [DatabaseName],
        atMost limit: Int = 4,
        progress: (FamilyRotation) -> Void = { _ in }
    ) async throws -> [FamilyRotation] {
        try await forEach(of: databases, atMost: limit, progress: progress) { [self] name in
            try await withLentStore(name) { store, isFirst in
                if isFirst, let early = store.opening.rotation { early } else { try await store.rotate() }
            }
        }
    }
}
