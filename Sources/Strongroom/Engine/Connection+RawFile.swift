import CSQLCipher

extension Connection {
    /// Reads bytes of the file as they lie on the disk, through the engine's own descriptor: opening and closing the file once more would
    /// drop the locks that the engine holds on it.
    ///
    /// See SQLite's documentation, «How To Corrupt An SQLite Database File», section 2.2 (sqlite.org/howtocorrupt.html).
    func rawBytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let read = file.pointee.pMethods?.pointee.xRead
        else { throw failure("The file could not be read") }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard read(file, buffer.baseAddress, Int32(count), offset) == SQLITE_OK else {
                throw failure("The file could not be read")
            }
            filled = count
        }
    }
}
