extension MigrationTransaction {
    /// Writes a value into a column of every row, a thousand rows at a time.
    ///
    /// One `UPDATE` of a large table keeps all pages that it changes in memory as they were, so that it can be undone
    /// alone; this keeps those of a thousand rows, tells how far it has come, and can be cancelled between. It is all
    /// part of the step's transaction.
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
    ///   - value: An expression over the row's columns; it should not look at other rows, of which some have their
    ///     value already.
    /// - Throws: ``StrongroomError`` with `sql` when there is no such table or column, `constraint` when a value breaks
    ///   one; `CancellationError` as ``report(_:of:)``.
    public func fill(_ column: String, of table: String, with value: SQL) throws {
        let connection = handle.connection
        connection.recorder?.note("fill \(column) of \(table): \([SQLToken].normalised(value.text))")
        // How many slices there are depends on the rows.
        try connection.withoutRecording { try fillInSlices(column, of: table, with: value) }
    }

    private func fillInSlices(_ column: String, of table: String, with value: SQL) throws {
        guard let rowID = try rowIDName(of: table, besides: column), let (first, last) = try ends(of: table, rowID)
        else {
            // Also where there is no row yet: what is wrong with the statement is told.
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

    /// Rows.
    private static let slice = 1_000

    /// The name under which the row ids can be asked for; nil for what has none, and where they are what is written.
    private func rowIDName(of table: String, besides column: String) throws -> String? {
        let sql: String? = try value(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = \(table) COLLATE NOCASE")
        guard let sql, let text = CreateTableText(sql), !text.isWithoutRowID else { return nil }
        let columns = try columns(of: table)
        let isKey = columns.contains { $0.keyPlace != nil && $0.name.asciiFolded == column.asciiFolded }
        let names = ["rowid", "_rowid_", "oid"]
        guard !isKey, !names.contains(column.asciiFolded) else { return nil }
        return names.first { name in !columns.contains { $0.name.asciiFolded == name } }
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

    /// Row ids may be as far apart as numbers can.
    private static func distance(_ first: Int64, _ second: Int64) -> Int {
        Int(clamping: UInt64(bitPattern: second &- first) &+ 1)
    }
}
