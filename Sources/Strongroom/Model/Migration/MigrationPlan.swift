/// What a migration would do to a file, found without a write.
public struct MigrationPlan: Sendable, Equatable {
    /// The version that the file has; nil for one without a history.
    public let from: String?
    /// The version that it would have.
    public let to: String
    /// The versions that would be applied, in order.
    public let applies: [String]
    /// The versions that would be undone, newest first.
    public let undoes: [String]
    /// The versions that the file went through and whose statements are others in today's program; see
    /// ``ChangedMigrations``.
    public let changed: [String]
    /// What ``Migrator/automatic(tables:removingColumns:)`` would do, in words.
    public internal(set) var schemaChanges: [String] = []

    /// Whether nothing is to be done.
    public var isEmpty: Bool { applies.isEmpty && undoes.isEmpty && schemaChanges.isEmpty && from != nil }
}

extension Migrator {
    /// A plan in words that users have.
    func told(_ plan: Plan) -> MigrationPlan {
        if case .adapt(let changes) = plan.work {
            return MigrationPlan(
                from: plan.from, to: Self.automaticVersion, applies: [], undoes: [], changed: [],
                schemaChanges: changes.map(\.words))
        }
        let (applies, undoes, to): ([String], [String], String?) =
            switch plan.work {
            case .create, .adapt: ([], [], newestVersion)
            case .apply(let places):
                (migrations[places].map(\.version), [], migrations[places].last?.version ?? plan.from)
            case .undo(let places):
                ([], migrations[places].reversed().map(\.version), migrations[places.lowerBound - 1].version)
            }
        return MigrationPlan(from: plan.from, to: to ?? "", applies: applies, undoes: undoes, changed: plan.changed)
    }
}
