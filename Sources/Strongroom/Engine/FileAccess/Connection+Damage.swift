import CSQLCipher

/// Damage that the engine does not report by itself.
///
/// SQLCipher reads a page whose authentication code is wrong as zeros, and zeros at the end of a long value are no
/// error. So before results are used, and before a commit, the connection is asked whether a page has failed:
/// - Up to SQLCipher 4.6, the pager keeps the error as long as the transaction lasts, so reading the first page fails.
/// - In 4.19, the codec keeps it as long as the connection is open. Every page that is read afterwards is zeros, too,
///   and reading succeeds, so only `PRAGMA cipher_status` shows the failure, and the connection has to be replaced.
///
/// The codec is used only for pages that are not in the page cache, so nothing is asked while the cache has every page.
///
/// The codec fails as well after a page that the operating system could not read, which is no damage: the methods of
/// the file record that.
extension Connection {
    /// Reads the first page, which also takes the snapshot of a transaction that has none.
    ///
    /// Needs no more than the first page, which is cached; counting the entries of the schema would read them all.
    /// Measured on 3.4.1 and 4.6.1, also after many other pages have been read and have left the page cache: "PRAGMA
    /// schema_version" and, if nothing has been written, "COMMIT" do not detect the damage.
    func readFirstPage() throws {
        // Not to its end: with the first row, the page has been read.
        try withOwn(.firstPage) { _ = try $0.step() }
    }

    /// Throws if the transaction has read a damaged page, even if all reads succeeded.
    func checkPages() throws {
        try file.check?()
        guard hasUncheckedPages else { return }
        do {
            try readFirstPage()
            guard try !codecHasFailed() else { throw damage(after: nil) }
        } catch {
            throw hasMetDamage ? damage(after: nil) : error
        }
        file.checkedMisses = pageCacheMisses
        forgetFailedReads()
    }

    /// Whether the transaction has read a damaged page; the engine's errors are then meaningless.
    var hasMetDamage: Bool {
        if hasFailedCodec { return true }
        let result = trusting { sqlite3_exec(pointer, TransactionStatement.firstPage.sql, nil, nil, nil) }
        // The query is not the user's.
        _ = authorizer.removeTables()
        switch result & 0xFF {
        // SQLITE_ERROR is the result for a page whose authentication failed; the engine reports failures of the
        // operating system in the same way.
        case SQLITE_CORRUPT: return sqlite3_errmsg(pointer).flatMap { UnknownSchemaSQL(String(cString: $0)) } == nil
        case SQLITE_ERROR, SQLITE_NOTADB: return true
        default: return false
        }
    }

    /// Whether the codec has failed, so that the connection reads only zeros from now on and has to be closed. Always
    /// false for an engine whose codec does not keep its errors.
    var hasFailedCodec: Bool { (try? codecHasFailed()) ?? false }

    /// Whether the connection must not be used any more.
    var isLost: Bool { transaction.isStuckWritable || file.hasFailedCodec || hasUncheckedPages && hasFailedCodec }

    private func codecHasFailed() throws -> Bool {
        guard file.codecKeepsErrors, !file.hasFailedCodec else { return file.hasFailedCodec }
        // Outside of a write transaction, the engine makes the connection read-only when the codec fails.
        if role == .reader, mode == .existing, !isReadOnly { return false }
        file.hasFailedCodec = try codecStatus() == false
        return file.hasFailedCodec
    }

    /// Whether the codec works; nil for an engine without this pragma. The answer is determined when the statement is
    /// prepared.
    func codecStatus() throws -> Bool? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let prepared = trusting { sqlite3_prepare_v2(pointer, "PRAGMA cipher_status", -1, &statement, nil) }
        guard prepared == SQLITE_OK else { throw engineFailure("The state of the encryption could not be read", nil) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return sqlite3_column_int(statement, 0) == 1
        case SQLITE_DONE: return nil
        default: throw engineFailure("The state of the encryption could not be read", nil)
        }
    }

    /// Whether pages have been read and decrypted since the last check found no damage.
    private var hasUncheckedPages: Bool { pageCacheMisses != file.checkedMisses }

    /// The error to report after work has thrown: `damaged` if the work has read a damaged page, because its behaviour
    /// is then unpredictable.
    func explanation(of failure: any Error) -> any Error {
        guard !(failure is CancellationError), transaction.state != .none else { return failure }
        // The engine also decrypts what it could not read.
        if let code = (failure as? StrongroomError)?.code, [.damaged, .inputOutput].contains(code) { return failure }
        if hasFailedCodec { return damage(after: failure) }
        guard isInTransaction else { return failure }
        do { try file.check?() } catch { return error }
        do {
            // The statement is cached, so this costs less than checking for damage, which is rare.
            try readFirstPage()
        } catch  where hasMetDamage {
            return damage(after: failure)
        } catch {
            // The first failure is the one to report.
        }
        return failure
    }

    /// Rewrites the file without unused pages. See SQLite's documentation, "VACUUM"
    /// (sqlite.org/lang_vacuum.html).
    func vacuum() throws {
        do {
            try run("VACUUM")
        } catch let error as StrongroomError where error.code == .sql {
            // The SQL is valid: it has read a damaged page.
            throw damage(after: error)
        }
    }

    private func damage(after error: (any Error)?) -> StrongroomError {
        let code = codeOfDamage
        let reason = code == .damaged ? "A page that was read is damaged" : "A page could not be read"
        var damage = StrongroomError(
            code, "\(reason), so nothing of the transaction counts. \(code.advice)", database: database)
        damage.underlying = error
        return damage
    }

    /// The code for a failure of the codec: `inputOutput` if the operating system could not read a page, since the
    /// engine decrypts what its memory has then, also when the work has swallowed that error.
    var codeOfDamage: StrongroomError.Code {
        openFileMethods.contains { $0.pointee.hasFailedToRead } ? .inputOutput : .damaged
    }

    /// Called when a transaction has ended, or is known to have met no damage.
    func forgetFailedReads() {
        for methods in openFileMethods { methods.pointee.hasFailedToRead = false }
    }

    /// Those of the database file and its WAL that are installed.
    private var openFileMethods: [UnsafeMutablePointer<FileMethods>] {
        [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].compactMap { openFile($0).flatMap(FileMethods.of) }
    }
}

extension Connection {
    /// Runs work in which reading a page of known damage is an error of the file, so that the codec does not see the
    /// page: the work can continue with the other pages, and no value contains zeros instead of such a page.
    func refusing<T>(_ pages: RefusedPages, _ body: () throws -> T) throws -> T {
        guard !pages.inFile.isEmpty else { return try body() }
        // What the page cache has is not read again.
        releaseMemory()
        let file = FileMethods.install(on: try engineFile(SQLITE_FCNTL_FILE_POINTER))
        let log = openFile(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(FileMethods.install)
        file?.pointee.refuse(pages.inFile, of: pages)
        log?.pointee.refuse(pages.inLog, of: pages)
        defer {
            for methods in [file, log] { methods?.pointee.refuse([:], of: pages) }
        }
        return try body()
    }
}

/// SQLCipher 3 accepts a page of zeros as valid, because it reads zeros past the end of a file; SQLCipher 4 does so in
/// a file with `auto_vacuum`. No encrypted page is ever written as zeros, so such a page in the file is damage. It gets
/// a nonzero byte on its way to the engine, whose authentication then refuses it like any other damaged page.
extension Connection {
    /// Makes the engine refuse pages of zeros that it reads from the database file from now on.
    func refuseZeroPages() throws {
        file.refusesZeroPages = true
        FileMethods.install(on: try engineFile(SQLITE_FCNTL_FILE_POINTER))?.pointee.refusesZeroPages = true
    }

    /// Makes it refuse those of the WAL as well, which the engine opens when it first reads the database.
    func refuseZeroPagesOfLog() throws {
        guard file.refusesZeroPages, mode != .untouched, !hasWrappedLog,
            try ownValue("PRAGMA journal_mode") == .text("wal")
        else { return }
        // A connection that has just switched to WAL mode has not opened the WAL yet.
        openFile(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(FileMethods.install)?.pointee.refusesZeroPages = true
    }

    /// Whether it refuses those of the open WAL.
    private var hasWrappedLog: Bool {
        openFile(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(FileMethods.of)?.pointee.refusesZeroPages ?? false
    }

    /// Runs work that reads every page of the file, including unused ones, some of which may never have been written
    /// and are holes in the file.
    func acceptingZeroPages<T>(_ body: () throws -> T) rethrows -> T {
        guard file.refusesZeroPages, let methods = openFile(SQLITE_FCNTL_FILE_POINTER).flatMap(FileMethods.of)
        else { return try body() }
        methods.pointee.refusesZeroPages = false
        defer { methods.pointee.refusesZeroPages = true }
        return try body()
    }
}

extension Connection {
    /// Runs work in one snapshot whose pages the work may also read from the file and the WAL without the engine, while
    /// other connections write. To be called outside a transaction.
    ///
    /// The engine keeps what a snapshot needs: it neither restarts a WAL with frames of the snapshot that are not in
    /// the file, nor writes pages to the file that are newer ("WAL-mode File Format", section 2.2,
    /// sqlite.org/walformat.html). A connection without locks has no such protection: afterwards it is checked that the
    /// file has not changed.
    ///
    /// - Parameter body: Called with the end of the WAL in the snapshot; nil if the database is not in WAL mode.
    /// - Throws: ``StrongroomError`` with `busy` if every attempt meets a commit of another connection, `fileChanged`
    ///   instead of everything else if the file has changed under a connection without locks; what the work throws.
    func inSnapshotOfPages<T>(_ body: (PublishedLog?) throws -> T) throws -> T {
        for _ in 0..<Self.attemptsAtSnapshot {
            // A connection that reads only the database file has no WAL.
            let before = try publishedLog()
            try beginSnapshot()
            // Not committed: the end of a transaction in which the engine has met a damaged page is an error.
            defer { rollBack() }
            let log = try publishedLog()
            // Otherwise there was a commit in between, so this may not be the snapshot's end.
            guard log == before else { continue }
            // Half written, as a killed process leaves the index: the beginning of the next transaction repairs it.
            guard try log != nil || mode == .untouched || ownValue("PRAGMA journal_mode") != .text("wal") else {
                continue
            }
            let result = Result { try body(log) }
            try file.check?()
            return try result.get()
        }
        throw StrongroomError(
            .busy,
            """
            Another connection committed at each attempt to read the pages of the database. Try again. Nothing was \
            changed.
            """,
            database: database)
    }

    private static let attemptsAtSnapshot = 1_000
}
