/// What a migrator did to a file.
public struct MigrationReport: Sendable, Equatable {
    /// A step that was run.
    public struct Step: Sendable, Equatable {
        /// The migration's version.
        public let version: String
        /// How long it took, with its commit.
        public let duration: Duration
        /// How many rows it inserted, updated and deleted, with those of the history and of tables that were made anew.
        public let rows: Int
    }

    /// The version that the file had; nil for a fresh file or one without a history.
    public let from: String?
    /// The version that the file has now.
    public let to: String
    /// The versions that were applied, in order; empty when the file was at the newest already or is fresh.
    public let applied: [String]
    /// The versions that were undone, newest first.
    public internal(set) var undone: [String] = []
    /// The versions that the file went through once and whose statements are others in today's program; see ``ChangedMigrations``.
    public internal(set) var changed: [String] = []
    /// What ``Migrator/automatic(tables:removingColumns:)`` has done, in words such as `table «contact»: column «phone» added`.
    public internal(set) var schemaChanges: [String] = []
    /// Where the snapshot lies that was made before; nil when none was.
    public internal(set) var snapshot: String?
    /// What was run, in order.
    public internal(set) var steps: [Step] = []
}

extension MigrationReport: CustomStringConvertible {
    /// For people, in one line.
    public var description: String {
        let from = from.map { "from version \($0) " } ?? ""
        guard undone.isEmpty else { return "gone back \(from)to version \(to)" }
        return applied.isEmpty ? "at version \(to)" : "migrated \(from)to version \(to)"
    }
}
