/// The outcome of a migration.
public struct MigrationReport: Sendable, Equatable {
    /// A step that ran.
    public struct Step: Sendable, Equatable {
        /// The migration's version.
        public let version: String
        /// Its duration, including the commit.
        public let duration: Duration
        /// The number of inserted, updated and deleted rows, including those of the version history and of rebuilt
        /// tables.
        public let rows: Int
        var danglingRowCount = 0
        var danglingRows: [DanglingRow] = []
        /// The engine's data version at the end of the step, if every foreign key references a row.
        var intactAtDataVersion: SQLValue?
    }

    /// A row whose foreign key references no row.
    public struct DanglingRow: Sendable, Hashable {
        /// The table whose row has the foreign key.
        public let table: String
        /// The row's id; nil in a table without row ids.
        public let rowID: Int64?
        /// The table that the foreign key references.
        public let parentTable: String
    }

    /// The version of the file before; nil for a new file or one without a history.
    public let from: String?
    /// The version of the file now.
    public let to: String
    /// The versions that were applied, in order; empty if the file was up to date or is new.
    public let applied: [String]
    /// The versions that were reverted, newest first.
    public internal(set) var undone: [String] = []
    /// The versions of the file whose statements have changed in the program; see ``ChangedMigrations``.
    public internal(set) var changed: [String] = []
    /// Descriptions of the changes that ``Migrator/automatic(tables:removingColumns:)`` made, such as
    /// `table "contact": column "phone" added`.
    public internal(set) var schemaChanges: [String] = []
    /// The path of the backup from before the migration; nil if there is none.
    public internal(set) var backupPath: String?
    /// The steps that ran, in order.
    public internal(set) var steps: [Step] = []

    /// The number of foreign keys that reference no row and did so before the last step: written by a program that does
    /// not enforce them, or left by a salvage. They do not prevent a migration; only new violations make a step fail. 0
    /// if no step ran.
    ///
    /// `PRAGMA foreign_key_check` and ``Store/verify(checkingStructure:progress:)`` list them.
    public var danglingRowCount: Int { steps.last?.danglingRowCount ?? 0 }
    /// The first hundred rows of ``danglingRowCount``.
    public var danglingRows: [DanglingRow] { steps.last?.danglingRows ?? [] }
}

extension MigrationReport: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        let from = from.map { "from version \($0) " } ?? ""
        guard undone.isEmpty else { return "gone back \(from)to version \(to)" }
        return applied.isEmpty ? "at version \(to)" : "migrated \(from)to version \(to)"
    }
}

/// The outcome of a migration of a copy of a file.
public struct MigrationDryRun: Sendable, Equatable {
    /// The report of the run on the copy; ``MigrationReport/steps`` contains the duration and the number of changed
    /// rows of each step.
    public let report: MigrationReport
    /// Descriptions of the schema changes, such as `table "contact": column "phone" added`.
    public let schemaChanges: [String]
    /// The duration of making the copy.
    public let copying: Duration
}

extension Migrator {
    func dryRun(
        to version: String?, on connection: Connection, copying: Duration, _ run: MigrationRun
    ) throws -> MigrationDryRun {
        let plan = try plan(for: connection, to: version)
        let before = try connection.inSnapshot { try SchemaImage(connection) }
        let report = try carryOut(plan, on: connection, run)
        let after = try connection.inSnapshot { try SchemaImage(connection) }
        return MigrationDryRun(report: report, schemaChanges: before.changes(to: after), copying: copying)
    }
}

/// A schema at one time, to determine the changes of a migration.
struct SchemaImage {
    /// Tables, indexes, triggers and views by kind and name, without the internal ones of the library and the engine.
    private let entries: [SQLName: SchemaEntry]
    private let columns: [SQLName: [ColumnInfo]]

    init(_ connection: Connection) throws {
        var entries: [SQLName: SchemaEntry] = [:]
        var columns: [SQLName: [ColumnInfo]] = [:]
        for entry in try connection.schemaEntries() {
            let name = entry.name.asciiFolded
            guard !name.hasPrefix("sqlite_"), !name.hasPrefix("strongroom_") else { continue }
            let title = SQLName(entry.title)
            entries[title] = entry
            if entry.kind == .table { columns[title] = try connection.columnInfos(of: entry.name) }
        }
        self.entries = entries
        self.columns = columns
    }

    /// Descriptions of the differences to a later schema, in alphabetical order.
    func changes(to later: SchemaImage) -> [String] {
        let all = entries.merging(later.entries) { old, _ in old }.sorted { $0.value.title < $1.value.title }
        return all.map(\.key).flatMap { key -> [String] in
            switch (entries[key], later.entries[key]) {
            case (let old?, nil): return ["\(old.title) removed"]
            case (nil, let new?): return ["\(new.title) added"]
            case (let old?, let new?):
                let columns = Self.changes(self.columns[key] ?? [], later.columns[key] ?? [], new.title)
                let isSame = [SQLToken].normalised(old.sql) == [SQLToken].normalised(new.sql)
                return columns.isEmpty && !isSame ? ["\(new.title) changed"] : columns
            case (nil, nil): return []
            }
        }
    }

    private static func changes(_ old: [ColumnInfo], _ new: [ColumnInfo], _ table: String) -> [String] {
        let names =
            old.map(\.name) + new.map(\.name).filter { name in !old.contains { Identifier.areSame($0.name, name) } }
        return names.compactMap { name in
            switch (old.first { Identifier.areSame($0.name, name) }, new.first { Identifier.areSame($0.name, name) }) {
            case (_?, nil): "\(table): column \"\(name)\" removed"
            case (nil, _?): "\(table): column \"\(name)\" added"
            case (let old?, let new?): old == new ? nil : "\(table): column \"\(name)\" changed"
            case (nil, nil): nil
            }
        }
    }
}
