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
}
