extension DatabaseKeys {
    /// A key with which pages of a file are authentic.
    struct Authentic {
        let derivedKey: DerivedKey
        let cipher: PageCipher
        /// Its index in the chain, or that of the key that opens the envelope.
        let position: Int?
    }

    /// Finds the key with which any of the first pages is authentic, without the engine, because the first page itself
    /// may be damaged.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - salt: The file's first bytes.
    /// - Returns: The newest matching key; nil if there is none.
    func authentic(in bytes: any FileBytes, salt: [UInt8]) throws -> Authentic? {
        let dataKeys = envelope?.fileKeys ?? []
        let candidates =
            dataKeys.reversed().map { ($0, envelope?.position) } + chain.keys.enumerated().reversed().map { ($1, $0) }
        for settings in ciphers.reversed() {
            for (key, position) in candidates where key != .plaintext {
                let derivedKey = try DerivedKey(key, salt: salt, settings: settings)
                let cipher = try PageCipher(derivedKey, settings: settings)
                if try cipher.fits(bytes) {
                    return Authentic(derivedKey: derivedKey, cipher: cipher, position: position)
                }
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
