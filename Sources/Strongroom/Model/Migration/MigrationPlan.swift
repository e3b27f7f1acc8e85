/// The changes that a migration would make to a file, determined without a write.
public struct MigrationPlan: Sendable, Equatable {
    /// The version of the file; nil for a file without a history.
    public let from: String?
    /// The version after the migration.
    public let to: String
    /// The versions that would be applied, in order.
    public let applies: [String]
    /// The versions that would be reverted, newest first.
    public let undoes: [String]
    /// The versions of the file whose statements have changed in the program; see ``ChangedMigrations``.
    public let changed: [String]
    /// Descriptions of the changes that ``Migrator/automatic(tables:removingColumns:)`` would make.
    public var schemaChanges: [String] { changes.map(\.description) }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { !hasWork && from != nil }

    var changes: [AutomaticSchema.Change] = []
    /// Whether the file has no table: today's schema is created, and no step runs.
    var isOfNewFile = false

    /// Whether an existing file is changed.
    var hasWork: Bool { !(applies.isEmpty && undoes.isEmpty && changes.isEmpty) }
}

extension Migrator {
    /// - Parameter version: The target version; nil for the newest.
    func plan(for connection: Connection, to version: String? = nil) throws -> MigrationPlan {
        if let automatic { return try plan(for: connection, automatic, to: version) }
        try check()
        let target = try index(of: version, connection)
        // In a transaction, whose end reports damage that would be read as other versions.
        let (entries, isEmpty) = try connection.inSnapshot {
            let entries = try VersionHistory(connection: connection).entries()
            return (entries, try !connection.hasObjects)
        }
        let versions = migrations.map(\.version)
        guard let last = entries.last?.version else {
            let isNew = isEmpty && tables != nil && target == versions.count - 1
            return MigrationPlan(
                from: nil, to: versions[target], applies: isNew ? [] : Array(versions[...target]), undoes: [],
                changed: [], isOfNewFile: isNew)
        }
        let index = try index(after: entries.map(\.version), in: connection)
        let changed = try changedVersions(entries, in: connection)
        guard target < index else {
            return MigrationPlan(
                from: last, to: versions[target], applies: Array(versions[index + 1..<target + 1]), undoes: [],
                changed: changed)
        }
        let missing = migrations[target + 1...index].filter { $0.down == nil }.map(\.version)
        guard missing.isEmpty else { throw noWayBack(missing.reversed(), connection) }
        return MigrationPlan(
            from: last, to: versions[target], applies: [], undoes: versions[target + 1...index].reversed(),
            changed: changed)
    }

    /// Throws if the migrator cannot continue from the version of a file; to be called in a transaction.
    func checkVersion(of connection: Connection) throws {
        let versions = try VersionHistory(connection: connection).entries().map(\.version)
        guard let last = versions.last else { return }
        if let automatic { throw automatic.versioned(last, connection) }
        _ = try index(after: versions, in: connection)
    }

    private func index(of version: String?, _ connection: Connection) throws -> Int {
        guard let version else { return migrations.count - 1 }
        guard let index = index(of: version) else {
            throw connection.failure(
                .invalidArgument,
                """
                There is no version "\(version)" in the migrator, which has \(migrations.map(\.version).listed). Use \
                one of these; the file was not changed.
                """)
        }
        return index
    }

    private func index(after recorded: [String], in connection: Connection) throws -> Int {
        let known = migrations.map(\.version)
        guard let last = recorded.last, let index = self.index(of: last) else {
            throw unknown(recorded.last ?? "", connection)
        }
        let expected = known[...index].suffix(recorded.count)
        guard expected.map({ Array($0.utf8) }) != recorded.map({ Array($0.utf8) }) else { return index }
        throw connection.failure(
            .otherMigrations,
            """
            The file was migrated through the versions \(recorded.listed), which differ from those of the migrator \
            (\(known.listed)): \(difference(recorded, known)). Put new migrations at the end of the list only, and \
            keep the old ones in it; the file was not changed.
            """)
    }

    private func difference(_ recorded: [String], _ known: [String]) -> String {
        let missing = recorded.filter { !known.contains($0) }
        guard missing.isEmpty else { return "\(missing.listed) is missing from the list" }
        // The indices of the file's versions in the list; the first is where its history begins.
        let indices = recorded.compactMap { known.firstIndex(of: $0) }
        guard indices == indices.sorted(), let first = indices.first, let last = indices.last else {
            return "their order differs"
        }
        let passedOver = known[first...last].filter { !recorded.contains($0) }
        return "the file was not migrated through \(passedOver.listed)"
    }

    private func noWayBack(_ versions: [String], _ connection: Connection) -> StrongroomError {
        connection.failure(
            .invalidMigrator,
            """
            There is no way back from \(versions.listed): add \
            \(versions.count == 1 ? "a `down` to this migration" : "a `down` to these migrations"), or continue with \
            the version that the file has. The file was not changed.
            """)
    }

    private func unknown(_ version: String, _ connection: Connection) -> StrongroomError {
        connection.failure(
            .newerSchema,
            """
            The file has schema version "\(version)", which is unknown to this program (its newest is \
            "\(newestVersion ?? "")"). Use a newer program; or, if this version was removed from the list of \
            migrations, put it back. The file was not changed.
            """)
    }
}
