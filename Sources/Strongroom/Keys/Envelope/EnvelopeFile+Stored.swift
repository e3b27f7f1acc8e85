/// An envelope as it is stored, for copies of a database elsewhere.
extension EnvelopeFile {
    /// The bytes of the sidecar; nil if there is none.
    ///
    /// - Throws: ``StrongroomError`` with `envelopeDamaged` if neither copy is whole; `inputOutput`.
    func stored() throws -> [UInt8]? {
        guard try exists() else { return nil }
        for path in [path, copyPath] {
            guard let bytes = try FileSystem.firstBytesIfThere(of: path, Envelope.maxBytes + 1),
                (try? Envelope(bytes: bytes)) != nil
            else { continue }
            return bytes
        }
        throw StrongroomError(
            .envelopeDamaged,
            """
            Neither "\(path)" nor "\(copyPath)" is whole, so the database's key cannot be copied. Restore one of them \
            from a backup.
            """,
            database: name)
    }

    /// Writes a stored envelope beside a database that has none.
    ///
    /// - Throws: ``StrongroomError`` with `envelopeDamaged` if the bytes are none, `notAFile` if there is one already;
    ///   what the operating system refuses.
    func create(stored bytes: [UInt8]) throws {
        guard (try? Envelope(bytes: bytes)) != nil else {
            throw StrongroomError(
                .envelopeDamaged, "The copy of the envelope of \"\(databasePath)\" is damaged. Use an older copy.",
                database: name)
        }
        guard try !exists() else {
            throw StrongroomError(
                .notAFile, "\"\(path)\" or \"\(copyPath)\" exists already, and is not overwritten. Move it away.",
                database: name)
        }
        for step in steps(bytes, .place) { try carryOut(step) }
    }
}

extension EnvelopeFile {
    /// Removes both copies.
    func remove() throws {
        for path in [path, copyPath] { try FileSystem.remove(path) }
    }
}

extension EnvelopeFile {
    /// The keys in a stored envelope, opened with a chain; none if the chain does not open it.
    func fileKeys(ofStored bytes: [UInt8], _ chain: KeyChain) throws -> [Key] {
        guard let envelope = try? Envelope(bytes: bytes) else { return [] }
        var wrappingKeys = WrappingKeys()
        return (try? envelope.open(with: chain, &wrappingKeys))?.fileKeys ?? []
    }
}
