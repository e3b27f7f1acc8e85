/// Determines the state of a file, from its own bytes and without writing anything.
///
/// The file is read through a connection that ignores its WAL and takes no lock, so it may be open here and elsewhere,
/// and may be written meanwhile.
struct FileExamination {
    let file: DatabaseFile
    let monitor: WorkMonitor

    /// The keys and cipher settings to try, and the file's migrator.
    struct Keys {
        let chain: KeyChain
        let ciphers: [CipherSettings]
        let protection: KeyProtection
        let migrator: Migrator?
    }

    /// The number of times that a page that seems damaged is read again, because others may be writing the file.
    private static let readings = 3
    /// The maximum number of cancellation checks, one about every 10,000 virtual machine steps.
    private static let maxChecks = 1_000

    /// - Parameter keys: Nil if there are none.
    /// - Throws: `CancellationError`; ``StrongroomError`` if the file cannot be read for a reason that a diagnosis does
    ///   not report.
    func run(_ keys: Keys?) throws -> FileDiagnosis {
        var diagnosis = FileDiagnosis(path: file.path, finding: .unexamined)
        do {
            diagnosis = try FileDiagnosis(surroundingsOf: file, monitor.check)
            let status = try FileStatus.at(file.path)
            diagnosis.bytes = status?.isRegularFile == true ? status?.size ?? 0 : 0
            try file.requireOwnSideFiles()
            switch try FileContent.of(file.path, reading: file.bytes) {
            case .absent: diagnosis.finding = .absent
            case .plaintext: try examinePlaintext(keys?.migrator, &diagnosis)
            case .encrypted(let salt, _): try examine(salt, keys, &diagnosis)
            }
        } catch let error as StrongroomError {
            guard let finding = FileDiagnosis.Finding(error, of: file) else { throw error }
            (diagnosis.finding, diagnosis.reason) = (finding, error.message)
        }
        withholdFindingsOfUnreadLog(&diagnosis)
        try examineLog(&diagnosis)
        try monitor.check()
        return diagnosis
    }

    /// Transactions in the WAL that opening would drop are more important than defects of the file without the WAL.
    private func examineLog(_ diagnosis: inout FileDiagnosis) throws {
        guard diagnosis.hasLog, Self.findingsBesideALog.contains(diagnosis.finding) else { return }
        let scan = try withBytes(key: nil) { bytes, _ in try file.scanLog(bytes) }
        guard let scan, let damage = scan.damage else { return }
        diagnosis.reason = file.damagedLog(damage, kept: scan.soundCommits).message
        diagnosis.finding = .damagedLog
    }

    private static let findingsBesideALog: Set<FileDiagnosis.Finding> = [
        .plaintext, .wrongKey, .truncated, .damaged, .newerSchema, .intact, .unexamined,
    ]

    /// The WAL of a killed or running program may contain the intact form of a damaged page.
    private func withholdFindingsOfUnreadLog(_ diagnosis: inout FileDiagnosis) {
        // It may have been created while the file was read; if it cannot be examined, it is assumed to exist.
        diagnosis.hasLog = diagnosis.hasLog || (try? file.hasLog()) ?? true
        guard diagnosis.hasLog, [.wrongKey, .truncated, .damaged].contains(diagnosis.finding) else { return }
        diagnosis.reason = """
            The finding for the file without its log: \(diagnosis.finding.text). But its log may contain what is \
            missing. Open the file, or a copy of it with its log, which recovers the log; then check again.
            """
        diagnosis.finding = .unexamined
    }

    private func examinePlaintext(_ migrator: Migrator?, _ diagnosis: inout FileDiagnosis) throws {
        diagnosis.finding = .plaintext
        try withBytes(key: nil) { _, connection in readVersion(connection, migrator, &diagnosis) }
    }

    private func examine(_ salt: [UInt8], _ keys: Keys?, _ diagnosis: inout FileDiagnosis) throws {
        guard let keys, !keys.chain.isPlaintext else {
            diagnosis.finding = .keyless
            return
        }
        let databaseKeys: DatabaseKeys
        do {
            databaseKeys = try DatabaseKeys(file, keys.chain, keys.ciphers, keys.protection, salt: salt)
        } catch let error as StrongroomError where error.code != .wrongKey {
            // A defect or missing permission of the envelope does not apply to the file.
            (diagnosis.finding, diagnosis.reason) = (.envelope, error.message)
            return
        }
        let found = try withBytes(key: nil) { bytes, _ in try databaseKeys.authentic(in: bytes, salt: salt) }
        guard let found else {
            diagnosis.finding = .wrongKey
            if databaseKeys.envelope != nil {
                diagnosis.reason = databaseKeys.dataKeyOfAnotherTime.message
            } else if keys.protection == .envelope {
                diagnosis.reason = databaseKeys.neitherKeyNorEnvelope.message
            }
            return
        }
        diagnosis.key = found.position.map { KeyUse(position: $0, count: keys.chain.count) }
        diagnosis.settings = found.key.settings
        diagnosis.finding = .intact
        try withBytes(key: found.key) { bytes, connection in
            try examinePages(bytes, PageCipher(found.key), connection, &diagnosis)
            guard diagnosis.finding == .intact else { return }
            readVersion(connection, keys.migrator, &diagnosis)
        }
    }

    private func withBytes<T>(key: DerivedKey?, _ work: (EngineFile, Connection) throws -> T) throws -> T {
        let connection = try file.connect(.untouched, key: key)
        defer { connection.close() }
        return try work(connection.databaseFile(), connection)
    }

    // MARK: Pages

    private func examinePages(
        _ bytes: EngineFile, _ cipher: PageCipher, _ connection: Connection, _ diagnosis: inout FileDiagnosis
    ) throws {
        let verifier = try PageVerifier(closed: bytes, cipher)
        let present = Int(try bytes.size() / Int64(cipher.layout.pageSize))
        var damaged = try verifier.damagedPages { done in
            try monitor.report(.checking, done, of: verifier.count, .pages)
        }
        diagnosis.pages = verifier.count
        // Pages at the end may be in the WAL only.
        if !diagnosis.hasLog { diagnosis.missingPages = max(0, verifier.count - present) }
        damaged.removeAll { $0 > present }
        for _ in 1..<Self.readings where !damaged.isEmpty {
            // Excludes pages that were being written while they were read.
            damaged = try damaged.filter { try verifier.contents.content(of: $0) == nil }
        }
        guard diagnosis.missingPages == 0, damaged.isEmpty else {
            diagnosis.finding = diagnosis.missingPages > 0 ? .truncated : .damaged
            diagnosis.damagedPages = try verifier.contents.owners(
                of: damaged, (try? connection.allSchemaEntries()) ?? [], checkCancellation: monitor.check)
            return
        }
    }

    // MARK: Schema

    /// What cannot be read is omitted, because another process may be writing.
    private func readVersion(_ connection: Connection, _ migrator: Migrator?, _ diagnosis: inout FileDiagnosis) {
        // Reading a malicious schema may never end.
        connection.stop(after: Self.maxChecks) { monitor.isCancelled() }
        do {
            diagnosis.version = try VersionHistory(connection: connection).entries().last?.version
        } catch let error as StrongroomError where [.newerSchema, .notSupported].contains(error.code) {
            if diagnosis.finding == .intact { diagnosis.finding = .newerSchema }
            diagnosis.reason = error.message
            return
        } catch {
            diagnosis.version = nil
        }
        guard let migrator else { return }
        do {
            // The user's migration steps are not run, not even in memory.
            diagnosis.pendingVersions = try migrator.whenChanged(.ignore).plan(for: connection).applies
        } catch let error as StrongroomError where error.code == .newerSchema {
            (diagnosis.finding, diagnosis.reason) = (.newerSchema, error.message)
        } catch {
            diagnosis.reason = (error as? StrongroomError)?.message
        }
    }
}

extension FileDiagnosis {
    /// The files beside the database and the processes that have it open.
    init(surroundingsOf file: DatabaseFile, _ checkCancellation: () throws -> Void = {}) throws {
        self.init(path: file.path, finding: .unexamined)
        let envelope = EnvelopeFile(databasePath: file.path, name: file.name)
        // A file that cannot be examined is assumed to exist; opening reports the reason.
        hasEnvelope = (try? envelope.exists()) ?? true
        hasLog = (try? file.hasLog()) ?? true
        plaintextLeft = try? Rotation.plaintextLeft(of: file.path)
        isDirectoryShared = (try? FileSystem.isShared(directory: FileSystem.directory(of: file.path))) ?? false
        holders = try FileHolders.staying(file.path, whenWaiting: checkCancellation).map {
            Holder(process: $0, name: FileHolders.name(of: $0))
        }
    }

    /// The facts that are known without examining the pages of a file that could not be opened.
    ///
    /// - Parameter isOfFile: Whether the file caused the failure, and not its configuration.
    init(of file: DatabaseFile, after error: StrongroomError, isOfFile: Bool) {
        // If the files beside it cannot be examined, only the path is known.
        self = (try? FileDiagnosis(surroundingsOf: file)) ?? FileDiagnosis(path: file.path, finding: .unexamined)
        reason = error.message
        let status = try? FileStatus.at(file.path)
        if let status, status.isRegularFile { bytes = status.size }
        guard isOfFile, let found = Finding(error, of: file) else { return }
        switch found {
        // Determines whether the error is about this file or one beside it.
        case .absent where status != nil: break
        case .unreadable where FileSystem.isReadable(file.path): break
        default: finding = found
        }
    }
}

extension FileDiagnosis.Finding {
    /// The finding that an error about a file implies; nil if it implies none.
    fileprivate init?(_ error: StrongroomError, of file: DatabaseFile) {
        switch error.code {
        case .fileMissing: self = .absent
        case .notAFile: self = (try? FileStatus.at(file.path))?.isRegularFile == true ? .sideFile : .notAFile
        case .permissionDenied: self = .unreadable
        case .emptyFile: self = .empty
        case .notADatabase: self = .tooShort
        case .plaintextFile: self = .plaintext
        case .plaintextHeader: self = .plaintextHeader
        case .encryptedFile: self = .keyless
        case .wrongKey: self = .wrongKey
        case .envelopeMissing, .envelopeDamaged, .newerEnvelope, .foreignEnvelope: self = .envelope
        case .truncated: self = .truncated
        case .damaged: self = .damaged
        case .damagedLog: self = .damagedLog
        case .newerSchema, .notSupported: self = .newerSchema
        default: return nil
        }
    }
}

/// The content of a file, which is read without changing it, and not checked.
extension FileExamination {
    /// - Parameter countsTables: Whether to count rows, which reads the entire file.
    func survey(_ keys: Keys, countsTables: Bool) throws -> FileDiagnosis {
        var survey = try FileDiagnosis(surroundingsOf: file, monitor.check)
        survey.wantsEnvelope = keys.protection == .envelope
        survey.logBytes = try FileStatus.at(file.logPath)?.size
        survey.bytes = try FileStatus.at(file.path)?.size ?? 0
        let (connection, dataKey) = try connect(keys, &survey)
        defer { connection.close() }
        connection.stop { monitor.isCancelled() }
        try connection.proveKey()
        do {
            if let dataKey {
                survey.dataKeyDate = try connection.inSnapshot { try connection.recorded(dataKey)?.date() }
            }
            survey.version = try VersionHistory(connection: connection).entries().last?.version
            // The user's migration steps are not run, not even in memory.
            if let migrator = keys.migrator?.whenChanged(.ignore) {
                survey.plan = try migrator.plan(for: connection)
            }
        } catch {
            survey.planFailure = error as? StrongroomError
        }
        if countsTables { try connection.inSnapshot { try readTables(connection, &survey) } }
        try monitor.check()
        return survey
    }

    /// - Returns: A connection, and the data key of the file; nil if it has none.
    private func connect(_ keys: Keys, _ survey: inout FileDiagnosis) throws -> (Connection, DataKeys?) {
        let content = try FileContent.of(file.path, reading: file.bytes)
        switch content {
        case .absent:
            throw file.missing
        case .plaintext:
            survey.finding = .plaintext
            return (try connect(key: nil), nil)
        case .encrypted(let salt, _):
            guard !keys.chain.isPlaintext else {
                throw StrongroomError(
                    .encryptedFile,
                    """
                    The file "\(file.path)" is no plaintext database, or its first bytes are damaged. Give its key; \
                    if it never had one, restore it from a backup.
                    """,
                    database: file.name)
            }
            let databaseKeys = try DatabaseKeys(file, keys.chain, keys.ciphers, keys.protection, salt: salt)
            survey.wantedSettings = databaseKeys.settings
            survey.keySlots = databaseKeys.envelope?.keySlots ?? []
            // With a WAL, the file itself may have no valid pages yet; then the engine tries the keys.
            let found = try withBytes(key: nil) { bytes, _ in try databaseKeys.authentic(in: bytes, salt: salt) }
            var (key, position) = (found?.key, found?.position)
            if key == nil {
                let unlocked = try databaseKeys.unlock(content)
                unlocked.connection.close()
                (key, position) = (unlocked.derivedKey, unlocked.position)
            }
            survey.key = position.map { KeyUse(position: $0, count: keys.chain.count) }
            survey.settings = key?.settings
            let dataKey = try key.flatMap { try databaseKeys.envelope?.dataKey(of: $0) }
            return (try connect(key: key), dataKey)
        }
    }

    /// Without a WAL, reads the file itself and leaves no other files; with one, connects as a reader.
    private func connect(key: DerivedKey?) throws -> Connection {
        guard try FileSystem.hasWriteAheadLog(file.path) || FileSystem.hasJournal(file.path) else {
            return try file.connect(.untouched, key: key)
        }
        return try file.connectToRead(key: key) { try $0.proveKey() }
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
            return try connection.ownNumber("SELECT count(*) FROM \(Identifier.quote(table))")
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
