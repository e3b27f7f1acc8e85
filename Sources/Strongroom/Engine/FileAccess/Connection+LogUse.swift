import CSQLCipher

extension Connection {
    /// Whether a connection of this process or another has a valid WAL index, which says what part of the WAL is valid.
    /// Otherwise the engine rebuilds the index from the WAL when it first reads the database, up to the first invalid
    /// frame.
    ///
    /// To be called before the first read. The form of the index is part of the file format ("WAL-mode File Format",
    /// section 2, sqlite.org/walformat.html).
    var isLogInUse: Bool {
        var found: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, &found)
        guard let file = found, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2 else { return false }
        var index: UnsafeMutableRawPointer?
        // The engine truncates an index without users; it is not extended here.
        let result = methods.pointee.xShmMap(file, 0, Self.indexPage, 0, &index)
        defer { _ = methods.pointee.xShmUnmap(file, 0) }
        guard result == SQLITE_OK || result & 0xFF == SQLITE_READONLY, let index else { return false }
        // It begins with two copies of its header, and is valid if they are equal.
        let header = UnsafeRawBufferPointer(start: index, count: Self.indexHeader)
        let copy = UnsafeRawBufferPointer(start: index + Self.indexHeader, count: Self.indexHeader)
        return header[Self.initialised] == 1 && header.elementsEqual(copy)
    }

    /// Bytes of the header of the WAL index.
    private static let indexHeader = 48
    /// The offset of the flag that says whether the index is initialized.
    private static let initialised = 12
}
