import Logging

/// The way from a configuration to an open store; the steps in the order in which they run.
struct StoreOpening: Sendable {
    let name: DatabaseName
    let configuration: any Configuration
    private(set) var file: DatabaseFile
    let settings: StoreSettings
    /// Whether the settings' snapshots are kept.
    var keepsSnapshots = true
    let logger: Logger?
    var migrator: Migrator?
    /// Oldest first.
    let ciphers: [CipherSettings]
    let protection: KeyProtection

    private static let lockPause = Duration.milliseconds(20)

    /// - Parameter settings: What the configuration has answered already.
    init(_ name: DatabaseName, _ configuration: any Configuration, _ settings: StoreSettings? = nil) throws {
        self.name = name
        self.configuration = configuration
        self.settings = settings ?? configuration.settings(for: name)
        var logger = configuration.logger(for: name)
        logger?[metadataKey: "database"] = .string(name.fileName)
        self.logger = logger
        migrator = try configuration.migrator(for: name)
        try migrator?.check()
        ciphers = try configuration.cipherSettings(for: name)
        protection = configuration.keyProtection(for: name)
        try Self.check(ciphers, of: name)
        let wanted = try Self.path(of: name, configuration)
        let directory = FileSystem.directory(of: wanted)
        let isReadOnly = self.settings.isReadOnly
        if !isReadOnly { try FileSystem.createDirectories(directory) }
        let isThere = try FileStatus.at(directory) != nil
        let path = isThere ? try FileSystem.resolve(wanted) : wanted
        file = DatabaseFile(
            path: path,
            name: name.fileName,
            busyTimeout: Int(clamping: self.settings.busyTimeout.milliseconds),
            log: StatementLog.Settings(logger, slow: self.settings.slowStatement),
            hasRecursiveTriggers: self.settings.recursiveTriggers,
            isReadOnly: isReadOnly
        )
    }

    var path: String { file.path }

    /// Opens the file.
    ///
    /// - Returns: The connection that was proved, what further ones are keyed with, and what was done.
    mutating func run() async throws -> (writer: Connection, key: FileKey, report: OpenReport) {
        try await settings.isReadOnly ? runToRead() : runToWrite()
    }

    private func runToWrite() async throws -> (writer: Connection, key: FileKey, report: OpenReport) {
        let start = ContinuousClock.now
        let lock = try await takeLock()
        try file.requireOwnCompanions()
        let content = try FileContent.of(path)
        let chain = try await keyChain()
        let stop = CancellationFlag()
        let opened = try await stop.running {
            var report = Progress(start: start)
            var (keys, choice) = try choose(chain, content, stop, &report)
            do {
                // Found before anything is written: a file of a newer program is refused as it is.
                let plan = try report.migration == nil ? migrator?.plan(for: choice.connection) : nil
                try rotate(&choice, &keys, content, &report)
                let writer = try writer(choice)
                guard !writer.hasMoved else { throw movedMeanwhile }
                try writer.configure(as: .writer, of: file)
                try file.removeSpentJournal()
                try migrate(writer, plan, stop, &report, key: choice.derived)
                return (writer, keys.key(choice), report.finished(choice, chain))
            } catch let error as StrongroomError {
                throw error.diagnosed(file, key: choice.place, of: chain.count, choice.derived?.settings)
            }
        }
        lock.release()
        return opened
    }

    func keyChain() async throws -> KeyChain {
        do {
            return try await configuration.keyChain(for: name)
        } catch let error as StrongroomError {
            throw error.diagnosed(file, isOfFile: false)
        }
    }

    /// The path as the configuration gives it; links in it are not followed yet.
    static func path(of name: DatabaseName, _ configuration: any Configuration) throws -> String {
        let path = try configuration.filePath(for: name) ?? DefaultPath.path(for: name)
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw StrongroomError(
                .invalidName,
                "The configuration gives the path \"\(path)\"; give one that begins with \"/\".",
                database: name.fileName
            )
        }
        return path
    }

    static func check(_ ciphers: [CipherSettings], of name: DatabaseName) throws {
        guard !ciphers.isEmpty else {
            throw StrongroomError(
                .cipherSettings,
                """
                The configuration gives no cipher settings; give at least one, such as `CipherSettings.engineDefault()`.
                """,
                database: name.fileName
            )
        }
        for (place, cipher) in ciphers.enumerated() {
            guard let defect = try cipher.defect() else { continue }
            throw StrongroomError(
                .cipherSettings,
                "Cipher settings \(place + 1) of the configuration cannot be used: \(defect).",
                database: name.fileName
            )
        }
    }

    /// Remembers the file as it is now, to be asked for when nobody else is opening it: what is read counts only as
    /// long as it stays so.
    mutating func noteFile() throws {
        file.baseline = try FileBaseline.at(path)
    }

    /// Keeps other processes from opening the file.
    func takeLock() async throws -> FileLock {
        let path = FileSystem.companion(of: path, "lock")
        if let lock = try await Self.takeLock(path, of: self.path, within: settings.openTimeout) { return lock }
        throw StrongroomError(
            .locked,
            """
            Another process has been opening "\(self.path)" for longer than \(settings.openTimeout). Wait for it to \
            finish, or end it; then open again.
            """,
            database: name.fileName
        )
    }

    /// Tries once to keep other processes from opening the file.
    ///
    /// - Returns: The lock; nil when another process has it.
    func tryLock() throws -> FileLock? {
        try FileLock.take(FileSystem.companion(of: path, "lock"), of: path)
    }

    /// How long a lock is waited for that nobody should have: a process that is being started has for a moment what the
    /// one has that starts it.
    static let startOfAProcess = FileHolders.startOfAProcess

    /// Waits for a lock between processes.
    ///
    /// - Parameters:
    ///   - path: The lock file.
    ///   - file: What it belongs to.
    ///   - patience: How long it is waited for.
    /// - Returns: The lock; nil when somebody else has held it all the time.
    static func takeLock(
        _ path: String, of file: String, within patience: Duration = startOfAProcess
    ) async throws -> FileLock? {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try FileLock.take(path, of: file) { return lock }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: lockPause)
        }
    }

    /// The connection that was proved if it can write, otherwise a fresh one.
    private func writer(_ choice: KeyChoice) throws -> Connection {
        guard choice.connection.isReadOnly else { return choice.connection }
        return try file.connect(.existing, key: choice.derived)
    }
}

extension StoreOpening {
    /// What the steps tell the report.
    struct Progress {
        let start: ContinuousClock.Instant
        var outcome = OpenReport.Outcome.opened
        var migration: MigrationReport?
        var rotation: RotationReport?
        var rotationFailure: StrongroomError?
        var keyDuration = Duration.zero
        var migrationDuration = Duration.zero

        func finished(_ choice: KeyChoice, _ chain: KeyChain) -> OpenReport {
            OpenReport(
                outcome: outcome,
                key: choice.place.map { KeyUse(place: $0, count: chain.count) },
                migration: migration,
                rotation: rotation,
                rotationFailure: rotationFailure,
                keyDuration: keyDuration,
                migrationDuration: migrationDuration,
                duration: ContinuousClock.now - start
            )
        }
    }

    private func choose(
        _ chain: KeyChain, _ content: FileContent, _ stop: CancellationFlag, _ report: inout Progress
    ) throws -> (FileKeys, KeyChoice) {
        let start = ContinuousClock.now
        defer { report.keyDuration = ContinuousClock.now - start - report.migrationDuration }
        try EnvelopeFile(databasePath: path, name: file.name).removeLeftovers()
        if content != .absent {
            try removeSecondName()
            try Rotation.removeLeftovers(of: path)
        }
        try removeUnfinishedCopies()
        switch content {
        case .absent:
            report.outcome = .created
            guard try !file.hasLog() else { throw logWithoutFile }
            var keys = try fileKeys(chain, salt: nil)
            let choice = try create(&keys, stop, &report)
            return (keys, choice)
        case .plaintext, .encrypted:
            return try chooseExisting(chain, content)
        }
    }

    /// The key that opens a file which is there.
    func chooseExisting(_ chain: KeyChain, _ content: FileContent) throws -> (FileKeys, KeyChoice) {
        switch content {
        case .absent:
            throw DatabaseFile.missing(path, name.fileName)
        case .plaintext(let size):
            guard chain.opensPlaintext else { throw plaintextFound() }
            return (try fileKeys(chain, salt: nil), try KeyChoice.plaintext(file, in: chain, size: size))
        case .encrypted(let salt, let size):
            guard !chain.isPlaintext else { throw encryptedFound() }
            let keys = try fileKeys(chain, salt: salt)
            return (keys, try keys.find(salt: salt, size: size))
        }
    }

    /// What opens the file; takes the derivation of a passphrase when there is an envelope.
    func fileKeys(_ chain: KeyChain, salt: [UInt8]?) throws -> FileKeys {
        try FileKeys(file, chain, ciphers, protection, salt: salt)
    }

    private func migrate(
        _ connection: Connection, _ plan: Migrator.Plan?, _ stop: CancellationFlag, _ report: inout Progress,
        key: DerivedKey? = nil
    ) throws {
        guard let plan else { return }
        guard report.outcome == .created || settings.migration == .onOpen else { return warn(of: plan) }
        let start = ContinuousClock.now
        defer { report.migrationDuration = ContinuousClock.now - start }
        report.migration = try carryOut(
            plan, on: connection, key: report.outcome == .created ? nil : .some(key), MigrationRun(stop: stop))
    }

    /// Makes the file under another name and puts it in place when its schema is complete, so that a crash leaves
    /// either no file or a whole one.
    private func create(
        _ keys: inout FileKeys, _ stop: CancellationFlag, _ report: inout Progress
    ) throws -> KeyChoice {
        try removeLeftovers()
        // An envelope that is made for it is on the disk before the file is.
        let derived = try keys.forNewFile()
        do {
            try make(derived, stop, &report)
            try FileSystem.synchronize(FileSystem.directory(of: path))
            let connection = try file.connect(.existing, key: derived)
            try connection.proveKey()
            let place = keys.slotPlace ?? (derived == nil ? nil : keys.lastPlace)
            return KeyChoice(
                place: place, isWrapped: keys.envelope != nil, derived: derived, connection: connection)
        } catch {
            // What failed first counts.
            try? removeLeftovers()
            throw error
        }
    }

    private func make(_ derived: DerivedKey?, _ stop: CancellationFlag, _ report: inout Progress) throws {
        let new = try PlainFile(making: temporary)
        try fill(new, derived, stop, &report)
        try new.synchronize()
        // Its descriptor is closed before the engine opens the file in its place, whose locks that would drop.
        try new.moveIntoPlace(path)
    }

    private func fill(
        _ new: PlainFile, _ derived: DerivedKey?, _ stop: CancellationFlag, _ report: inout Progress
    ) throws {
        var made = DatabaseFile(path: temporary, name: file.name, busyTimeout: file.busyTimeout, log: file.log)
        made.hasRecursiveTriggers = file.hasRecursiveTriggers
        let connection = try made.connect(.existing, key: derived)
        defer { connection.close() }
        try new.requireOpened(by: connection)
        // A journal would have a name that another program may take; what is not finished is thrown away.
        _ = try connection.ownValue("PRAGMA journal_mode = MEMORY")
        try connection.configure(as: .maker, of: made)
        // A file without a table would stay empty, and an empty file counts as a loss.
        try connection.inTransaction(.exclusive) {
            try connection.run("CREATE TABLE strongroom_file (created)")
            try connection.run("DROP TABLE strongroom_file")
        }
        try migrate(connection, migrator?.plan(for: connection), stop, &report)
    }

    private var temporary: String { FileSystem.companion(of: path, "new") }

    /// A crash while a new file was put in place may have left it two names.
    private func removeSecondName() throws {
        let identity = try FileSystem.requireRegular(temporary)?.identity
        guard let identity, try FileStatus.at(path)?.identity == identity else { return }
        try FileSystem.remove(temporary)
    }

    private func removeLeftovers() throws {
        try FileSystem.removeCopy(temporary)
    }

    private var logWithoutFile: StrongroomError {
        StrongroomError(
            .fileMissing,
            """
            There is no "\(path)", but beside it lies the log of a database that was there, "\(path)-wal" or \
            "\(path)-journal". Put the file back, or move the log away if a new database is to be made.
            """,
            database: name.fileName
        )
    }

    private var movedMeanwhile: StrongroomError {
        StrongroomError(
            .fileChanged,
            """
            Another program has put another file in the place of "\(path)" while it was opened. Nothing was written; \
            open it again.
            """,
            database: name.fileName
        )
    }

    /// The error for plaintext where keys were given.
    ///
    /// - Parameter place: Where it lies; nil for the database.
    func plaintextFound(at place: String? = nil) -> StrongroomError {
        StrongroomError(
            .plaintextFile,
            """
            The file "\(place ?? path)" is a plaintext database, and its configuration gives keys. Put \
            `Key.plaintext` at the beginning of the chain to have it \(file.isReadOnly ? "read" : "encrypted"), or \
            give `KeyChain.plaintext` if it is meant to be readable by anybody. The file was not touched.
            """,
            database: name.fileName
        )
    }

    /// The error for a file that is not plaintext where no key was given.
    ///
    /// - Parameter place: As for ``plaintextFound(at:)``.
    func encryptedFound(at place: String? = nil) -> StrongroomError {
        StrongroomError(
            .encryptedFile,
            """
            The file "\(place ?? path)" is no plaintext database, and its configuration gives \
            `KeyChain.plaintext`. Give the key that the file was made with. The file was not touched.
            """,
            database: name.fileName
        )
    }
}
