extension DatabaseKeys {
    /// Finds the key that opens the file: the data keys of its envelope first, then those of the chain.
    ///
    /// - Parameter content: What lies at the file's path.
    /// - Returns: The file with its key, and the connection on which that was proved.
    /// - Throws: ``StrongroomError`` with `fileMissing`, `wrongKey` when no key fits, `envelopeMissing` when an
    ///   envelope is wanted, there is none, and no key of the chain opens the file; `notADatabase` for plaintext that
    ///   is none; `truncated`, `damaged`, or the engine's failure.
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
                // Whoever was giving the file its data key may have been interrupted.
                return try unlockDirectly(salt, size)
            }
        }
    }

    private func unlockDirectly(_ salt: [UInt8], _ size: Int64) throws -> UnlockedFile {
        do {
            var unlocked = try tryKeys(chain.keys, salt, size)
            guard isEnvelopeWanted || envelope != nil else { return unlocked }
            // The file is to have a data key.
            unlocked.isCurrent = false
            unlocked.currentKey = nil
            return unlocked
        } catch let error as StrongroomError where error.code == .wrongKey && isEnvelopeWanted && envelope == nil {
            throw envelopeFile.missing
        } catch let error as StrongroomError where error.code == .wrongKey && envelope != nil {
            throw dataKeyOfAnotherTime
        }
    }

    /// Tries keys on an encrypted file from the newest to the oldest, each on a connection of its own, since keying a
    /// live connection again can destroy the file. All are tried with the newest settings, then with those before.
    private func tryKeys(_ keys: [Key], _ salt: [UInt8], _ size: Int64) throws -> UnlockedFile {
        let journal = file.path + "-journal"
        let hadJournal = try FileStatus.at(journal) != nil
        var currentKey: DerivedKey?
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
                    continue
                }
            }
        }
        let isPlayedBack = try hadJournal && FileStatus.at(journal) == nil
        throw try noKeyFits(keys.count, size, isPlayedBack: isPlayedBack)
    }

    /// The newest first; of those alone that the log beside the file allows, since SQLCipher 3 crashes when it plays a
    /// journal back with a larger page than the file has.
    private func possibleSettings() throws -> [CipherSettings] {
        let pageSize = try file.logPageSize()
        return ciphers.reversed().filter { pageSize == nil || $0.pageSize == pageSize }
    }

    /// The error for a file and an envelope that do not belong to the same moment.
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

    private func noKeyFits(_ keyCount: Int, _ size: Int64, isPlayedBack: Bool) throws -> StrongroomError {
        let change =
            isPlayedBack
            ? "The rollback journal beside it is gone: the engine may have undone the transaction that it kept."
            : "Nothing in it was changed."
        // With a log a page at the end may be half written: the log has it.
        let pageSizes = ciphers.map(\.pageSize)
        guard try file.hasLog() || pageSizes.contains(where: { size % Int64($0) == 0 }) else {
            let pageSize = pageSizes.map(String.init).joined(separator: " or ")
            return StrongroomError(
                .truncated,
                """
                No key of the chain opens "\(file.path)", and its \(size) bytes are no whole number of pages of \
                \(pageSize) bytes: it was cut off, or is no database of this engine. Restore it from a backup. \(change)
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
