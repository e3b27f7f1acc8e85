import CSQLCipher

extension Connection {
    /// Whether some connection, of this process or another, has an index of the log, which says what of the log counts.
    /// Otherwise the engine makes it anew from the log with its first look into the database, and takes what it finds
    /// there.
    ///
    /// To be asked before anything is read. The form of the index is part of the file format ("WAL-mode File Format",
    /// section 2, sqlite.org/walformat.html).
    var isLogInUse: Bool {
        var found: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, &found)
        guard let file = found, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2 else { return false }
        var index: UnsafeMutableRawPointer?
        // An index without users is truncated by the engine; it is not extended here.
        let result = methods.pointee.xShmMap(file, 0, Self.indexPage, 0, &index)
        defer { _ = methods.pointee.xShmUnmap(file, 0) }
        guard result == SQLITE_OK || result & 0xFF == SQLITE_READONLY, let index else { return false }
        // It begins with two copies of one header, and counts when they are equal.
        let header = UnsafeRawBufferPointer(start: index, count: Self.indexHeader)
        let copy = UnsafeRawBufferPointer(start: index + Self.indexHeader, count: Self.indexHeader)
        return header[Self.initialised] == 1 && header.elementsEqual(copy)
    }

    /// Bytes of the header of the log's index.
    private static let indexHeader = 48
    /// Where in it stands whether it has been filled.
    private static let initialised = 12
}
