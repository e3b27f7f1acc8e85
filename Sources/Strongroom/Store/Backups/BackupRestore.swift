import Foundation

/// Restores a backup, a migration backup or the state of a replica; the caller holds the lock between processes, and
/// this process has no connection to the file.
struct BackupRestore {
    let context: StoreContext
    let chain: KeyChain
    let backup: String
    /// The keys of the backup; nil for the keys of the database.
    var backupKeys: KeyChain?
    var allowsPlaintext = false
    let monitor: WorkMonitor
    /// Whether it is a migration backup of the database: it has one of the database's keys, and the next opening may
    /// migrate it. A defect of its structure is that of the database, which it is to replace.
    var isOfMigration = false
    /// The other database that the backup may be of.
    var previousName: DatabaseName?
    /// The backup, if it was written to ``rawPath(of:)`` instead of being copied there.
    var written: PlainFile?
    /// The envelope of the backup that was written.
    var storedEnvelope: [UInt8]?

    /// The path of the unchanged copy.
    static func rawPath(of path: String) -> String { FileSystem.hiddenFile(of: path, "restoring") }

    /// The path of the unchanged copy, and of the one that is rewritten with another key.
    private var rawPath: String { Self.rawPath(of: context.path) }
    private var copyPath: String { FileSystem.hiddenFile(of: context.path, "restored") }

    func run() throws -> BackupReport {
        let start = ContinuousClock.now
        if written == nil { try requireOtherFile() }
        let found = try inspect()
        var (content, keys) = try judging {
            let content = try FileContent.of(context.path)
            return (content, try context.databaseKeys(chain, salt: content.salt))
        }
        let hasEnvelope = keys.envelope != nil
        let takesOver = !hasEnvelope && backupKeys == nil && (content == .absent || written != nil)
        let envelopes = try openEnvelopes(found)
        if written == nil { try removeLeftovers() }
        do {
            let raw = try written ?? copyBytes()
            let (contentOfBackup, finished) = try make(found, &keys, envelopes, raw, takesOver: takesOver)
            // The last point at which it can be cancelled.
            try monitor.check()
            let lost = try keepAttributes(of: finished)
            try finished.requireName(finished.path)
            var report = try BackupReport(finished.path, as: context.path, contentOfBackup, since: start)
            report.attributesNotKept = lost
            let replaceFile = { [keys] in try replace(with: finished.path, content, keys) }
            if !hasEnvelope, let envelope = keys.envelope {
                try keys.envelopeFile.publish(envelope.bytes, with: finished, rename: replaceFile)
                context.keyEvents?.envelopeChanged(from: nil, to: envelope)
            } else {
                try replaceFile()
            }
            // Leftovers are also removed at the next opening.
            try? removeLeftovers()
            return report
        } catch {
            try? removeLeftovers()
            throw (error as? StrongroomError)?.code == .interrupted ? CancellationError() : error
        }
    }

    private var envelopeFile: EnvelopeFile { EnvelopeFile(databasePath: backup, name: context.file.name) }

    /// The envelopes of the backup that its keys open, newest first.
    private func openEnvelopes(_ found: FileContent) throws -> [OpenEnvelope] {
        guard let salt = found.salt else { return [] }
        guard written == nil else {
            let envelopeFile = EnvelopeFile(databasePath: context.path, name: context.file.name)
            return try storedEnvelope.flatMap { try envelopeFile.opened(stored: $0, with: chain) }.map { [$0] } ?? []
        }
        return try envelopeFile.all(with: backupKeys ?? chain, salt: salt)
            .sorted { $0.sealed.generation > $1.sealed.generation }
    }

    private func removeLeftovers() throws {
        for path in [rawPath, copyPath] { try FileSystem.removeCopy(path) }
    }

    /// Throws if the backup has the path of one of the copies, which are removed first.
    private func requireOtherFile() throws {
        let identity = try FileStatus.at(backup)?.identity
        for path in [rawPath, copyPath] {
            let isBackup = try path == backup || identity != nil && FileStatus.at(path)?.identity == identity
            guard isBackup else { continue }
            throw StrongroomError(
                .invalidName,
                """
                "\(backup)" has the name of a leftover of an interrupted restore, which the next restore removes. Move \
                it to another name, then try again; nothing was changed.
                """)
        }
    }

    private func inspect() throws -> FileContent {
        let found = try FileContent.of(backup)
        guard found != .absent else { throw gone }
        try requireNoLog()
        var isPlaintext = chain.isPlaintext
        if case .plaintext = found {
            isPlaintext = true
            guard !isOfMigration || chain.opensPlaintext else { throw context.plaintextFound(at: backup) }
            if isOfMigration, !chain.isPlaintext { try context.file.requireNeverEncrypted(at: backup) }
        }
        guard !isPlaintext || allowsPlaintext || isOfMigration else {
            let what = chain.isPlaintext ? "The database that is restored would be" : "The backup \"\(backup)\" is"
            throw StrongroomError(
                .plaintextFile,
                "\(what) plaintext. If that is intended, allow it with `allowingPlaintext`. Nothing was changed.")
        }
        return found
    }

    private func requireNoLog() throws {
        guard try context.file.copy(at: backup).hasLog() else { return }
        throw StrongroomError(
            .locked,
            """
            "\(backup)" has a log, so it is in use, or not a finished backup. Open and close it with the program that \
            it belongs to, then try again.
            """)
    }

    /// Throws if another process has the backup open: concurrent writes could be copied partially.
    private func requireNotOpen() throws {
        let holders = try FileHolders.lasting {
            try FileHolders.withOpenFile(backup)
        } whenWaiting: {
            try monitor.check()
        }
        guard !holders.isEmpty else { return }
        throw StrongroomError(
            .locked,
            """
            The backup "\(backup)" is open in \(FileHolders.describe(holders)), which may be writing it. Close it \
            there, then try again; nothing was changed.
            """)
    }

    private func copyBytes() throws -> PlainFile {
        try requireNotOpen()
        guard let status = try FileStatus.at(backup) else { throw gone }
        // The copy of a migration backup replaces the database, unless it is rewritten, which asks for itself.
        let copies: Int64 = isOfMigration ? 1 : 2
        try FreeSpace.require(copies * status.size + FreeSpace.margin, at: context.path, for: "Restoring")
        let raw = try PlainFile(creating: rawPath)
        try PlainFile.copy(backup, to: raw, followsLinks: !isOfMigration) {
            try monitor.report(.writing, 0, of: status.size)
        }
        try requireNoLog()
        guard try FileStatus.at(backup) == status else {
            throw StrongroomError(
                .locked,
                """
                The backup "\(backup)" was changed while it was copied, so it is not finished. Wait until it is, then \
                try again; nothing was changed.
                """)
        }
        return raw
    }

    private var gone: StrongroomError {
        StrongroomError(.fileMissing, "There is no backup at \"\(backup)\". Check the path.")
    }

    /// Makes the file that replaces the database from the copied bytes.
    ///
    /// - Parameters:
    ///   - keys: The keys of the database; they get the envelope of the backup if that is taken over.
    ///   - takesOver: Whether the database gets the envelope of the backup.
    /// - Returns: What was found in it, and the file.
    private func make(
        _ found: FileContent, _ keys: inout DatabaseKeys, _ envelopes: [OpenEnvelope], _ bytes: PlainFile,
        takesOver: Bool
    ) throws -> (CheckedCopy.Content, PlainFile) {
        // The connections that check it may meet when one of them opens or closes a file in WAL mode.
        let raw = context.file.copy(at: rawPath, busyTimeout: 5_000)
        var unlocked = try unlock(raw, found, keys, envelopes)
        defer { unlocked.connection.close() }
        if !isOfMigration { try requireKnownSchema(unlocked.connection) }
        if try !isOfMigration && isOfOtherName(unlocked.connection) {
            unlocked.connection.close()
            try recordName(in: raw, unlocked.derivedKey)
            unlocked = try unlock(raw, FileContent.of(rawPath), keys, envelopes)
        }
        var isKept = chain.isPlaintext
        if let derived = unlocked.derivedKey {
            // The file may not have the data key of its envelope yet.
            if takesOver { keys.envelope = try envelopes.first { try $0.contains(derived) } ?? envelopes.first }
            let isEnvelopeKey = unlocked.position.map { $0 < envelopes.flatMap(\.fileKeys).count } ?? false
            let isWrapped = try keys.envelope?.contains(derived) ?? false
            isKept = backupKeys == nil && (isWrapped || !isEnvelopeKey) && context.ciphers.contains(derived.settings)
            // An envelope belongs to the salt of the file that it was created for.
            if let envelope = keys.envelope { isKept = isKept && found.salt == envelope.databaseSalt }
        }
        guard !isKept else {
            let rowCounts = try check(raw, unlocked, bytes)
            unlocked.connection.close()
            try bytes.synchronize()
            return (CheckedCopy.Content(rowCounts: rowCounts), bytes)
        }
        try checkPages(unlocked.derivedKey)
        if let new = try keys.newEnvelope(salt: nil) {
            try unlocked.connection.record(DataKeyRecord(new.dataKeys, date: .now))
            keys.envelope = new
        }
        let salt = keys.envelope?.databaseSalt
        let to = try keys.wantedKey.map { key in
            try DerivedKey(key, salt: salt ?? key.salt ?? CipherSettings.randomSalt(), settings: keys.settings)
        }
        let copy = CheckedCopy(
            file: raw, from: unlocked.derivedKey, to: to, path: copyPath, monitor: monitor,
            structure: isOfMigration ? .none : .required(backup), countsRows: !isOfMigration)
        let result = try copy.make(from: unlocked.connection)
        return (result.content, result.file)
    }

    /// Checks the copied bytes, as they are to replace the database.
    ///
    /// - Returns: The number of rows of each table; not of a migration backup, whose structure is not checked.
    private func check(_ raw: DatabaseFile, _ unlocked: UnlockedFile, _ bytes: PlainFile) throws -> [Int64] {
        let key = unlocked.derivedKey
        let pages: SharedWork.Job = { _ in
            try checkPages(key)
            try bytes.synchronize()
        }
        guard !isOfMigration else {
            try pages { false }
            return []
        }
        let defect = try Connection.firstDefect(beside: [pages], isCancelled: monitor.isCancelled) {
            try raw.connect(.existing, key: key)
        }
        if let defect { throw StrongroomError.notIntact(backup, defect, database: context.file.name) }
        unlocked.connection.stop(when: monitor.isCancelled)
        return try unlocked.connection.inSnapshot { try unlocked.connection.rowCounts() }
    }

    private func checkPages(_ key: DerivedKey?) throws {
        guard let key else { return }
        try PageVerifier(closed: PlainFile(rawPath, followsLinks: false), PageCipher(key))
            .requireIntact(.checking, monitor) { _ in
                StrongroomError(
                    .damaged,
                    """
                    The backup "\(backup)" has damaged pages, so it was not restored; `Stores.diagnose(path:keys:)` \
                    names them. Use another backup, or recover the intact rows of this one with `salvage`.
                    """,
                    database: context.file.name)
            }
    }

    /// Throws for a database that a newer program has migrated, or that the migrator does not know: it could not be
    /// opened after the restore.
    private func requireKnownSchema(_ connection: Connection) throws {
        _ = try context.migrator?.whenChanged(.ignore).plan(for: connection)
    }

    /// Whether the backup is of the other database that was named.
    private func isOfOtherName(_ connection: Connection) throws -> Bool {
        if let previousName, context.migrator != nil,
            try connection.recordedName() == previousName.fileName
        {
            return previousName != context.name
        }
        try context.requireOwnName(
            connection, of: written == nil ? "The backup \"\(backup)\"" : "The state of the replica")
        return false
    }

    /// Records the database's name in the copy, which is checked afterwards.
    private func recordName(in raw: DatabaseFile, _ key: DerivedKey?) throws {
        let connection = try raw.connect(.existing, key: key)
        defer { connection.close() }
        try connection.recordName(context.name.fileName)
    }

    /// Finds the key of the backup, using the copy: opening a database can change it.
    private func unlock(
        _ raw: DatabaseFile, _ found: FileContent, _ keys: DatabaseKeys, _ envelopes: [OpenEnvelope]
    ) throws -> UnlockedFile {
        guard case .encrypted = found else {
            return UnlockedFile(derivedKey: nil, connection: try raw.connect(.existing, key: nil))
        }
        let candidates = envelopes.flatMap(\.fileKeys) + (backupKeys?.keys ?? keys.candidates)
        guard !candidates.isEmpty else { throw context.encryptedFound(at: backup) }
        let known = try CipherSettings.known().filter { !context.ciphers.contains($0) }
        do {
            return try DatabaseKeys(raw, trying: candidates, known + context.ciphers).unlock(found)
        } catch let error as StrongroomError where error.code == .wrongKey {
            throw try wrongKey(found, opensEnvelope: !envelopes.isEmpty)
        } catch let error as StrongroomError {
            // The copy's name says nothing to a user.
            throw StrongroomError(
                error.code, error.message.replacing(raw.path, with: backup), database: error.database,
                resultCode: error.resultCode)
        }
    }

    /// Names the keys that would open the backup, as far as its envelope says.
    private func wrongKey(_ found: FileContent, opensEnvelope: Bool) throws -> StrongroomError {
        let slots = try found.salt.map { try envelopeFile.slots(salt: $0) } ?? []
        let given =
            backupKeys == nil ? "No key of the database's chain opens" : "None of the keys that were given opens"
        let advice: String
        if isOfMigration {
            advice = """
                Add the key that the database had before the migration to the chain, at its beginning; a backup from \
                before a new data key does not open any more.
                """
        } else if opensEnvelope {
            advice = """
                Its envelope, "\(envelopeFile.path)", opens, but the data key in it is not that of the file: one of \
                the two is older than the other. Put the `.keys` file of the backup beside it.
                """
        } else if slots.isEmpty {
            advice = """
                There is no envelope of it at "\(envelopeFile.path)": if it is the backup of a database with an \
                envelope, put the `.keys` file of the backup beside it. Otherwise give the key that it was \
                made with; if that is right, its first page is damaged.
                """
        } else {
            advice = """
                Its envelope, "\(envelopeFile.path)", opens with the keys of these slots: \
                \(slots.map(\.summary).joined(separator: ", ")). Give one of them; a recovery key is one, too.
                """
        }
        return StrongroomError(
            .wrongKey, "\(given) the backup \"\(backup)\". \(advice) Nothing was changed.", database: context.file.name)
    }

    /// Sets the attributes of the existing database on the copy; if there is none, those that a migration backup has
    /// from it.
    ///
    /// - Returns: The names of those that could not be set.
    private func keepAttributes(of copy: PlainFile) throws -> [String] {
        if try FileStatus.at(context.path) != nil { return try FileAttributes.copy(of: context.path, to: copy) }
        return isOfMigration ? try FileAttributes.copy(of: backup, to: copy) : []
    }
}
