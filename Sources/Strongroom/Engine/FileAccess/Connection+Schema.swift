/// Queries of the engine's schema table, `sqlite_master`.
extension Connection {
    enum SchemaKind: String {
        case table, view, index
    }

    /// The SQL text of an entry of the file; nil if there is none, or one without a text.
    func schemaText(of kind: SchemaKind = .table, _ name: String) throws -> String? {
        try ownValue(
            "SELECT sql FROM main.sqlite_master WHERE type = '\(kind.rawValue)' AND name = ? COLLATE NOCASE",
            .text(name))?.asText
    }

    /// Whether the file, or an attached one, has a table; a view is none.
    func hasTable(_ name: String, in schema: String = "main") throws -> Bool {
        try ownValue(
            "SELECT 1 FROM \(schema).sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE", .text(name))
            != nil
    }

    func schemaNames(
        of kind: SchemaKind = .table, where condition: String = "1", _ value: SQLValue? = nil
    ) throws -> [String] {
        let query = "SELECT name FROM main.sqlite_master WHERE type = '\(kind.rawValue)' AND \(condition)"
        return try withOwnStatement(query, value.map { [$0] } ?? []) { statement in
            var names: [String] = []
            while try statement.step() { names.append(try Row(statement).text(at: 0)) }
            return names
        }
    }

    func readSchema() throws { _ = try ownValue("SELECT count(*) FROM sqlite_master") }

    // MARK: Length

    /// The number of pages of the database in the connection's snapshot.
    func pageCount() throws -> Int { try pageNumber("page_count") }

    /// The length of the database in the connection's snapshot, in bytes: the engine reads the missing part of a
    /// truncated last page as zeros.
    func databaseLength() throws -> Int64 { try Int64(pageCount()) * Int64(pageNumber("page_size")) }

    private func pageNumber(_ setting: String) throws -> Int {
        if let number = try numberIfReported("PRAGMA main.\(setting)") { return Int(number) }
        throw StrongroomError(
            .engine, "SQLCipher does not report the number of pages of the file.", database: database)
    }
}

/// Changes of the schema by other programs while the file is open, such as the migration by a newer program.
///
/// The engine compares the number of the schema at the first step of each statement, and prepares the statement again
/// if another connection has changed the schema. The first statement of a transaction is the same one each time, so
/// that noticing a change costs nothing.
extension Connection {
    /// Runs work that reads in one snapshot, as ``inSnapshot(_:)`` does, if the program knows the schema.
    func inKnownSnapshot<T>(_ body: () throws -> T) throws -> T {
        try inSnapshot {
            try requireKnownSchema()
            return try body()
        }
    }

    /// As ``requireKnownSchema()``, for a transaction that has read nothing.
    func readKnownSchema() throws {
        guard file.schemaCheck != nil else { return }
        try readFirstPage()
        try requireKnownSchema()
    }

    /// Called in a transaction that has read the first page: throws if another program has changed the schema into one
    /// that this program does not know.
    func requireKnownSchema() throws {
        // The transaction's own changes may be rolled back.
        guard file.mayHaveOtherSchema, let check = file.schemaCheck,
            !transaction.tables.changesSchema
        else { return }
        let version = try ownNumber("PRAGMA schema_version")
        if version != file.schemaVersion {
            // What their preparation has found in the file may be different now.
            if file.schemaVersion != nil { forgetUserStatements() }
            try check(self, version)
            file.schemaVersion = version
        }
        file.mayHaveOtherSchema = false
    }
}

/// Commits that other connections make, in this process or another.
extension Connection {
    struct ForeignFinding: Equatable {
        /// Whether another connection has committed since the last call.
        var isFound: Bool
        /// Whether a commit may follow that the file system reports no more: its frames are in the WAL and are not
        /// valid yet, or a lock keeps this connection from reading.
        var mayFollow: Bool
    }

    /// Records what is committed now: only later commits are found.
    func recordDataVersion() throws {
        file.dataVersion = try dataVersion()
    }

    /// Whether others have committed since the last call, or since ``recordDataVersion()``; true in the first call
    /// without either. In a transaction, commits from before its beginning.
    ///
    /// The engine's counter does not count this connection's commits. See SQLite's documentation, "PRAGMA data_version"
    /// (sqlite.org/pragma.html).
    func findForeignCommits() throws -> ForeignFinding {
        // Before the counter is read: a commit that becomes valid in between is found by it.
        let mayFollow = try !isInTransaction && hasUnpublishedCommit()
        do {
            let version = try withoutWaiting { try dataVersion() }
            defer { file.dataVersion = version }
            return ForeignFinding(isFound: version != file.dataVersion, mayFollow: mayFollow)
        } catch let error as StrongroomError where error.code == .busy {
            return ForeignFinding(isFound: false, mayFollow: true)
        }
    }

    /// As ``findForeignCommits()``, while no other connection writes: no commit follows unless the file is written
    /// again.
    func findForeignCommitsLockingOut() throws -> ForeignFinding {
        // Otherwise a lock is never granted, and commits are waited for.
        guard !isReadOnly, isWriter else { return try findForeignCommits() }
        do {
            try withoutWaiting { try run(.beginImmediate) }
        } catch let error as StrongroomError where error.code == .busy {
            return ForeignFinding(isFound: false, mayFollow: true)
        }
        defer { try? run(.rollback) }
        return try findForeignCommits()
    }

    private func dataVersion() throws -> Int64 {
        guard case .integer(let version) = try ownValue("PRAGMA data_version") else {
            throw StrongroomError(.engine, "The engine does not report the data version.", database: database)
        }
        return version
    }

    private func withoutWaiting<T>(_ body: () throws -> T) rethrows -> T {
        let before = waiting.timeout
        waiting.timeout = 0
        defer { waiting.timeout = before }
        return try body()
    }
}
