import CSQLCipher

extension Connection {
    /// What a connection is for.
    enum Role: String {
        case writer, reader
        /// Writes a file that gets its final name when it is complete, and so writes it without a WAL.
        case maker
        /// Reads and writes a database in memory, which no other connection can see.
        case inMemory
    }

    /// Turns off the engine's own log lines on standard error; to be called before the key is set. The setting is the
    /// process's, but SQLCipher 4.6 sets its own again when the process sets its first key.
    func silenceLog() throws {
        // An engine that does not know the setting ignores it.
        try set(["PRAGMA cipher_log_level = NONE"])
    }

    /// Makes the engine flush the drive's cache as well when it synchronizes a file.
    ///
    /// It has an effect on Apple platforms; elsewhere `fsync` does so by itself, and the engine ignores the settings.
    /// See SQLite's documentation, "PRAGMA Statements", `fullfsync` and `checkpoint_fullfsync`
    /// (sqlite.org/pragma.html).
    func synchronizeFully() throws {
        #if canImport(Darwin)
        try set(["PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON"])
        #endif
    }

    /// Runs statements that change settings of the connection, in one call of the engine.
    private func set(_ settings: [String]) throws {
        let result = trusting { sqlite3_exec(pointer, settings.joined(separator: ";"), nil, nil, nil) }
        guard result != SQLITE_OK else { return }
        // Again, for the error of the one that failed.
        for setting in settings { try run(setting) }
    }

    func configure(as role: Role, busyTimeout: Int) throws {
        setBusyTimeout(milliseconds: busyTimeout)
        self.role = role
        var settings = [
            "PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON", "PRAGMA temp_store = MEMORY",
            // Known from SQLite 3.31 on, ignored before.
            "PRAGMA trusted_schema = OFF",
            // A negative number counts KiB. The memory is allocated when pages are read, not before.
            "PRAGMA cache_size = -\(file.pageCache >> 10)",
        ]
        switch role {
        case .writer:
            try enableWriteAheadLog()
            deferCheckpoints()
            // A WAL that has grown because of a long read is truncated to this limit when it is restarted.
            settings += ["PRAGMA synchronous = FULL", "PRAGMA journal_size_limit = \(Self.maxIdleLog)"]
        case .maker, .inMemory:
            break
        case .reader:
            settings.append("PRAGMA query_only = ON")
        }
        try set(settings)
        if role != .maker { setDefensive(true) }
    }

    /// Makes the engine refuse, or allow, SQL that writes the schema table or the shadow tables of virtual tables.
    /// Before SQLite 3.26 the engine always allows it. See `SQLITE_DBCONFIG_DEFENSIVE`
    /// (sqlite.org/c3ref/c_dbconfig_defensive.html).
    func setDefensive(_ isDefensive: Bool) {
        // An engine that does not know it answers with an error, and changes nothing.
        _ = strongroom_set_defensive(pointer, isDefensive ? 1 : 0)
    }

    func writingSchema<T>(_ work: () throws -> T) throws -> T {
        setDefensive(false)
        defer { setDefensive(role != nil && role != .maker) }
        try run("PRAGMA writable_schema = ON")
        let result = Result(catching: work)
        try run("PRAGMA writable_schema = OFF")
        return try result.get()
    }

    /// Lets a writer's connection serve as a reader's, or again as the writer's.
    func change(to role: Role) throws {
        try set(["PRAGMA query_only = \(role == .reader ? "ON" : "OFF")"])
        self.role = role
        observers.first(StatementLog.self)?.role = role
    }

    /// Lets delete triggers fire for rows that are replaced, and lets triggers fire themselves.
    func allowRecursiveTriggers() throws {
        try run("PRAGMA recursive_triggers = ON")
    }

    /// Runs work with a page cache of another size, in bytes.
    func withPageCache(of bytes: Int, _ work: () throws -> Void) throws {
        try run("PRAGMA cache_size = -\(bytes >> 10)")
        // Only memory and the speed of later work depend on it.
        defer { try? run("PRAGMA cache_size = -\(file.pageCache >> 10)") }
        try work()
    }

    /// In bytes. A page that leaves the cache while a transaction changes it is encrypted, written and later read
    /// again; with the engine's default of 2 MB, changing rows all over an index of a few megabytes takes ten times as
    /// long.
    static let defaultPageCache = 16 << 20

    /// Bytes.
    private static let maxIdleLog = 16 << 20

    /// Changes the journal mode, such as to `WAL`; false if the file is not in that mode afterwards.
    func setJournalMode(_ mode: String) throws -> Bool {
        // The statement has to run to its end: it returns the mode before it writes the first page, which may fail.
        try ownRows("PRAGMA journal_mode = \(mode)") == [[.text(mode.lowercased())]]
    }

    func enableWriteAheadLog() throws {
        guard try setJournalMode("WAL") else {
            throw StrongroomError(
                .engine,
                "The file system does not allow a write-ahead log here; put the database on a local disk.",
                database: database
            )
        }
        try refuseZeroPagesOfLog()
    }
}

/// Frees memory for CREATE INDEX: the engine sorts all entries in memory, because temporary files would contain
/// plaintext.
extension Connection {
    /// Runs a statement that creates an index, with a small page cache.
    func withRoomForSorting(_ run: () throws -> Void) throws {
        // Writes the cached pages to the WAL. Pages in use remain cached, which does no harm. See
        // `sqlite3_db_cacheflush` (sqlite.org/c3ref/db_cacheflush.html).
        sqlite3_db_cacheflush(pointer)
        releaseMemory()
        try withPageCache(of: min(Self.cacheBesideSorting, file.pageCache), run)
    }

    /// Bytes.
    private static let cacheBesideSorting = 2 << 20
}

/// State that the layers above the engine attach to a connection, one object per type.
///
/// A connection has three of them, with different lifetimes: `Connection.attachments` lives until the connection is
/// closed, ``StatementCache/attachments`` until the user's statements are prepared again, and
/// ``TransactionContext/attachments`` until the transaction ends or a part of it is rolled back.
struct Attachments {
    // Few enough that a linear search costs less than hashing.
    private var objects: [(type: ObjectIdentifier, object: AnyObject)] = []

    subscript<Object: AnyObject>(type: Object.Type) -> Object? {
        get {
            for entry in objects where entry.type == ObjectIdentifier(type) { return entry.object as? Object }
            return nil
        }
        set {
            let index = objects.firstIndex { $0.type == ObjectIdentifier(type) }
            switch (index, newValue) {
            case (let index?, let object?): objects[index].object = object
            case (let index?, nil): objects.remove(at: index)
            case (nil, let object?): objects.append((ObjectIdentifier(type), object))
            case (nil, nil): break
            }
        }
    }

    /// The object of a type, created if there is none.
    mutating func object<Object: AnyObject>(_ make: @autoclosure () -> Object) -> Object {
        if let object = self[Object.self] { return object }
        let object = make()
        self[Object.self] = object
        return object
    }
}
