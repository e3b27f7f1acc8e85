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
    public internal(set) var schemaChanges: [String] = []

    /// Whether there is nothing to do.
    public var isEmpty: Bool { applies.isEmpty && undoes.isEmpty && schemaChanges.isEmpty && from != nil }
}

extension Migrator {
    /// The public form of a plan.
    func publicPlan(_ plan: Plan) -> MigrationPlan {
        if case .adapt(let changes) = plan.work {
            return MigrationPlan(
                from: plan.from, to: Self.automaticVersion, applies: [], undoes: [], changed: [],
                schemaChanges: changes.map(\.description))
        }
        let (applies, undoes, to): ([String], [String], String?) =
            switch plan.work {
            case .create, .adapt: ([], [], newestVersion)
            case .apply(let indices):
                (migrations[indices].map(\.version), [], migrations[indices].last?.version ?? plan.from)
            case .undo(let indices):
                ([], migrations[indices].reversed().map(\.version), migrations[indices.lowerBound - 1].version)
            }
        return MigrationPlan(from: plan.from, to: to ?? "", applies: applies, undoes: undoes, changed: plan.changed)
    }
}

extension Migrator {
    /// The changes to a file, determined without a write.
    struct Plan {
        enum Work {
            /// The file has no table: today's schema is created.
            case create
            /// These steps are applied.
            case apply(Range<Int>)
            /// These steps are reverted, the last one first.
            case undo(Range<Int>)
            /// The tables are changed to their declarations.
            case adapt([AutomaticSchema.Change])
        }

        /// The version of the file; nil for a new file and for one without a history.
        let from: String?
        let work: Work
        /// The versions of the file whose statements have changed.
        var changed: [String] = []

        /// Whether all existing objects remain unchanged.
        var onlyCreatesTables: Bool {
            guard case .adapt(let changes) = work else { return false }
            return changes.allSatisfy(\.createsTable)
        }

        /// Whether a table or a column is missing that an automatic migrator's tables declare.
        var addsColumns: Bool {
            guard case .adapt(let changes) = work else { return false }
            return changes.contains { change in
                switch change.kind {
                case .createTable, .addColumn, .renameColumn: true
                default: false
                }
            }
        }

        /// Whether an existing file is changed.
        var hasWork: Bool {
            switch work {
            case .create: false
            case .apply(let indices), .undo(let indices): !indices.isEmpty
            case .adapt(let changes): !changes.isEmpty
            }
        }
    }

    /// Determines the changes to a file.
    ///
    /// - Parameter version: The target version; nil for the newest.
    func plan(for connection: Connection, to version: String? = nil) throws -> Plan {
        if let automatic { return try plan(for: connection, automatic, to: version) }
        try check()
        let target = try index(of: version, connection)
        // In a transaction, whose end reports damage that would be read as other versions.
        let (entries, isEmpty) = try connection.inSnapshot {
            let entries = try VersionHistory(connection: connection).entries()
            return (entries, try connection.ownValue(RecordedName.anyObject) == nil)
        }
        guard let last = entries.last?.version else {
            let isNewest = target == migrations.count - 1
            return Plan(from: nil, work: isEmpty && tables != nil && isNewest ? .create : .apply(0..<target + 1))
        }
        let index = try index(after: entries.map(\.version), in: connection)
        let changed = try changedVersions(entries, in: connection)
        guard target < index else {
            return Plan(from: last, work: .apply(index + 1..<target + 1), changed: changed)
        }
        let missing = migrations[target + 1...index].filter { $0.down == nil }.map { "\"\($0.version)\"" }
        guard missing.isEmpty else { throw noWayBack(missing.reversed(), connection) }
        return Plan(from: last, work: .undo(target + 1..<index + 1), changed: changed)
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
            throw StrongroomError(
                .invalidArgument,
                """
                There is no version "\(version)" in the migrator, which has \(list(migrations.map(\.version))). Use \
                one of these; the file was not changed.
                """,
                database: connection.database
            )
        }
        return index
    }

    /// The index in the list after the version of a file.
    private func index(after recorded: [String], in connection: Connection) throws -> Int {
        let known = migrations.map(\.version)
        guard let last = recorded.last, let index = self.index(of: last) else {
            throw unknown(recorded.last ?? "", in: connection.database)
        }
        let expected = known[...index].suffix(recorded.count)
        guard expected.map({ Array($0.utf8) }) != recorded.map({ Array($0.utf8) }) else { return index }
        throw StrongroomError(
            .otherMigrations,
            """
            The file was migrated through the versions \(list(recorded)), which differ from those of the migrator \
            (\(list(known))): \(difference(recorded, known)). Put new migrations at the end of the list only, and \
            keep the old ones in it; the file was not changed.
            """,
            database: connection.database
        )
    }

    private func difference(_ recorded: [String], _ known: [String]) -> String {
        let missing = recorded.filter { !known.contains($0) }
        guard missing.isEmpty else { return "\(list(missing)) is missing from the list" }
        // The indices of the file's versions in the list; the first is where its history begins.
        let indices = recorded.compactMap { known.firstIndex(of: $0) }
        guard indices == indices.sorted(), let first = indices.first, let last = indices.last else {
            return "their order differs"
        }
        let passedOver = known[first...last].filter { !recorded.contains($0) }
        return "the file was not migrated through \(list(passedOver))"
    }

    private func list(_ versions: [String]) -> String {
        versions.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private func noWayBack(_ versions: [String], _ connection: Connection) -> StrongroomError {
        StrongroomError(
            .invalidMigrator,
            """
            There is no way back from \(versions.joined(separator: ", ")): add \
            \(versions.count == 1 ? "a `down` to this migration" : "a `down` to these migrations"), or continue with \
            the version that the file has. The file was not changed.
            """,
            database: connection.database
        )
    }

    private func unknown(_ version: String, in database: String) -> StrongroomError {
        StrongroomError(
            .newerSchema,
            """
            The file has schema version "\(version)", which is unknown to this program (its newest is \
            "\(newestVersion ?? "")"). Use a newer program; or, if this version was removed from the list of \
            migrations, put it back. The file was not changed.
            """,
            database: database
        )
    }
}
