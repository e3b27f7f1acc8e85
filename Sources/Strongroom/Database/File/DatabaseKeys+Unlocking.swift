extension DatabaseKeys {
    /// Finds the key that opens the file: tries the data keys of its envelope first, then the keys of the chain.
    ///
    /// - Parameter content: The kind of content at the file's path.
    /// - Returns: The file with its key, and the connection that has proved the key.
    /// - Throws: ``StrongroomError`` with `fileMissing`, `wrongKey` if no key matches, `envelopeMissing` if an envelope
    ///   is wanted, there is none, and no key of the chain opens the file; `noAuthentication` if one opens it as a file
    ///   without authentication codes; `notADatabase` for an invalid plaintext
    ///   file; `truncated`, `damaged`, or the engine's failure.
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
            guard isEnvelopeWanted || envelope != nil else { return unlocked }
            // The file has to be rewritten with a data key.
            unlocked.isCurrent = false
            unlocked.currentKey = nil
            return unlocked
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
        var tried: [DerivedKey] = []
        for candidate in try possibleSettings() {
            for (position, key) in keys.enumerated().reversed() where key != .plaintext {
                let derivedKey = try DerivedKey(key, salt: salt, settings: candidate)
                let isLast = position == keys.count - 1
                if isLast, candidate == ciphers.last { currentKey = derivedKey }
                do {
                    let connection = try file.connectProving(derivedKey, size: size)
                    return UnlockedFile(
                        position: position, isCurrent: isLast, derivedKey: derivedKey, currentKey: currentKey,
                        connection: connection)
                } catch let error as StrongroomError where error.code == .notADatabase {
                    tried.append(derivedKey)
                }
            }
        }
        if let error = try unauthenticated(tried, salt: salt) { throw error }
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

    /// The error for a file that no key opens where an envelope is wanted: whether it had one, nothing says.
    var neitherKeyNorEnvelope: StrongroomError {
        StrongroomError(
            .envelopeMissing,
            """
            No key of the chain opens "\(file.path)", and there is no envelope beside it. If it never had one, add the \
            key that it was made with to the chain, at its beginning; if that is there, its first page is damaged. If \
            it had one, restore "\(envelopeFile.path)" or "\(envelopeFile.copyPath)" from a backup: without it the \
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
            \(tried) "\(file.path)". Add the key that the file was made with to the chain, at its beginning; if the \
            chain is right, the file's first page is damaged, or it is no SQLCipher database of this engine's format. \
            \(change)
            """
        )
    }
}
