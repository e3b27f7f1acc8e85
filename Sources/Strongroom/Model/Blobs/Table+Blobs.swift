/// Values that are read and written in parts: of columns of type `Data`, `[UInt8]`, and their optionals.
extension Table {
    /// Opens the value of a row to read it in parts; only the parts that are read are in memory.
    ///
    /// ```swift
    /// let header = try Document.withBlob(\.content, of: key, in: db) { blob in try blob.read(16, at: 0) }
    /// ```
    ///
    /// See SQLite's documentation, "Open A BLOB For Incremental I/O" (sqlite.org/c3ref/blob_open.html).
    ///
    /// - Parameters:
    ///   - column: The column, which must not be generated.
    ///   - key: The primary key of the row.
    ///   - db: A transaction. A change of the row inside the closure expires the open value.
    ///   - body: Receives the value, which is valid only inside the closure.
    /// - Returns: What the closure returns.
    /// - Throws: ``StrongroomError`` with `noSuchRow`, `typeMismatch` if the value is NULL, `blobAccess` if the engine
    ///   cannot read the table's values in parts (it was created WITHOUT ROWID, or is a view), or the engine's error;
    ///   what the closure throws.
    public static func withBlob<T, V: BlobColumnValue>(
        _ column: KeyPath<Columns, Column<V>>, of key: Key, in db: borrowing some Reading & ~Copyable,
        _ body: (borrowing BlobReader) throws -> T
    ) throws -> T {
        let stored = try StoredBlob<Self>(columns[keyPath: column].definition, key, on: db._handle.connection)
        let blob = try stored.open()
        defer { blob.finish() }
        return try body(BlobReader(blob))
    }

    /// Replaces the value of a row by one that is written in parts, or overwrites parts of it.
    ///
    /// ```swift
    /// try Document.writeBlob(\.content, of: key, size: size, in: db) { blob in
    ///     for part in parts { try blob.append(part) }
    /// }
    /// try Document.writeBlob(\.content, of: key, in: db) { blob in try blob.write(header, at: 0) }
    /// ```
    ///
    /// For a new value the engine runs the table's checks and triggers with one of zeros ("Zeroblob",
    /// sqlite.org/lang_corefunc.html#zeroblob); it runs none for the parts.
    ///
    /// - Parameters:
    ///   - column: The column, which must not be generated, indexed, unique or a reference.
    ///   - key: The primary key of the row, which must exist.
    ///   - size: The size of the new value in bytes, from 0 to the engine's limit for a row (1,000,000,000 by default);
    ///     nil for parts of the present value, whose size stays as it is.
    ///   - db: A write transaction.
    ///   - body: Writes the new value, as many bytes as the size says, or parts of the present one. If it throws, the
    ///     previous value is kept.
    /// - Throws: ``StrongroomError`` with `noSuchRow`, `limit` for a size that the engine cannot store,
    ///   `invalidArgument` if the closure appended another number of bytes, `blobAccess`, `constraint`, `diskFull`, or
    ///   the engine's error; what the closure throws.
    public static func writeBlob<V: BlobColumnValue>(
        _ column: KeyPath<Columns, Column<V>>, of key: Key, size: Int? = nil,
        in db: borrowing some Writing & ~Copyable, _ body: (inout BlobWriter) throws -> Void
    ) throws {
        let connection = db._handle.connection
        let stored = try StoredBlob<Self>(columns[keyPath: column].definition, key, on: connection)
        try connection.inSavepoint { try stored.write(size, body) }
    }
}

extension StoredBlob {
    /// Replaces the value, or overwrites parts of it if there is no size; if this throws, the transaction, or the
    /// savepoint around it, must be rolled back.
    func write(_ size: Int?, _ body: (inout BlobWriter) throws -> Void) throws {
        guard let size else { return try write(openForWriting(), body) }
        try write(try reserve(size)) { writer in
            try body(&writer)
            guard writer.position == size else { throw isIncomplete(writer.position, of: size) }
        }
    }

    private func write(_ blob: OpenBlob, _ body: (inout BlobWriter) throws -> Void) throws {
        // Before the caller rolls back: a value that is open for writing is a statement in progress.
        defer { blob.finish() }
        var writer = BlobWriter(blob)
        try body(&writer)
        try blob.close()
    }

    private func isIncomplete(_ written: Int, of size: Int) -> StrongroomError {
        connection.failure(
            .invalidArgument,
            """
            \(written) of the \(size) bytes of the value in column "\(column.name)" of table "\(Source.schema.name)" \
            were appended, so the previous value was kept; append as many bytes as `size` says.
            """)
    }
}

/// A value of a table's row that is read or written in parts.
struct StoredBlob<Source: Table> {
    let column: ColumnDefinition
    let key: Source.Key
    let connection: Connection

    private var table: TableSchema { Source.schema }

    /// - Throws: ``StrongroomError`` with `blobAccess` for a generated column.
    init(_ column: ColumnDefinition, _ key: Source.Key, on connection: Connection) throws {
        (self.column, self.key, self.connection) = (column, key, connection)
        guard column.generated == nil else { throw refusal("is generated, and has no stored bytes of its own") }
    }

    func open() throws -> OpenBlob {
        try open(try findRow(), isWriting: false)
    }

    func openForWriting() throws -> OpenBlob {
        try checkWriting()
        return try open(try findRow(), isWriting: true)
    }

    /// Replaces the value by zeros, and opens it to overwrite them.
    func reserve(_ size: Int) throws -> OpenBlob {
        try checkWriting()
        try check(size: size)
        let rowID = try findRow()
        let name = try rowIDName()
        // FAIL, since with ABORT the engine keeps the previous value in memory until the end of the statement; the
        // caller rolls back.
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

    private func findRow() throws -> Int64 {
        try connection.prepareTable(table)
        let name = try rowIDName()
        let condition = try table.keyColumns().enumerated().map { "\($1.quoted.text) = ?\($0 + 1)" }
        let sql = "SELECT \(name) FROM main.\(table.quotedName) WHERE \(condition.joined(separator: " AND "))"
        do {
            let statement = try connection.statement(sql)
            defer { statement.finish() }
            try Source.bind(key, to: Bindings(statement), at: 0)
            guard try statement.step() else { throw table.noSuchRow }
            // NULL for a view, of which the engine opens no value.
            return try Row(statement).integerIfPresent(at: 0) ?? 0
        } catch let error as StrongroomError where error.code == .sql {
            // The engine refuses a table without row ids.
            _ = try open(0, isWriting: false)
            throw error
        }
    }

    /// A name of the row id that no column has.
    private func rowIDName() throws -> String {
        let name = ColumnInfo.rowIDNames.first { name in
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
            throw connection.failure(
                .limit,
                """
                A value of \(size) bytes cannot be stored in column "\(column.name)" of table "\(table.name)": the \
                engine stores at most \(most) bytes in a row. Divide it into several rows.
                """)
        }
    }

    private func refusal(_ reason: String) -> StrongroomError {
        connection.failure(
            .blobAccess,
            """
            Column "\(column.name)" of table "\(table.name)" \(reason). Read and write it as a property of its record.
            """)
    }
}
