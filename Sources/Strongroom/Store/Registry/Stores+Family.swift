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
        let path = try configuration.filePath(for: name) ?? name.defaultPath()
        let directory = FileSystem.directory(of: path)
        guard try FileStatus.at(directory) != nil else { return [] }
        return try FileSystem.names(in: directory).sorted().compactMap { file in
            // Excludes the files that the engine and the library keep beside a database, and files that the
            // configuration would place elsewhere.
            guard let found = try? DatabaseName(file), found.target == name.target else { return nil }
            let path = try configuration.filePath(for: found) ?? found.defaultPath()
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
                if isFirst, let early = store.openReport.rotation { early } else { try await store.rotate() }
            }
        }
    }
}

extension Stores {
    /// Runs work on many stores, several at a time. Each is opened within the ``lendingLimits``, and closed again
    /// unless it was open before or another caller uses it.
    ///
    /// A failure does not stop the others.
    ///
    /// ```swift
    /// let outcomes = try await stores.withEachStore(of: stores.databases(of: "clinic")) { store in
    ///     try await store.verify().isIntact
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - databases: The databases' names.
    ///   - limit: The maximum number of stores that are worked on at the same time, at least 1.
    ///   - progress: Called after each database, one call at a time.
    ///   - body: The work on one store; opening it migrates it. It is called again, at most twice, if another caller
    ///     closes the store meanwhile.
    /// - Returns: The outcomes, in the order of the names.
    /// - Throws: `CancellationError` if the task is cancelled; work that is done is kept.
    @discardableResult
    public func withEachStore<T: Sendable>(
        of databases: [DatabaseName], atMost limit: Int = 4, progress: (FamilyOutcome<T>) -> Void = { _ in },
        _ body: @escaping @Sendable (Store) async throws -> T
    ) async throws -> [FamilyOutcome<T>] {
        try await forEach(of: databases, atMost: limit, progress: progress) { [self] name in
            try await withLentStore(name) { store, _ in try await body(store) }
        }
    }

    /// How often a database is opened again that another caller closes meanwhile.
    private static let attempts = 3

    /// Uses a store, which is closed afterwards unless it was open before or another caller uses it.
    ///
    /// - Parameter body: Receives the store and whether this use opened it. It is called again if another caller closes
    ///   the store meanwhile.
    func withLentStore<T: Sendable>(
        _ name: DatabaseName, _ body: (_ store: Store, _ isFirst: Bool) async throws -> T
    ) async throws -> T {
        var attempt = 1
        while true {
            let lease = try await lease(name, label: "work on many databases")
            do {
                let value = try await StoreUse.run(.closure, name, of: self) {
                    try await body(lease.store, lease.isFirst)
                }
                try await lease.endAndClose()
                return value
            } catch {
                let isClosed = (error as? StrongroomError)?.code == .closed && lease.store.pool.isClosing
                // The first failure is the one to report.
                try? await lease.endAndClose()
                guard isClosed, attempt < Self.attempts else { throw error }
            }
            attempt += 1
        }
    }

    func forEach<T: Sendable>(
        of databases: [DatabaseName], atMost limit: Int, progress: (FamilyOutcome<T>) -> Void,
        _ work: @escaping @Sendable (DatabaseName) async throws -> T
    ) async throws -> [FamilyOutcome<T>] {
        var outcomes: [Int: FamilyOutcome<T>] = [:]
        try await withThrowingTaskGroup(of: (Int, FamilyOutcome<T>).self) { group in
            var rest = databases.enumerated().makeIterator()
            func begin() {
                guard let (index, name) = rest.next() else { return }
                group.addTask {
                    let result: Result<T, any Error>
                    do { result = .success(try await work(name)) } catch { result = .failure(error) }
                    return (index, FamilyOutcome(name: name, result: result))
                }
            }
            for _ in 0..<max(1, limit) { begin() }
            while let (index, outcome) = try await group.next() {
                // What was interrupted has left its file unchanged.
                try Task.checkCancellation()
                outcomes[index] = outcome
                progress(outcome)
                begin()
            }
        }
        return databases.indices.compactMap { outcomes[$0] }
    }
}

/// The outcome for one database when the same is done to many.
public struct FamilyOutcome<T: Sendable>: Sendable {
    /// The database.
    public let name: DatabaseName
    /// What was done, or the error.
    public let result: Result<T, any Error>
}

/// The outcome for one database when a family is rotated.
public typealias FamilyRotation = FamilyOutcome<RotationReport>
