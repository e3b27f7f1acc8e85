/// An envelope that appears together with its file: that of a backup, or of a database that is restored without one.
///
/// Two files cannot be renamed at once. So the envelope is on the disk under a third name, ``nextPath``, from before
/// the file gets its name until both copies have theirs. ``DatabaseKeys`` uses it if the file opens with its data key
/// and not with that of the copies: at every instant the file, the former one or the new one, has its envelope beside
/// it.
extension EnvelopeFile {
    /// The path of an envelope whose file is being renamed.
    var nextPath: String { FileSystem.companion(of: databasePath, "keys.next") }

    private var nextCopyPath: String { FileSystem.companion(of: databasePath, "keys.copy.new") }

    /// Writes the envelope to the disk; to be called before the file gets its name.
    func prepare(_ bytes: [UInt8]) throws {
        // An interrupted attempt may have left the only envelope of the file that is there.
        if try FileStatus.at(databasePath) != nil, try FileStatus.ofName(nextPath)?.isRegularFile == true {
            try carryOut(.rename(nextPath, to: copyPath))
        }
        for path in [nextCopyPath, nextPath] {
            try carryOut(.remove(path))
            try carryOut(.write(path, bytes))
        }
        try carryOut(.synchronize(FileSystem.directory(of: databasePath)))
    }

    /// Gives both copies their names, in place of those of the former file; to be called when the file has its own.
    func publish() throws {
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

    /// Opens each envelope beside a backup; those that the chain does not open, and those of another file, are left
    /// out.
    func all(with chain: KeyChain, salt: [UInt8]) throws -> [OpenEnvelope] {
        try opened([path, copyPath, nextPath], with: chain, salt: salt)
    }

    /// The slots of the envelopes beside a backup, not authenticated; empty if there is no envelope of the file.
    func slots(salt: [UInt8]) throws -> [KeySlot] {
        try stored([path, copyPath, nextPath], salt: salt).first?.slots.map(\.keySlot) ?? []
    }

    private func opened(_ paths: [String], with chain: KeyChain, salt: [UInt8]) throws -> [OpenEnvelope] {
        var wrappingKeys = WrappingKeys()
        return try stored(paths, salt: salt).compactMap { envelope in
            do { return try envelope.open(with: chain, &wrappingKeys) } catch is EnvelopeDefect { return nil }
        }
    }

    /// The different whole envelopes of a file among those at the paths.
    private func stored(_ paths: [String], salt: [UInt8]) throws -> [Envelope] {
        try paths.reduce(into: []) { found, path in
            guard try FileStatus.ofName(path)?.isRegularFile == true,
                let bytes = try FileSystem.firstBytesIfThere(of: path, Envelope.maxBytes + 1),
                let envelope = try? Envelope(bytes: bytes), envelope.databaseSalt == salt, !found.contains(envelope)
            else { return }
            found.append(envelope)
        }
    }
}

extension OpenEnvelope {
    /// Whether a key is one of the file's keys in the envelope.
    func contains(_ key: DerivedKey) throws -> Bool {
        try fileKeys.contains { try DerivedKey($0, salt: databaseSalt, settings: key.settings).isEqual(to: key) }
    }
}
