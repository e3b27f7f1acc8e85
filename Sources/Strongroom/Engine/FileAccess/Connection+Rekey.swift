import CSQLCipher

extension Connection {
    /// Rewrites every page with another key, inside the transaction that is open.
    ///
    /// What the engine answers is not to be believed: it says that all went well also when nothing was done, and the
    /// next write through the connection would then destroy the file. So the connection is to be committed and closed
    /// at once, whatever happened, and only a fresh one with the new key proves anything.
    func rekey(_ bytes: UnsafeRawBufferPointer) throws {
        // Every statement that was prepared holds pages.
        clearStatements()
        // The name of the schema is not looked at by version 3: it takes any for `main`.
        let result = acceptingZeroPages {
            sqlite3_rekey_v2(pointer, "main", bytes.baseAddress, Int32(bytes.count))
        }
        guard result == SQLITE_OK else {
            throw failure("The file could not be rewritten with another key")
        }
    }
}
