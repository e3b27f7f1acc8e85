extension MigrationTransaction {
    /// Writes the decimals of a table in the form that sorts, where an older version of the library has stored plain
    /// digits, and declares their columns as `DECIMAL_TEXT`.
    ///
    /// ```swift
    /// Migration("5") { db in try db.convertDecimals(of: Receipt.self) }
    /// ```
    ///
    /// A thousand rows at a time, which tells how far it has come; triggers do not run. A default that is a number gets
    /// the form that sorts, too. Without this the first use of such a table by its type fails with `schemaChange`.
    /// ``Migrator/automatic(tables:removingColumns:)`` does it by itself, and ``Writing/changeColumn(_:in:)`` for the
    /// column that it changes. A column that is converted already stays as it is, and one that the file's table has not
    /// yet, since a later step adds it, is passed over. Where a later step renames a column, give the names of then to
    /// ``convertDecimals(_:in:)``. Columns that the type declares with a scale become scaled integers, as by
    /// ``convertDecimals(_:in:scale:)``.
    ///
    /// - Parameter table: A table with properties of the type `Decimal`.
    /// - Throws: ``StrongroomError`` as ``convertDecimals(_:in:)`` and ``convertDecimals(_:in:scale:)``;
    ///   `CancellationError` as ``report(_:of:)``.
    public func convertDecimals<Source: Table>(of table: Source.Type) throws {
        let schema = Source.schema
        let connection = handle.connection
        let scaled = schema.decimals.filter { $0.scale != nil }.map { " \($0.name) \($0.declaredType)" }
        connection.recorder?.note("convert decimals of \(schema.name)\(scaled.joined())")
        let infos = try connection.columnInfos(of: schema.name)
        let columns = schema.decimals.filter { column in
            infos.contains { Identifier.areSame($0.name, column.name) }
        }
        try convert(columns.filter(\.holdsDecimals).map(\.name), in: schema.name)
        for column in columns {
            if let scale = column.scale { try convert([column.name], in: schema.name, to: scale) }
        }
    }

    /// Writes the decimals of some columns in the form that sorts; for a table that is used by SQL of one's own, and
    /// for columns that a later step renames.
    ///
    /// ```swift
    /// Migration("5") { db in try db.convertDecimals(["price", "tip"], in: "receipt") }
    /// ```
    ///
    /// - Parameters:
    ///   - columns: The names of columns that hold digits, declared as TEXT.
    ///   - table: The table's name.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a text that is no decimal number, naming the row, for a
    ///   column of another type, or one whose default is computed; `constraint` when two values of a unique column are
    ///   the same number, or a check does not hold for the form that sorts, naming the rows; `sql` when there is no
    ///   such table or column; `CancellationError` as ``report(_:of:)``.
    public func convertDecimals(_ columns: [String], in table: String) throws {
        handle.connection.recorder?.note("convert decimals of \(table): \(columns.joined(separator: ", "))")
        try convert(columns, in: table)
    }

    /// Makes scaled integers of the numbers in some columns, and declares them so.
    ///
    /// ```swift
    /// Migration("6") { db in try db.convertDecimals(["price"], in: "receipt", scale: 2) }
    /// ```
    ///
    /// The columns may hold decimals in the form that sorts, digits as text, integers, floating-point numbers, or
    /// scaled integers of another scale. A number stays the number that it is: 12 becomes the integer 1200 at a scale
    /// of 2, also where the 12 were meant as cents; divide those afterwards. A floating-point number counts as the
    /// digits that SQLite writes it with. The constraints of the columns stay; a check sees the integers, and a default
    /// becomes one. All rows are looked at before the first is changed. A column of that scale already stays as it is.
    ///
    /// - Parameters:
    ///   - columns: The columns' names.
    ///   - table: The table's name.
    ///   - scale: The number of digits after the point, from 0 to 18.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a value that is no number, has more digits than the scale
    ///   or does not fit 64 bits, naming the row and never the value; also for a column that is computed or belongs to
    ///   the primary key, and for a default that does not fit; `constraint` when a check or a unique column refuses the
    ///   integers; `invalidName` for a scale that there is not; `sql` when there is no such table or column;
    ///   `CancellationError` as ``report(_:of:)``. Then nothing was changed.
    public func convertDecimals(_ columns: [String], in table: String, scale: Int) throws {
        guard let form = DecimalScale(scale) else { throw DecimalScale.refusal(scale, "The conversion of \(table)") }
        handle.connection.recorder?
            .note("convert decimals of \(table) to the scale \(scale): \(columns.joined(separator: ", "))")
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
        let connection = handle.connection
        // How many slices there are depends on the rows.
        try connection.withoutRecording {
            try connection.inSavepoint {
                try connection.withoutChecks(of: [table]) { try work(connection) }
            }
        }
    }
}
