/// The transaction of a migration.
public struct MigrationTransaction: Writing, ~Copyable {
    /// The underlying transaction.
    public let _handle: _TransactionHandle

    /// Whether the result of the step is discarded: it runs on an empty in-memory database to determine its statements
    /// (see ``ChangedMigrations``), or on a copy, for ``Store/dryRun(to:progress:)``.
    ///
    /// A step that has effects outside its database, such as importing and removing a file, must omit them in this
    /// case. A step that reads this property has no fingerprint, since it may run other statements otherwise.
    public var isDryRun: Bool {
        _handle.connection.recorder?.isIncomparable = true
        return isThrownAway
    }

    private let isThrownAway: Bool
    private let reportProgress: (Int, Int) -> Void

    init(_ connection: Connection, isDryRun: Bool = false, reportProgress: @escaping (Int, Int) -> Void = { _, _ in }) {
        _handle = _TransactionHandle(connection)
        isThrownAway = isDryRun
        self.reportProgress = reportProgress
    }

    /// Reports the progress of a long step, and ends the step if it has been cancelled.
    ///
    /// ```swift
    /// for (index, id) in ids.enumerated() {
    ///     try fillIn(id, db)
    ///     if index.isMultiple(of: 1_000) { try db.report(index, of: ids.count) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - done: The completed units.
    ///   - total: The total units; 0 if unknown.
    /// - Throws: `CancellationError` if the task that waits for the migration is cancelled; rethrow it to roll the step
    ///   back.
    public func report(_ done: Int, of total: Int) throws {
        try _handle.connection.checkTransaction()
        reportProgress(done, total)
    }
}

extension MigrationTransaction {
    /// Sets a column in every row, in batches of a thousand rows.
    ///
    /// A single `UPDATE` of a large table keeps the original content of all changed pages in memory. This method keeps
    /// those of a thousand rows, reports its progress, and can be cancelled between batches, all in the step's
    /// transaction.
    ///
    /// ```swift
    /// try db.fill("length", of: "note", with: "length(text)")
    /// ```
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - table: The table's name.
    ///   - value: An expression of the row's columns; it should not read other rows, some of which already have their
    ///     new value.
    /// - Throws: ``StrongroomError`` with `sql` if there is no such table or column, `constraint` if a value violates
    ///   one; `CancellationError` as ``report(_:of:)``.
    public func fill(_ column: String, of table: String, with value: SQL) throws {
        let connection = _handle.connection
        connection.recorder?.record("fill \(column) of \(table): \([SQLToken].normalised(value.text))")
        // The number of batches depends on the rows.
        try connection.withoutRecording { try fillInBatches(column, of: table, with: value) }
    }

    private func fillInBatches(_ column: String, of table: String, with value: SQL) throws {
        let setting: SQL = "UPDATE \(name: table) SET \(name: column) = (\(value))"
        guard let rowID = try rowIDName(of: table, except: column) else { return _ = try execute(setting) }
        let (id, rows): (SQL, SQL) = ("\(name: rowID)", "FROM \(name: table)")
        let ends = try ["min", "max"].map { name in
            try self.value("SELECT \(SQL(verbatim: name))(\(id)) \(rows)", as: Int64?.self) ?? nil
        }
        // Also without rows, so that an error in the statement is reported.
        guard let first = ends[0], let last = ends[1] else { return _ = try execute(setting) }
        var left: SQL = "\(id) <= \(last)"
        while let end = try self.value(
            "SELECT max(id) FROM (SELECT \(id) AS id \(rows) WHERE \(left) ORDER BY 1 LIMIT \(Self.slice))",
            as: Int64?.self) ?? nil
        {
            try execute("\(setting) WHERE \(left) AND \(id) <= \(end)")
            try report(Self.distance(first, end), of: Self.distance(first, last))
            left = "\(id) > \(end) AND \(id) <= \(last)"
        }
    }

    private static let slice = 1_000

    /// The name of the row id; nil for a table without one, or if the row id is the column that is set.
    private func rowIDName(of table: String, except column: String) throws -> String? {
        guard let rowID = try _handle.connection.rowIDName(of: table) else { return nil }
        let keys = try columns(of: table).keys.map(\.name)
        return Identifier.index(of: column, in: keys + ColumnInfo.rowIDNames) == nil ? rowID : nil
    }

    /// The distance of two row ids may exceed the range of Int.
    private static func distance(_ first: Int64, _ second: Int64) -> Int {
        Int(clamping: UInt64(bitPattern: second &- first) &+ 1)
    }
}

extension Writing where Self: ~Copyable {
    /// Rewrites the values of tables that other programs have spelled in another way than the library: UUIDs, dates as
    /// text or as numbers, and decimals. Such values are refused when they are read (`typeMismatch`); see <doc:Types>.
    ///
    /// ```swift
    /// Migration("8") { db in try db.convertSpellings(of: Device.self, Reading.self) }
    /// ```
    ///
    /// Name a table together with those that reference it: foreign keys are checked when all tables have been
    /// rewritten. Triggers do not run, a table's history is rewritten, too, and columns that the file does not have yet
    /// are skipped.
    ///
    /// - Parameter tables: The types of the tables.
    /// - Returns: The numbers of the rewritten values, by table and column, without zeros.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a value that is none of the column's type, which names the
    ///   row, never the value; `constraint` if another row of a unique column has the same value already, if a
    ///   reference would lose its row, or for a rewritten one that had none; `sql` if there is no such table. Nothing
    ///   was changed then.
    @discardableResult
    public func convertSpellings(of tables: any Table.Type...) throws -> [SpellingCount] {
        let schemas = tables.map { $0.schema }
        record("convert spellings of \(schemas.map(\.name).joined(separator: ", "))")
        let connection = _handle.connection
        func convert() throws -> [SpellingCount] {
            try schemas.flatMap { schema in
                _ = try connection.tableEntry(schema.name, in: try connection.schemaEntries())
                return try connection.convertSpellings(of: schema)
            }
        }
        // The number of statements depends on the rows.
        return try connection.withoutRecording {
            try connection.inSavepoint {
                // A migration compares the references itself.
                guard try connection.ownValue("PRAGMA foreign_keys") == .integer(1) else { return try convert() }
                let before = try DanglingRows(connection)
                let counts = try connection.withoutForeignKeys { try convert() }
                try DanglingComparison(since: before, connection).refuseNew()
                return counts
            }
        }
    }
}
