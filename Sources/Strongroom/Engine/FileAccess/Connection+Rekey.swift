import CSQLCipher

extension Connection {
    /// Rewrites every page with another key, inside the open transaction.
    ///
    /// The engine's result is not reliable: it reports success even if nothing was done, and the next write through the
    /// connection would then destroy the file. The connection must therefore be committed and closed at once in any
    /// case, and only a new one with the new key proves the result.
    func rekey(_ bytes: UnsafeRawBufferPointer) throws {
        // Every prepared statement holds pages.
        clearStatements()
        // Version 3 ignores the schema name and rekeys `main`.
        let result = acceptingZeroPages {
            sqlite3_rekey_v2(pointer, "main", bytes.baseAddress, Int32(bytes.count))
        }
        guard result == SQLITE_OK else {
            throw failure("The file could not be rewritten with another key")
        }
    }
}
