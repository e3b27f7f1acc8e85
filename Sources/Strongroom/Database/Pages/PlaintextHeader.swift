/// Distinguishes a plaintext database from one that is encrypted after a plaintext header.
///
/// SQLCipher 4 leaves the first bytes of a file in plaintext if `PRAGMA cipher_plaintext_header_size` is set, to a
/// multiple of 16 and usually to 32; the salt is then stored outside the file ("SQLCipher API",
/// zetetic.net/sqlcipher/sqlcipher-api). The bytes of SQLite's header that are reserved for expansion are 0 in every
/// database ("Database File Format", sqlite.org/fileformat.html), and ciphertext behind a header of up to 80 bytes. A
/// longer one is not recognised: the engine reports such a file as damaged.
enum PlaintextHeader {
    /// The header string of a plaintext database.
    static let beginning = Array("SQLite format 3\0".utf8)

    /// Whether ciphertext follows the header of a file that begins like a plaintext database.
    ///
    /// - Parameter header: SQLite's header, of 100 bytes.
    static func isFollowedByCiphertext(_ header: [UInt8]) -> Bool {
        guard header.count == DatabaseHeader.length else { return false }
        // Each page of an encrypted file has at least an initialisation vector in its reserved bytes. Their number, and
        // the three constants after it, are ciphertext behind a header of 16 bytes.
        let isReserving = header[20] >= PageLayout.vectorLength || !header[21..<24].elementsEqual([64, 32, 32])
        return isReserving && header[72..<92].count { $0 != 0 } >= 10
    }
}

extension StrongroomError {
    /// The error for a file that is encrypted after a plaintext header.
    static func plaintextHeader(_ path: String) -> StrongroomError {
        StrongroomError(
            .plaintextHeader,
            """
            The file "\(path)" begins as a plaintext database and does not go on as one. If it never was encrypted, \
            its first 100 bytes are damaged: restore it from a backup. If SQLCipher 4 created it with \
            `PRAGMA cipher_plaintext_header_size`, with its salt stored elsewhere, it is not supported: in the \
            sqlcipher shell, set its key, that setting and `PRAGMA cipher_salt`, attach a new file with a key, and \
            export into it with `sqlcipher_export`; then open the new file. Nothing was changed.
            """
        )
    }
}
