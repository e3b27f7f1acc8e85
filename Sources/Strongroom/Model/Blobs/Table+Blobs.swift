/// Values that are read and written in parts: of columns of type `Data`, `[UInt8]`, and their optionals.
extension Table {
    /// Opens the value of a row to read it in parts; only the parts that are read are in memory.
    ///
    /// ```swift
    /// let header = try Document.withBlob(\.content, of: key, in: db) { blob in
    ///     try blob.read(min(16, blob.count), at: 0)
    /// }
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
        let place = try BlobPlace<Self>(columns[keyPath: column].definition, key, on: db._handle.connection)
        let blob = try place.open()
        defer { blob.finish() }
        return try body(BlobReader(blob))
    }

    /// Replaces the value of a row by one that is written in parts.
    ///
    /// ```swift
    /// let key = try Document.insert(Document(name: "Scan", content: Data()), in: db)
    /// try Document.writeBlob(\.content, of: key, size: size, in: db) { blob in
    ///     for part in parts { try blob.append(part) }
    /// }
    /// ```
    ///
    /// The engine first fills the value with zeros, for which it runs the table's checks and triggers; it runs none for
    /// the parts. See "Zeroblob" (sqlite.org/lang_corefunc.html#zeroblob).
    ///
    /// - Parameters:
    ///   - column: The column, which must not be generated, indexed, unique or a reference.
    ///   - key: The primary key of the row, which must exist.
    ///   - size: The size of the new value in bytes, from 0 to the engine's limit for a row (1,000,000,000 by default).
    ///   - db: A write transaction.
    ///   - body: Writes the value, all of it: as many bytes must be appended as the size says. If it throws, the former
    ///     value is kept.
    /// - Throws: ``StrongroomError`` with `noSuchRow`, `limit` for a size that the engine cannot store,
    ///   `invalidArgument` if the closure appended another number of bytes, `blobAccess`, `constraint`, `diskFull`, or
    ///   the engine's error; what the closure throws.
    public static func writeBlob<V: BlobColumnValue>(
        _ column: KeyPath<Columns, Column<V>>, of key: Key, size: Int, in db: borrowing some Writing & ~Copyable,
        _ body: (inout BlobWriter) throws -> Void
    ) throws {
        let connection = db._handle.connection
        let place = try BlobPlace<Self>(columns[keyPath: column].definition, key, on: connection)
        try connection.inSavepoint { try place.write(size, body) }
    }

    /// Overwrites parts of a row's value, whose size stays as it is.
    ///
    /// ```swift
    /// try Document.changeBlob(\.content, of: key, in: db) { blob in try blob.write(header, at: 0) }
    /// ```
    ///
    /// The engine runs neither the table's checks nor its triggers.
    ///
    /// - Parameters:
    ///   - column: The column, which must not be generated, indexed, unique or a reference.
    ///   - key: The primary key of the row.
    ///   - db: A write transaction.
    ///   - body: Overwrites parts. If it throws, the former value is kept.
    /// - Throws: As `withBlob` and `writeBlob`.
    public static func changeBlob<V: BlobColumnValue>(
        _ column: KeyPath<Columns, Column<V>>, of key: Key, in db: borrowing some Writing & ~Copyable,
        _ body: (inout BlobWriter) throws -> Void
    ) throws {
        let connection = db._handle.connection
        let place = try BlobPlace<Self>(columns[keyPath: column].definition, key, on: connection)
        try connection.inSavepoint { try place.write(try place.openForWriting(), body) }
    }
}

extension BlobPlace {
    /// Replaces the value; if this throws, the transaction, or the savepoint around it, must be rolled back.
    func write(_ size: Int, _ body: (inout BlobWriter) throws -> Void) throws {
        try write(try reserve(size)) { writer in
            try body(&writer)
            guard writer.position == size else { throw isIncomplete(writer.position, of: size) }
        }
    }

    fileprivate func write(_ blob: OpenBlob, _ body: (inout BlobWriter) throws -> Void) throws {
        // Before the caller rolls back: a value that is open for writing is a statement in progress.
        defer { blob.finish() }
        var writer = BlobWriter(blob)
        try body(&writer)
        try blob.close()
    }

    private func isIncomplete(_ written: Int, of size: Int) -> StrongroomError {
        StrongroomError(
            .invalidArgument,
            """
            \(written) of the \(size) bytes of the value in column "\(column.name)" of table "\(Source.schema.name)" \
            were appended, so the former value was kept; append as many bytes as `size` says.
            """,
            database: connection.database)
    }
}
