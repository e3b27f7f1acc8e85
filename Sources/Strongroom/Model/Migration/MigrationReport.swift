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
        /// See ``MigrationReport/danglingRowCount``.
        var danglingRowCount = 0
        /// See ``MigrationReport/danglingRows``.
        var danglingRows: [DanglingRow] = []
        /// The engine's number for the file's content at the step's end, if every foreign key points to a row.
        var wholeAtDataVersion: Value?

        init(version: String, duration: Duration, rows: Int) {
            (self.version, self.duration, self.rows) = (version, duration, rows)
        }
    }

    /// A row whose foreign key points to no row.
    public struct DanglingRow: Sendable, Hashable {
        /// The table whose row has the foreign key.
        public let table: String
        /// The row's id; nil in a table without row ids.
        public let rowID: Int64?
        /// The table to which the foreign key points.
        public let parentTable: String
    }

    /// The version that the file had; nil for a fresh file or one without a history.
    public let from: String?
    /// The version that the file has now.
    public let to: String
    /// The versions that were applied, in order; empty when the file was at the newest already or is fresh.
    public let applied: [String]
    /// The versions that were undone, newest first.
    public internal(set) var undone: [String] = []
    /// The versions that the file went through once and whose statements are others in today's program; see
    /// ``ChangedMigrations``.
    public internal(set) var changed: [String] = []
    /// What ``Migrator/automatic(tables:removingColumns:)`` has done, in words such as
    /// `table "contact": column "phone" added`.
    public internal(set) var schemaChanges: [String] = []
    /// Where the snapshot lies that was made before; nil when none was.
    public internal(set) var snapshot: String?
    /// What was run, in order.
    public internal(set) var steps: [Step] = []

    /// How many foreign keys point to no row and did so before the last step: written by a program that does not
    /// enforce them, or left by a salvage. They do not keep a file from being migrated; only what a step itself breaks
    /// is refused. 0 when no step was run.
    ///
    /// `PRAGMA foreign_key_check` and ``Store/verify(progress:)`` list them.
    public var danglingRowCount: Int { steps.last?.danglingRowCount ?? 0 }
    /// The first hundred of ``danglingRowCount``.
    public var danglingRows: [DanglingRow] { steps.last?.danglingRows ?? [] }
}

extension MigrationReport: CustomStringConvertible {
    /// For people, in one line.
    public var description: String {
        let from = from.map { "from version \($0) " } ?? ""
        guard undone.isEmpty else { return "gone back \(from)to version \(to)" }
        return applied.isEmpty ? "at version \(to)" : "migrated \(from)to version \(to)"
    }
}
