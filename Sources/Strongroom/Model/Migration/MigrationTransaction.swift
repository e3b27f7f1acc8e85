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
    /// Migration("3") { db in
    ///     for (index, id) in ids.enumerated() {
    ///         try fillIn(id, db)
    ///         if index.isMultiple(of: 1_000) { try db.report(index, of: ids.count) }
    ///     }
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
    /// A single `UPDATE` of a large table keeps the original content of all changed pages in memory, for a rollback of
    /// the statement. This method keeps those of a thousand rows only, reports its progress, and can be cancelled
    /// between batches. All batches are part of the step's transaction.
    ///
    /// ```swift
    /// Migration("4") { db in
    ///     try db.addColumn(Column<Int>("length", default: 0), to: "note")
    ///     try db.fill("length", of: "note", with: "length(text)")
    /// }
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
        guard let rowID = try rowIDName(of: table, except: column), let (first, last) = try ends(of: table, rowID)
        else {
            // Also without rows, so that an error in the statement is reported.
            try execute("UPDATE \(name: table) SET \(name: column) = (\(value))")
            return
        }
        var next: Int64? = first
        while let start = next {
            let end = try self.end(ofSliceFrom: start, last, of: table, rowID)
            try execute(
                """
                UPDATE \(name: table) SET \(name: column) = (\(value)) WHERE \(name: rowID) >= \(start) AND \
                \(name: rowID) <= \(end)
                """)
            try report(Self.distance(first, end), of: Self.distance(first, last))
            next = try self.value(
                """
                SELECT \(name: rowID) FROM \(name: table) WHERE \(name: rowID) > \(end) AND \(name: rowID) <= \(last) \
                ORDER BY \(name: rowID) LIMIT 1
                """)
        }
    }

    /// Rows per batch.
    private static let slice = 1_000

    /// The name of the row id; nil for a table without one, or if the row id is the column that is set.
    private func rowIDName(of table: String, except column: String) throws -> String? {
        guard let rowID = try _handle.connection.rowIDName(of: table) else { return nil }
        let keys = try columns(of: table).keys.map(\.name)
        return Identifier.index(of: column, in: keys + ColumnInfo.rowIDNames) == nil ? rowID : nil
    }

    private func ends(of table: String, _ rowID: String) throws -> (first: Int64, last: Int64)? {
        let order: SQL = "SELECT \(name: rowID) FROM \(name: table) ORDER BY \(name: rowID)"
        let first: Int64? = try value("\(order) LIMIT 1")
        let last: Int64? = try value("\(order) DESC LIMIT 1")
        guard let first, let last else { return nil }
        return (first, last)
    }

    private func end(ofSliceFrom start: Int64, _ last: Int64, of table: String, _ rowID: String) throws -> Int64 {
        try value(
            """
            SELECT max(id) FROM (SELECT \(name: rowID) AS id FROM \(name: table) WHERE \(name: rowID) >= \(start) AND \
            \(name: rowID) <= \(last) ORDER BY \(name: rowID) LIMIT \(Self.slice))
            """) ?? last
    }

    /// The distance of two row ids may exceed the range of Int.
    private static func distance(_ first: Int64, _ second: Int64) -> Int {
        Int(clamping: UInt64(bitPattern: second &- first) &+ 1)
    }
}

extension MigrationTransaction {
    /// Converts the decimals of a table to the sortable text form, if an earlier version of the library stored plain
    /// digits, and declares their columns as `DECIMAL_TEXT`.
    ///
    /// ```swift
    /// Migration("5") { db in try db.convertDecimals(of: Receipt.self) }
    /// ```
    ///
    /// The rows are converted in batches of a thousand with progress reports; triggers do not run. A numeric default is
    /// converted, too. Without the conversion, the first use of such a table by its type throws `tableDiffers`.
    /// ``Migrator/automatic(tables:removingColumns:)`` converts automatically, as does ``Writing/changeColumn(_:in:)``
    /// for the column that it changes. Columns that are already converted are not changed, and columns that the file's
    /// table does not have yet, since a later step adds them, are skipped. If a later step renames a column, pass the
    /// former names to ``convertDecimals(_:in:)``. Columns that the type declares with a scale become scaled integers,
    /// as by ``convertDecimals(_:in:scale:)``.
    ///
    /// - Parameter table: A table with properties of type `Decimal`.
    /// - Throws: ``StrongroomError`` as ``convertDecimals(_:in:)`` and ``convertDecimals(_:in:scale:)``;
    ///   `CancellationError` as ``report(_:of:)``.
    public func convertDecimals<Source: Table>(of table: Source.Type) throws {
        let schema = Source.schema
        let connection = _handle.connection
        let scaled = schema.decimals.filter { $0.scale != nil }.map { " \($0.name) \($0.declaredType)" }
        connection.recorder?.record("convert decimals of \(schema.name)\(scaled.joined())")
        let infos = try connection.columnInfos(of: schema.name)
        let columns = schema.decimals.filter { column in
            infos.contains { Identifier.areSame($0.name, column.name) }
        }
        try convert(columns.filter(\.holdsDecimals).map(\.name), in: schema.name)
        for column in columns {
            if let scale = column.scale { try convert([column.name], in: schema.name, to: scale) }
        }
    }

    /// Converts the decimals of some columns to the sortable text form; for a table that is used with SQL only, and for
    /// columns that a later step renames.
    ///
    /// ```swift
    /// Migration("5") { db in try db.convertDecimals(["price", "tip"], in: "receipt") }
    /// ```
    ///
    /// - Parameters:
    ///   - columns: The names of columns that contain digits, declared as TEXT.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a text that is not a decimal number (the message names the
    ///   row), for a column of another type, or one whose default is an expression; `constraint` if two values of a
    ///   unique column are the same number, or the sortable form violates a check (the message names the rows); `sql`
    ///   if there is no such table or column; `CancellationError` as ``report(_:of:)``.
    public func convertDecimals(_ columns: [String], in table: String) throws {
        _handle.connection.recorder?.record("convert decimals of \(table): \(columns.joined(separator: ", "))")
        try convert(columns, in: table)
    }

    /// Converts the numbers in some columns to scaled integers, and changes the columns' declarations.
    ///
    /// ```swift
    /// Migration("6") { db in try db.convertDecimals(["price"], in: "receipt", scale: 2) }
    /// ```
    ///
    /// The columns may contain decimals in the sortable text form, digits as text, integers, floating-point numbers, or
    /// scaled integers with another scale. The numeric value does not change: 12 becomes the integer 1200 at a scale of
    /// 2, even if the 12 were meant as cents; divide such values afterwards. A floating-point number is converted by
    /// its decimal representation in SQLite. The constraints of the columns are kept; a check applies to the integers,
    /// and a default is converted. All rows are checked before the first one is changed. A column that already has the
    /// scale is not changed.
    ///
    /// - Parameters:
    ///   - columns: The columns' names.
    ///   - table: The table's name.
    ///   - scale: The number of digits after the point, from 0 to 18.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a value that is not a number, has more digits than the
    ///   scale or exceeds 64 bits (the message names the row, never the value); also for a generated column or one in
    ///   the primary key, and for a default that does not fit; `constraint` if the integers violate a check or a unique
    ///   constraint; `invalidDeclaration` for a scale out of range; `sql` if there is no such table or column;
    ///   `CancellationError` as ``report(_:of:)``. Nothing was changed then.
    public func convertDecimals(_ columns: [String], in table: String, scale: Int) throws {
        guard let form = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "The conversion of \(table)") }
        _handle.connection.recorder?
            .record("convert decimals of \(table) to the scale \(scale): \(columns.joined(separator: ", "))")
        try convert(columns, in: table, to: form)
    }

    private func convert(_ columns: [String], in table: String) throws {
        try converting(table) { connection in
            try connection.declareDecimals(columns, of: table)
            try connection.sortDecimals(columns, of: table) { try self.report($0, of: $1) }
        }
    }

    private func convert(_ columns: [String], in table: String, to scale: DecimalScale) throws {
        try converting(table) { connection in
            for column in columns {
                try ColumnChange(connection, table).scale(column, to: scale) { try self.report($0, of: $1) }
            }
        }
    }

    private func converting(_ table: String, _ work: (Connection) throws -> Void) throws {
        let connection = _handle.connection
        // The number of batches depends on the rows.
        try connection.withoutRecording {
            try connection.inSavepoint {
                let before = try connection.columnInfos(of: table)
                try connection.withoutChecks(of: [table]) { try work(connection) }
                for (old, new) in zip(before, try connection.columnInfos(of: table))
                where old.declaredType != new.declaredType {
                    try connection.breakHistory(of: table, unread: new.name)
                }
            }
        }
    }
}

extension Writing where Self: ~Copyable {
    /// Rewrites the values of tables that other programs have spelled in another way than the library: UUIDs in lower
    /// case, without hyphens or as 16 bytes; dates as text with an offset, or with other digits than milliseconds;
    /// numeric dates with a fraction that their form does not have; decimals as plain digits in a `DECIMAL_TEXT`
    /// column.
    ///
    /// ```swift
    /// Migration("8") { db in try db.convertSpellings(of: Device.self, Reading.self) }
    /// ```
    ///
    /// Such values are refused when they are read (`typeMismatch`), since the engine compares what is stored;
    /// ``VerificationReport/otherSpellings`` counts them. A date is rounded to what its form holds. Name a table
    /// together with those that reference it: foreign keys are checked when all tables have been rewritten. Triggers do
    /// not run, and a table's history is rewritten, too. Columns that the file does not have yet are skipped.
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
