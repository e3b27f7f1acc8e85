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
        guard let text = try tableText(table).flatMap(CreateTableText.init), !text.isWithoutRowID else { return nil }
        let columns = try columns(of: table)
        let isKey = columns.contains { $0.keyPlace != nil && Identifier.areSame($0.name, column) }
        guard !isKey, Identifier.index(of: column, in: ColumnInfo.rowIDNames) == nil else { return nil }
        return columns.freeRowIDName
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
