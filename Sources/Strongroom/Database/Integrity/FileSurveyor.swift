/// Determines the content of a file without changing it: what its pages have is read, and not checked.
struct FileSurveyor {
    let file: DatabaseFile
    let chain: KeyChain
    let ciphers: [CipherSettings]
    let protection: KeyProtection
    let migrator: Migrator?
    let countsTables: Bool
    let monitor: WorkMonitor

    /// - Throws: ``StrongroomError`` as for opening; `CancellationError`.
    func run() throws -> FileDiagnosis {
        var survey = try FileDiagnosis(surroundingsOf: file, monitor.check)
        survey.wantsEnvelope = protection == .envelope
        survey.logBytes = try FileStatus.at(file.logPath)?.size
        survey.bytes = try FileStatus.at(file.path)?.size ?? 0
        let connection = try connect(&survey)
        defer { connection.close() }
        connection.stop { monitor.isCancelled() }
        try connection.proveKey()
        readVersion(connection, &survey)
        if countsTables { try connection.inSnapshot { try readTables(connection, &survey) } }
        try monitor.check()
        return survey
    }

    private func connect(_ survey: inout FileDiagnosis) throws -> Connection {
        let content = try FileContent.of(file.path, reading: file.bytes)
        switch content {
        case .absent:
            throw StrongroomError(.fileMissing, "There is no file at \"\(file.path)\".", database: file.name)
        case .plaintext:
            survey.finding = .plaintext
            return try connect(key: nil)
        case .encrypted(let salt, _):
            guard !chain.isPlaintext else {
                throw StrongroomError(
                    .encryptedFile,
                    """
                    The file "\(file.path)" is no plaintext database, or its first bytes are damaged. Give its key; \
                    if it never had one, restore it from a backup.
                    """,
                    database: file.name)
            }
            let keys = try DatabaseKeys(file, chain, ciphers, protection, salt: salt)
            survey.wantedSettings = keys.settings
            let bytes = try file.connect(.untouched, key: nil)
            defer { bytes.close() }
            // With a WAL, the file itself may have no valid pages yet; then the engine tries the keys.
            let found = try keys.authentic(in: bytes.databaseFile(), salt: salt).map { ($0.derivedKey, $0.position) }
            let (key, position) = try found ?? unlocked(keys, content)
            survey.key = position.map { KeyUse(place: $0, count: chain.count) }
            survey.settings = key?.settings
            return try connect(key: key)
        }
    }

    private func unlocked(_ keys: DatabaseKeys, _ content: FileContent) throws -> (DerivedKey?, Int?) {
        let unlocked = try keys.unlock(content)
        defer { unlocked.connection.close() }
        return (unlocked.derivedKey, unlocked.position)
    }

    /// Without a WAL, reads the file itself and leaves no other files; with one, connects as a reader.
    private func connect(key: DerivedKey?) throws -> Connection {
        guard try FileSystem.hasWriteAheadLog(file.path) || FileSystem.hasJournal(file.path) else {
            return try file.connect(.untouched, key: key)
        }
        return try file.connectToRead(key: key) { try $0.proveKey() }
    }

    private func readVersion(_ connection: Connection, _ survey: inout FileDiagnosis) {
        do {
            survey.version = try VersionHistory(connection: connection).entries().last?.version
            // The user's migration steps are not run, not even in memory.
            guard let migrator = migrator?.whenChanged(.ignore) else { return }
            survey.plan = migrator.publicPlan(try migrator.plan(for: connection))
        } catch {
            survey.planFailure = error as? StrongroomError
        }
    }

    // MARK: Tables

    private func readTables(_ connection: Connection, _ survey: inout FileDiagnosis) throws {
        var owners: [String: String] = [:]
        var names: [String] = []
        try connection.withOwnStatement("SELECT type, name, tbl_name FROM sqlite_master") { statement in
            let row = Row(statement)
            while try statement.step() {
                let (type, name) = (try row.text(at: 0), try row.text(at: 1))
                owners[name] = try row.text(at: 2)
                if type == "table", !name.hasPrefix("sqlite_"), name != VersionHistory.table { names.append(name) }
            }
        }
        let ofLibrary = names.filter { $0.hasPrefix("strongroom_") || HistoryTable.isHistory($0, on: connection) }
        names.removeAll(where: ofLibrary.contains)
        let total = names.count
        var done = 0
        // Also within a table, which may be the only one.
        connection.stop {
            monitor.progress(WorkProgress(.checking, done, of: total, .tables))
            return monitor.isCancelled()
        }
        let sizes = try sizes(connection, owners)
        survey.libraryTables = ofLibrary.sorted().map { FileDiagnosis.Table(name: $0, rows: nil, bytes: sizes?[$0]) }
        survey.tables = try names.sorted().map { name in
            try monitor.check()
            let table = FileDiagnosis.Table(name: name, rows: try rows(of: name, connection), bytes: sizes?[name])
            done += 1
            monitor.progress(WorkProgress(.checking, done, of: total, .tables))
            return table
        }
    }

    private func rows(of table: String, _ connection: Connection) throws -> Int64? {
        do {
            guard
                case .integer(let count)? = try connection.ownValue(
                    "SELECT count(*) FROM \(Identifier.quote(table))")
            else { return nil }
            return count
        } catch let error as StrongroomError where error.code == .sql || error.code == .engine {
            return nil
        }
    }

    private func sizes(_ connection: Connection, _ owners: [String: String]) throws -> [String: Int64]? {
        guard try EngineFeatures.current().hasPageStatistics else { return nil }
        var sizes: [String: Int64] = [:]
        try connection.withOwnStatement("SELECT name, sum(pgsize) FROM dbstat GROUP BY name") { statement in
            let row = Row(statement)
            while try statement.step() {
                let name = try row.text(at: 0)
                sizes[owners[name] ?? name, default: 0] += try row.integer(at: 1)
            }
        }
        return sizes
    }
}
