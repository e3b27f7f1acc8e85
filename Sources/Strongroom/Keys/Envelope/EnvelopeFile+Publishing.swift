/// An envelope that appears together with its file: that of a backup, or of a database that is restored without one.
///
/// Two files cannot be renamed at once. So the envelope is on the disk under a third name, ``nextPath``, from before
/// the file gets its name until both copies have theirs. ``DatabaseKeys`` uses it if the file opens with its data key
/// and not with that of the copies: at every instant the file, the previous or the new one, has its envelope beside it.
extension EnvelopeFile {
    /// The path of an envelope whose file is being renamed.
    var nextPath: String { FileSystem.hiddenFile(of: databasePath, "keys.next") }

    /// The paths at which the envelope of a file may be.
    var paths: [String] { [path, copyPath, nextPath] }

    var nextCopyPath: String { FileSystem.hiddenFile(of: databasePath, "keys.copy.new") }

    /// Gives a file its name, and its envelope the names beside it, in place of those of the previous file. If the
    /// process is killed meanwhile, the envelope of the file at the path is beside it.
    func publish(_ bytes: [UInt8], with file: PlainFile, rename: () throws -> Void) throws {
        let identity = try file.status().identity
        do {
            try prepare(bytes)
            try rename()
        } catch {
            // The first failure is the one to report.
            let named = try? FileStatus.ofName(databasePath)
            if named?.identity == identity { try? publish() } else { try? removeNext() }
            throw error
        }
        try publish()
    }

    /// Writes the envelope to the disk, before the file gets its name.
    private func prepare(_ bytes: [UInt8]) throws {
        // An interrupted attempt may have left the only envelope of the file that is there. That of another file must
        // not get the name of a copy, which would keep this one from being opened.
        if let salt = try FileSystem.firstBytesIfThere(of: databasePath, CipherSettings.saltLength),
            try !stored([nextPath], salt: salt).isEmpty
        {
            try carryOut(.rename(nextPath, to: copyPath))
            // Before its previous name is given to another one.
            try carryOut(.synchronize(FileSystem.directory(of: databasePath)))
        }
        for path in [nextCopyPath, nextPath] {
            try carryOut(.remove(path))
            try carryOut(.write(path, bytes))
        }
        try carryOut(.synchronize(FileSystem.directory(of: databasePath)))
    }

    /// Gives both copies their names, when the file has its own.
    private func publish() throws {
        try carryOut(.rename(nextCopyPath, to: copyPath))
        // Last, because it is what a reader uses until then.
        try carryOut(.rename(nextPath, to: path))
        try carryOut(.synchronize(FileSystem.directory(of: databasePath)))
    }

    /// Removes a prepared envelope.
    func removeNext() throws {
        for path in [nextPath, nextCopyPath] { try FileSystem.remove(path) }
    }

    /// Whether the envelopes beside the file have different data keys, as an interrupted attempt leaves them.
    func mayDiffer(salt: [UInt8]) throws -> Bool {
        if try FileStatus.ofName(nextPath) != nil { return true }
        return try Set(stored([path, copyPath], salt: salt).map(\.dataKeyIdentifier)).count > 1
    }

    /// Opens each envelope beside a file; those that the chain does not open, and those of another file, are left out.
    ///
    /// - Parameter observer: Receives the slots whose providers fail.
    /// - Throws: ``StrongroomError`` with `keyProvider` if none is opened, and the provider of one is away.
    func all(
        with chain: KeyChain, salt: [UInt8], _ observer: (any EnvelopeObserver)? = nil
    ) throws -> [OpenEnvelope] {
        var wrappingKeys = WrappingKeys()
        var failure: StrongroomError?
        let opened: [OpenEnvelope] = try stored(paths, salt: salt).compactMap { envelope in
            do {
                return try envelope.open(with: chain, &wrappingKeys) { observer?.slotFailed($0, $1) }
            } catch is EnvelopeDefect {
                return nil
            } catch let error as StrongroomError where error.code == .keyProvider {
                failure = error.naming(name)
                return nil
            }
        }
        if opened.isEmpty, let failure { throw failure }
        return opened
    }

    /// The slots of the envelopes beside a backup, not authenticated; empty if there is no envelope of the file.
    func slots(salt: [UInt8]) throws -> [KeySlot] {
        try stored(paths, salt: salt).first?.slots.map(\.keySlot) ?? []
    }

    /// The bytes of the sidecar, for copies of a database elsewhere; nil if there is none.
    func stored() throws -> [UInt8]? {
        guard try exists() else { return nil }
        if let envelope = try stored([path, copyPath], salt: nil).first { return envelope.bytes }
        throw StrongroomError(
            .envelopeDamaged,
            """
            Neither "\(path)" nor "\(copyPath)" is intact, so the database's key cannot be copied. Restore one of them \
            from a backup.
            """,
            database: name)
    }

    /// Opens an envelope that was stored elsewhere, with a copy of the file; nil if the chain does not open it.
    func opened(stored bytes: [UInt8], with chain: KeyChain) throws -> OpenEnvelope? {
        guard let envelope = try? Envelope(bytes: bytes) else {
            throw StrongroomError(
                .envelopeDamaged, "The copy of the envelope of \"\(databasePath)\" is damaged. Use an older copy.",
                database: name)
        }
        do { return try envelope.open(with: chain) } catch is EnvelopeDefect { return nil }
    }

    /// The different intact envelopes among those at the paths.
    ///
    /// - Parameter salt: That of their file; nil for any.
    private func stored(_ paths: [String], salt: [UInt8]?) throws -> [Envelope] {
        try paths.reduce(into: []) { found, path in
            guard try FileStatus.ofName(path)?.isRegularFile == true,
                let bytes = try FileSystem.firstBytesIfThere(of: path, Envelope.maxBytes + 1),
                let envelope = try? Envelope(bytes: bytes), !found.contains(envelope),
                salt == nil || envelope.databaseSalt == salt
            else { return }
            found.append(envelope)
        }
    }
}

extension OpenEnvelope {
    /// Whether a key is one of the file's keys in the envelope.
    func contains(_ key: DerivedKey) throws -> Bool { try dataKey(of: key) != nil }

    /// The data key that is a key of the file; nil if none is.
    func dataKey(of key: DerivedKey) throws -> DataKeys? {
        try zip(dataKeys.each, fileKeys).first {
            try DerivedKey($0.1, salt: databaseSalt, settings: key.settings) == key
        }?.0
    }
}
