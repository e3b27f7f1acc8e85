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
