import CSQLCipher

/// A stored value that is read and written in parts, without a statement for each part.
///
/// See SQLite's documentation, "Open A BLOB For Incremental I/O" (sqlite.org/c3ref/blob_open.html). Guarded by the
/// connection's slot.
final class OpenBlob {
    private var pointer: OpaquePointer?
    private unowned let connection: Connection
    private let title: String
    private let (table, column): (String, String)
    private let rowID: Int64
    private let isWriting: Bool
    /// The size of the value in bytes, which cannot change while it is open.
    let count: Int

    /// How often it was written.
    private(set) var writeCount = 0
    /// Whether the value is open for reading only, although it is being written.
    private var isPaused = false
    /// Whether the row was changed, or a part of the transaction rolled back, so that the value is no longer open.
    private(set) var isExpired = false
    /// Whether bytes that were written have been rolled back, or the value could not be opened again.
    private var hasFailed = false

    init(_ table: String, _ column: String, rowID: Int64, isWriting: Bool, on connection: Connection) throws {
        self.connection = connection
        (self.table, self.column, self.rowID, self.isWriting) = (table, column, rowID, isWriting)
        title = "column \"\(column)\" of table \"\(table)\""
        try connection.checkTransaction()
        var opened: OpaquePointer?
        let result = sqlite3_blob_open(connection.pointer, "main", table, column, rowID, isWriting ? 1 : 0, &opened)
        guard result == SQLITE_OK, let opened else {
            count = 0
            throw Self.refusal(by: connection, title)
        }
        pointer = opened
        count = Int(sqlite3_blob_bytes(opened))
        // The engine's authorizer is not called for a value that is opened.
        connection.transaction.tables.reads.insert(TableUse.name(table))
        guard isWriting else { return }
        connection.recordWrite(of: table)
        connection.transaction.writers.append(self)
    }

    deinit { sqlite3_blob_close(pointer) }

    /// Closes the value without reporting an error: for a value that was read, or after an error.
    func finish() {
        sqlite3_blob_close(pointer.take())
        if isWriting { connection.transaction.writers.removeAll { $0 === self } }
    }

    /// Closes a value that was written.
    func close() throws {
        guard !hasFailed else { throw changed() }
        let result = sqlite3_blob_close(pointer.take())
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Reads as many bytes as the buffer has.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        try check(offset, buffer.count)
        guard buffer.count > 0 else { return }
        let result = sqlite3_blob_read(pointer, buffer.baseAddress, Int32(buffer.count), Int32(offset))
        guard result == SQLITE_OK else { throw failure(result) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try check(offset, bytes.count)
        guard bytes.count > 0 else { return }
        // Also those of a loop that has begun since the value was opened.
        if !connection.transaction.openRows.isEmpty {
            try connection.copyOpenRows(beforeWritingTo: [TableUse.name(table)])
        }
        writeCount += 1
        try resume()
        let result = sqlite3_blob_write(pointer, bytes.baseAddress, Int32(bytes.count), Int32(offset))
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Checks that the transaction may continue, and that bytes are inside of the value.
    private func check(_ offset: Int, _ length: Int) throws {
        try connection.checkTransaction()
        guard !isExpired else { throw changed() }
        guard pointer != nil, offset >= 0, offset <= count, length <= count - offset else {
            throw isOutside(offset, length)
        }
    }

    func isOutside(_ offset: Int, _ length: Int) -> StrongroomError {
        StrongroomError(
            .invalidArgument,
            """
            The value has \(count.counting("byte")); \(length) from byte \(offset) on are not all in it. The engine \
            cannot make an open value longer or shorter: write it again with its new size.
            """,
            database: connection.database)
    }

    private func failure(_ result: Int32) -> StrongroomError {
        connection.recordFailure()
        let code = ResultCode(extended: result)
        if code.primary == SQLITE_ABORT { return changed(code) }
        return Self.damage(connection, title, code)
            ?? connection.failure("The value in \(title) could not be read or written")
    }

    /// The error for a value with a damaged page; nil if the transaction has read none.
    private static func damage(
        _ connection: Connection, _ title: String, _ resultCode: ResultCode? = nil
    ) -> StrongroomError? {
        guard connection.hasMetDamage else { return nil }
        let code = connection.codeOfDamage
        let what =
            code == .damaged
            ? "The value in \(title) has a damaged page." : "A page of the value in \(title) could not be read."
        return StrongroomError(
            code, "\(what) \(code.advice)", database: connection.database, resultCode: resultCode)
    }

    private func changed(_ code: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            .blobChanged,
            """
            The row of the open value in \(title) was changed or deleted, or a part of the transaction was rolled \
            back; open the value again.
            """,
            database: connection.database, resultCode: code)
    }

    // MARK: Savepoints

    /// Reopens the value for reading: the engine begins and releases no savepoint while one is open
    /// for writing. The engine expires it then, too, when the row is changed.
    func pause() throws {
        guard pointer != nil else { return }
        try recordingFailure {
            guard try isUnchanged() else { return expire() }
            // Only reopening an empty value shows whether its row has changed.
            if !isPaused || count == 0 { try open(forWriting: false) }
        }
    }

    private func resume() throws {
        guard isPaused else { return }
        try recordingFailure {
            guard try isUnchanged() else { return expire() }
            try open(forWriting: true)
        }
        guard !isExpired else { throw changed() }
    }

    /// Called after a part of the transaction has been rolled back in which the value was not written.
    func reopen() {
        expire()
        isExpired = false
        // The next part, or the end of the write, reports a failure.
        try? recordingFailure { try open(forWriting: false) }
    }

    /// Called when a part of the transaction is rolled back in which the value was written.
    func loseWrites() {
        hasFailed = true
        expire()
    }

    private func expire() {
        isExpired = true
        sqlite3_blob_close(pointer.take())
    }

    private func recordingFailure(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            loseWrites()
            throw error
        }
    }

    /// Opens the value again, or expires it if its row is gone, or has a value of another type or size.
    private func open(forWriting isWriting: Bool) throws {
        let result = sqlite3_blob_close(pointer.take())
        guard result == SQLITE_OK else { throw failure(result) }
        let reopened = sqlite3_blob_open(
            connection.pointer, "main", table, column, rowID, isWriting ? 1 : 0, &pointer)
        if ResultCode(extended: reopened).primary == SQLITE_ERROR { return expire() }
        guard reopened == SQLITE_OK else { throw failure(reopened) }
        guard Int(sqlite3_blob_bytes(pointer)) == count else { return expire() }
        isPaused = !isWriting
    }

    /// Whether the row is as it was when the value was opened. An expired value reports that when it is read, unless it
    /// is empty.
    private func isUnchanged() throws -> Bool {
        guard count > 0 else { return true }
        var byte: UInt8 = 0
        let result = sqlite3_blob_read(pointer, &byte, 1, 0)
        if ResultCode(extended: result).primary == SQLITE_ABORT { return false }
        guard result == SQLITE_OK else { throw failure(result) }
        return true
    }

    /// The error for a value that the engine does not open. The engine has one result code for all reasons; its message
    /// contains the row's id.
    private static func refusal(by connection: Connection, _ title: String) -> StrongroomError {
        let message = sqlite3_errmsg(connection.pointer).map { String(cString: $0) } ?? ""
        let code = ResultCode(extended: sqlite3_extended_errcode(connection.pointer))
        connection.recordFailure()
        guard code.primary == SQLITE_ERROR else { return connection.failure("The value in \(title) was not opened") }
        func error(_ code: StrongroomError.Code, _ message: String) -> StrongroomError {
            StrongroomError(code, message, database: connection.database)
        }
        if message.hasPrefix("no such rowid") {
            return error(.noSuchRow, "There is no row with the key, so \(title) has no value for it; insert the row.")
        }
        if message.hasPrefix("cannot open value of type") {
            let type = message.split(separator: " ").last.map { $0 == "null" ? "NULL" : String($0) } ?? "another type"
            return error(
                .typeMismatch,
                "The value in \(title) is \(type), which has no parts; write it with `writeBlob`, or read the record.")
        }
        for (beginning, reason) in reasons where message.hasPrefix(beginning) {
            return error(
                .blobAccess,
                "The value in \(title) cannot be opened: \(reason). Read and write it as a property of its record.")
        }
        return damage(connection, title) ?? error(.sql, "The value in \(title) cannot be opened: \(message).")
    }

    private static let reasons = [
        ("cannot open virtual table", "the table is a virtual one"),
        ("cannot open table without rowid", "the table was created WITHOUT ROWID"),
        ("cannot open table with generated columns", "the engine opens no value of a table with generated columns"),
        ("cannot open view", "it is a view"),
        ("cannot open indexed column", "the column is indexed, and the engine would not update the index"),
        ("cannot open foreign key column", "the column references another table, and the engine would not check it"),
    ]
}

extension Connection {
    /// The most bytes that a value can have, and a row as well. See "Limits In SQLite" (sqlite.org/limits.html).
    var maxBytes: Int { Int(sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, -1)) }
}
