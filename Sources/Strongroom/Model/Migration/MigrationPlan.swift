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
                schemaChanges: changes.map(\.words))
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
