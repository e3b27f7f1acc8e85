/// Files whose pages have no authentication codes: those of SQLCipher 1, and others with `PRAGMA cipher_use_hmac =
/// OFF`.
extension DatabaseKeys {
    /// The derivation of SQLCipher 1 and 2.
    private static let former = CipherSettings(
        pageSize: 1_024, iterations: 4_000, derivationHash: .sha1, pageHash: .sha1)

    /// The error for such a file; nil if none of the keys opens it as one.
    ///
    /// - Parameter tried: Keys that have not opened the file.
    func unauthenticated(_ tried: [DerivedKey], salt: [UInt8]) throws -> StrongroomError? {
        let former = try chain.keys.filter { $0 != .plaintext }.map {
            try DerivedKey($0, salt: salt, settings: Self.former)
        }
        for key in tried + former where try isPlain(firstPageWith: key) {
            let rounds = key.settings == Self.former ? "`PRAGMA kdf_iter = 4000`, " : ""
            return StrongroomError(
                .noAuthentication,
                """
                A key of the chain opens "\(file.path)", but its pages have no authentication codes, as with \
                SQLCipher 1 or `PRAGMA cipher_use_hmac = OFF`; the library does not open such a file, since changed \
                pages would not be noticed. Export it in the sqlcipher shell, with its key, \(rounds)\
                `PRAGMA cipher_use_hmac = OFF` and `sqlcipher_export`, into a new file, and open that. Nothing in it \
                was changed.
                """,
                database: file.name)
        }
        return nil
    }

    /// Whether the first page, without a code, has the header of a database: page size, versions, the reserved bytes,
    /// of which SQLCipher 4 may leave room for a code, and three constants ("Database File Format",
    /// sqlite.org/fileformat.html).
    private func isPlain(firstPageWith key: DerivedKey) throws -> Bool {
        let (size, block) = (key.settings.pageSize, CipherSettings.saltLength)
        let page = try FileSystem.firstBytes(of: file.path, size)
        guard page.count == size else { return false }
        var header = [UInt8](repeating: 0, count: block)
        try key.withRawKey { raw, _ in
            let secret = SecretBytes(raw)
            try page.withUnsafeBytes { page in
                try header.withUnsafeMutableBytes { header in
                    try Cryptography.decrypt(
                        UnsafeRawBufferPointer(rebasing: page[block..<2 * block]), with: secret,
                        vector: UnsafeRawBufferPointer(rebasing: page[(size - PageLayout.vectorLength)...]), to: header)
                }
            }
        }
        let written = header.shortInteger(at: 0) == (size == 65_536 ? 1 : size)
        return written && (1...2).contains(header[2]) && (1...2).contains(header[3])
            && header[4] >= PageLayout.vectorLength && header[5...7] == [64, 32, 32]
    }
}
