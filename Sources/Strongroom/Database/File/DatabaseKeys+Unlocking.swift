extension DatabaseKeys {
    /// Finds the key that opens the file: tries the data keys of its envelope first, then the keys of the chain.
    func unlock(_ content: FileContent) throws -> UnlockedFile {
        switch content {
        case .absent: throw file.missing
        case .plaintext(let size):
            return UnlockedFile(
                position: chain.isPlaintext ? nil : 0, isCurrent: chain.isPlaintext, derivedKey: nil,
                connection: try file.connectProving(nil, size: size))
        case .encrypted(let salt, let size):
            guard let dataKeys = envelope?.fileKeys else { return try unlockDirectly(salt, size) }
            do {
                var unlocked = try tryKeys(dataKeys, salt, size)
                unlocked.position = envelope?.position
                unlocked.isWrapped = true
                return unlocked
            } catch let error as StrongroomError where error.code == .wrongKey {
                // The process that was changing the file to its data key may have been interrupted.
                return try unlockDirectly(salt, size)
            }
        }
    }

    private func unlockDirectly(_ salt: [UInt8], _ size: Int64) throws -> UnlockedFile {
        do {
            var unlocked = try tryKeys(chain.keys, salt, size)
            guard isEnvelopeWanted || envelope != nil || envelopeFailure != nil else { return unlocked }
            // The file has to be rewritten with a data key.
            unlocked.isCurrent = false
            unlocked.currentKey = nil
            return unlocked
        } catch let error as StrongroomError where error.code == .wrongKey && envelopeFailure != nil {
            throw envelopeFailure ?? error
        } catch let error as StrongroomError where error.code == .wrongKey && isEnvelopeWanted && envelope == nil {
            throw neitherKeyNorEnvelope
        } catch let error as StrongroomError where error.code == .wrongKey && envelope != nil {
            throw dataKeyOfAnotherTime
        }
    }

    /// Tries keys on an encrypted file from the newest to the oldest, each on its own connection, because keying an
    /// open connection again can destroy the file. All keys are tried with the newest settings, then with the earlier
    /// ones.
    private func tryKeys(_ keys: [Key], _ salt: [UInt8], _ size: Int64) throws -> UnlockedFile {
        let journal = file.sideFiles.journal
        let hadJournal = try FileStatus.at(journal) != nil
        var currentKey: DerivedKey?
        for candidate in try possibleSettings() {
            for (position, key) in keys.enumerated().reversed() where key.encryptsFiles {
                let derivedKey = try DerivedKey(key, salt: salt, settings: candidate)
                let isLast = position == keys.count - 1
                if isLast, candidate == ciphers.last { currentKey = derivedKey }
                do {
                    let connection = try file.connectProving(derivedKey, size: size)
                    return UnlockedFile(
                        position: position, isCurrent: isLast, derivedKey: derivedKey, currentKey: currentKey,
                        connection: connection)
                } catch let error as StrongroomError where error.code == .notADatabase {
                    continue
                }
            }
        }
        let isPlayedBack = try hadJournal && FileStatus.at(journal) == nil
        throw try noKeyFits(keys.count, size, isPlayedBack: isPlayedBack)
    }

    /// The settings to try, the newest first; restricted to the page size of a WAL or journal beside the file, because
    /// SQLCipher 3 crashes when it rolls back a journal with a larger page size than the file's.
    private func possibleSettings() throws -> [CipherSettings] {
        let pageSize = try file.logPageSize()
        return ciphers.reversed().filter { pageSize == nil || $0.pageSize == pageSize }
    }

    /// The error for a file and an envelope that were saved at different times.
    var dataKeyOfAnotherTime: StrongroomError {
        StrongroomError(
            .wrongKey,
            """
            A key of the chain opens the envelope "\(envelopeFile.path)", but the data key in it does not open \
            "\(file.path)": one of the two is older than the other, as when only one was restored from a backup. \
            Restore both from the same backup. Nothing was changed.
            """,
            database: file.name
        )
    }

    /// The error for a file that no key opens where an envelope is wanted: it may have had one.
    var neitherKeyNorEnvelope: StrongroomError {
        StrongroomError(
            .envelopeMissing,
            """
            No key of the chain opens "\(file.path)", and there is no envelope beside it. If it never had one, add the \
            key that it was created with to the chain, at its beginning; if that is there, its first page is damaged. \
            If it had one, restore "\(envelopeFile.path)" or "\(envelopeFile.copyPath)" from a backup: without it the \
            database cannot be opened. Nothing was changed.
            """,
            database: file.name
        )
    }

    private func noKeyFits(_ keyCount: Int, _ size: Int64, isPlayedBack: Bool) throws -> StrongroomError {
        let change =
            isPlayedBack
            ? "Its rollback journal does not exist any more: the engine may have rolled back the transaction in it."
            : "Nothing in it was changed."
        // With a WAL, the last page of the file may be incomplete: the WAL contains it.
        let pageSizes = Set(ciphers.map(\.pageSize)).sorted()
        guard try file.hasLog() || pageSizes.contains(where: { size % Int64($0) == 0 }) else {
            let pageSize = pageSizes.map(String.init).joined(separator: " or ")
            return StrongroomError(
                .truncated,
                """
                No key of the chain opens "\(file.path)", and its size, \(size) bytes, is not a multiple of the page \
                size, \(pageSize) bytes: it was truncated, or is no database of this engine. Restore it from a backup. \
                \(change)
                """
            )
        }
        let tried =
            keyCount == 1 ? "The key of the chain does not open" : "None of the chain's \(keyCount) keys opens"
        return StrongroomError(
            .wrongKey,
            """
            \(tried) "\(file.path)". Add the key that the file was created with to the chain, at its beginning; if \
            the chain is right, the file's first page is damaged, or it is no SQLCipher database of this engine's \
            format, as one without authentication codes (SQLCipher 1, `PRAGMA cipher_use_hmac = OFF`). \(change)
            """
        )
    }
}

extension DatabaseKeys {
    /// Finds the key with which any of the first pages is authentic, without the engine, because the first page itself
    /// may be damaged.
    func authentic(in bytes: any FileBytes, salt: [UInt8]) throws -> (key: DerivedKey, position: Int?)? {
        let dataKeys = envelope?.fileKeys ?? []
        let candidates =
            dataKeys.reversed().map { ($0, envelope?.position) } + chain.keys.enumerated().reversed().map { ($1, $0) }
        for settings in ciphers.reversed() {
            for (key, position) in candidates where key.encryptsFiles {
                let derivedKey = try DerivedKey(key, salt: salt, settings: settings)
                if try PageCipher(derivedKey).fits(bytes) { return (derivedKey, position) }
            }
        }
        return nil
    }
}

extension PageCipher {
    /// The number of pages that are checked if a key does not match the first.
    private static let pagesTried = 64

    /// Whether any of the first pages of a file is authentic with the key.
    func fits(_ bytes: any FileBytes) throws -> Bool {
        let count = Int(clamping: try bytes.size() / Int64(layout.pageSize))
        let contents = PageContents(
            pages: DatabasePages(closed: bytes, pageSize: layout.pageSize, count: count), cipher: self)
        return try (1...max(1, min(count, Self.pagesTried))).contains { try contents.content(of: $0) != nil }
    }
}

/// Creates a database's file.
extension DatabaseKeys {
    /// Creates the file under a temporary name and renames it when its content is complete, so that a crash leaves
    /// either no file or a complete one.
    mutating func createFile(fill: (Connection) throws -> Void) throws -> UnlockedFile {
        try file.requireNoLogLeft()
        try FileSystem.removeCopy(file.temporaryPath)
        // Its envelope, if there is one, is written to the disk before the file.
        let derivedKey = try forNewFile()
        do {
            try create(derivedKey, fill)
            try FileSystem.synchronize(FileSystem.directory(of: file.path))
            return try unlocked(with: derivedKey)
        } catch {
            // The first failure is the one to report.
            try? FileSystem.removeCopy(file.temporaryPath)
            throw error
        }
    }

    /// Opens the file with the key that it was just written with.
    func unlocked(with derivedKey: DerivedKey?) throws -> UnlockedFile {
        let connection = try file.connect(.existing, key: derivedKey)
        try connection.proveKey()
        return UnlockedFile(
            position: envelope == nil ? derivedKey.map { _ in lastPosition } : envelope?.position,
            isWrapped: envelope != nil, derivedKey: derivedKey, connection: connection)
    }

    private func create(_ derivedKey: DerivedKey?, _ fill: (Connection) throws -> Void) throws {
        let new = try PlainFile(creating: file.temporaryPath)
        try write(to: new, derivedKey, fill)
        try new.synchronize()
        // Its descriptor is closed before the engine opens the file, since closing it later would drop the engine's
        // locks.
        try new.moveIntoPlace(file.path)
    }

    private func write(to new: PlainFile, _ derivedKey: DerivedKey?, _ fill: (Connection) throws -> Void) throws {
        var temporary = file
        temporary.path = file.temporaryPath
        let connection = try temporary.connect(.existing, key: derivedKey)
        defer { connection.close() }
        try new.requireOpened(by: connection)
        // A journal would have a name that another program may use; an unfinished file is discarded.
        _ = try connection.ownValue("PRAGMA journal_mode = MEMORY")
        try connection.configure(as: .maker, of: temporary)
        // A file without a table would stay empty, and an empty file is treated as a loss.
        try connection.inTransaction(.exclusive) {
            try connection.run("CREATE TABLE strongroom_file (created)")
            try connection.run("DROP TABLE strongroom_file")
        }
        try fill(connection)
        if let newest = envelope?.dataKeys.each.last { try connection.record(DataKeyRecord(newest)) }
    }
}
