/// A value of a table's row that is read or written in parts.
struct BlobPlace<Source: Table> {
    let column: ColumnDefinition
    let key: Source.Key
    let connection: Connection

    private var table: TableSchema { Source.schema }

    /// - Throws: ``StrongroomError`` with `blobAccess` for a generated column.
    init(_ column: ColumnDefinition, _ key: Source.Key, on connection: Connection) throws {
        (self.column, self.key, self.connection) = (column, key, connection)
        guard column.generated == nil else { throw refusal("is generated, and has no stored bytes of its own") }
    }

    /// Opens the value to read it.
    ///
    /// - Throws: ``StrongroomError`` with `noSuchRow`, `typeMismatch` for NULL, `blobAccess`, or the engine's error.
    func open() throws -> OpenBlob {
        try open(try findRow(), isWriting: false)
    }

    /// Opens the value to overwrite it.
    ///
    /// - Throws: As ``open()``, and `blobAccess` for an indexed column, `tableDiffers` if several rows of the file's
    ///   table can have one key.
    func openForWriting() throws -> OpenBlob {
        try checkWriting()
        return try open(try findRow(), isWriting: true)
    }

    /// Replaces the value by zeros, and opens it to overwrite them.
    ///
    /// - Throws: As ``openForWriting()``, and `limit` for a size that the engine does not store.
    func reserve(_ size: Int) throws -> OpenBlob {
        try checkWriting()
        try check(size: size)
        let rowID = try findRow()
        let name = try rowIDName()
        // FAIL, since with ABORT the engine keeps the former value in memory until the end of the statement; the caller
        // rolls back.
        let sql = "UPDATE OR FAIL \(table.quotedName) SET \(column.quoted.text) = zeroblob(?1) WHERE \(name) = ?2"
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try statement.bind([.integer(Int64(size)), .integer(rowID)])
        try statement.run()
        statement.finish()
        return try open(rowID, isWriting: true)
    }

    private func open(_ rowID: Int64, isWriting: Bool) throws -> OpenBlob {
        try OpenBlob(table.name, column.name, rowID: rowID, isWriting: isWriting, on: connection)
    }

    /// The id of the row with the key.
    private func findRow() throws -> Int64 {
        try connection.prepareTable(table)
        let name = try rowIDName()
        let condition = try table.keyColumns().enumerated().map { "\($1.quoted.text) = ?\($0 + 1)" }
        let sql = "SELECT \(name) FROM main.\(table.quotedName) WHERE \(condition.joined(separator: " AND "))"
        do {
            let statement = try connection.statement(sql)
            defer { statement.finish() }
            try Source.bind(key, to: Bindings(statement), at: 0)
            guard try statement.step() else { throw TableFailure.noSuchRow(table) }
            // NULL for a view, of which the engine opens no value.
            return try Row(statement).integerIfPresent(at: 0) ?? 0
        } catch let error as StrongroomError where error.code == .sql {
            // A table without row ids: the engine's answer says so.
            _ = try open(0, isWriting: false)
            throw error
        }
    }

    /// A name of the row id that no column has.
    private func rowIDName() throws -> String {
        let name = ["rowid", "_rowid_", "oid"].first { name in
            !table.columns.contains { Identifier.areSame($0.name, name) }
        }
        guard let name else { throw refusal("has a table whose columns take every name of the row id") }
        return name
    }

    /// The engine refuses columns that are indexed in the file; a declared index is refused before anything is written.
    private func checkWriting() throws {
        try connection.prepareTable(table)
        try connection.requireUniqueKey(of: table)
        if let history = table.history, Identifier.index(of: column.name, in: history.omitted) == nil {
            throw refusal("has a history, and the engine runs no trigger for parts; omit the column from the history")
        }
        let isInIndex = table.indexes.contains { index in
            index.parts.contains { Identifier.areSame($0.column ?? "", column.name) }
        }
        if column.isUnique || column.isPrimaryKey || column.references != nil || isInIndex {
            throw refusal("is indexed, unique, or references another table, and the engine would not check it")
        }
    }

    private func check(size: Int) throws {
        let most = connection.maxBytes
        guard size >= 0, size <= most else {
            throw StrongroomError(
                .limit,
                """
                A value of \(size) bytes cannot be stored in column "\(column.name)" of table "\(table.name)": the \
                engine stores at most \(most) bytes in a row. Divide it into several rows.
                """,
                database: connection.database)
        }
    }

    private func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(
            .blobAccess,
            """
            Column "\(column.name)" of table "\(table.name)" \(reason). Read and write it as a property of its record.
            """,
            database: connection.database)
    }
}
