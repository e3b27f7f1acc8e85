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
    /// ``convertDecimals(_:in:)``.
    ///
    /// - Parameter table: A table with properties of the type `Decimal`.
    /// - Throws: ``StrongroomError`` as ``convertDecimals(_:in:)``; `CancellationError` as ``report(_:of:)``.
    public func convertDecimals<Source: Table>(of table: Source.Type) throws {
        let schema = Source.schema
        let connection = handle.connection
        connection.recorder?.note("convert decimals of \(schema.name)")
        let infos = try connection.columnInfos(of: schema.name)
        let columns = schema.decimals.map(\.name).filter { name in
            infos.contains { Identifier.areSame($0.name, name) }
        }
        try convert(columns, in: schema.name)
    }

    /// Writes the decimals of some columns in the form that sorts; for a table that is used by SQL of one's own, and for
    /// columns that a later step renames.
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
    ///   the same number, or a check does not hold for the form that sorts, naming the rows; `sql` when there is no such
    ///   table or column; `CancellationError` as ``report(_:of:)``.
    public func convertDecimals(_ columns: [String], in table: String) throws {
        handle.connection.recorder?.note("convert decimals of \(table): \(columns.joined(separator: ", "))")
        try convert(columns, in: table)
    }

    private func convert(_ columns: [String], in table: String) throws {
        let connection = handle.connection
        // How many slices there are depends on the rows.
        let recorder = connection.recorder
        connection.recorder = nil
        defer { connection.recorder = recorder }
        try savepoint { _ in
            try connection.withoutChecks(of: [table]) {
                try connection.declareDecimals(columns, of: table)
                try connection.sortDecimals(columns, of: table) { try self.report($0, of: $1) }
            }
        }
    }
}
