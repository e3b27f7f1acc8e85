import CSQLCipher

/// SQLCipher 3 takes a page of zeros for sound, since it reads as zeros what lies behind a file's end; SQLCipher 4 does
/// so in a file with `auto_vacuum`. No encrypted page is ever written as zeros, so one that the file has is damage. It
/// gets a byte that is not zero on its way to the engine, whose authentication then refuses it as it refuses every
/// other damaged page.
extension Connection {
    /// Has the engine refuse pages of zeros that it reads from the database's file from now on.
    func refuseZeroPages() throws {
        refusesZeroPages = true
        ZeroPages.refuse(in: try engineFile(SQLITE_FCNTL_FILE_POINTER))
    }

    /// Has it refuse those of the write-ahead log as well, which it opens with its first look into the database.
    func refuseZeroPagesOfLog() throws {
        guard refusesZeroPages, mode != .untouched, try ownValue("PRAGMA journal_mode") == .text("wal") else { return }
        ZeroPages.refuse(in: try engineFile(SQLITE_FCNTL_JOURNAL_POINTER))
    }

    /// Works through the file page by page, unused ones included: of these some have never been written, and lie there
    /// as a hole.
    func acceptingZeroPages<T>(_ body: () throws -> T) rethrows -> T {
        guard refusesZeroPages, let file = try? engineFile(SQLITE_FCNTL_FILE_POINTER) else { return try body() }
        ZeroPages.accept(in: file)
        defer { ZeroPages.refuse(in: file) }
        return try body()
    }
}

/// Replaces the methods by which the engine reads one of its files ("OS Interface Object", sqlite.org/c3ref/file.html),
/// whichever those are.
enum ZeroPages {
    /// A file's methods with another way to read, and those that they were made of.
    private struct Methods {
        // First: it is where the engine looks.
        var own: sqlite3_io_methods
        let original: UnsafePointer<sqlite3_io_methods>
    }

    /// Made once for each kind of file that the operating system's interface knows, and never released: files point to
    /// them.
    private static let made = Locked<[UnsafePointer<sqlite3_io_methods>: UnsafePointer<Methods>]>([:])

    /// The newest form of the methods that is known here; a newer one would be cut off.
    private static let newestForm: Int32 = 3
    private static let smallestPage: Int32 = 512

    fileprivate static func refuse(in file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods, methods.pointee.iVersion <= newestForm, original(methods) == nil
        else { return }
        let refusing = made.withLock { made in
            if let known = made[methods] { return known }
            let new = UnsafeMutablePointer<Methods>.allocate(capacity: 1)
            new.initialize(to: Methods(own: methods.pointee, original: methods))
            new.pointee.own.xRead = { ZeroPages.read($0, $1, $2, $3) }
            made[methods] = UnsafePointer(new)
            return UnsafePointer(new)
        }
        file.pointee.pMethods = UnsafeRawPointer(refusing).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    fileprivate static func accept(in file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods, let original = original(methods) else { return }
        file.pointee.pMethods = original
    }

    /// The methods of a file as the operating system's interface has them, by which it is read as it is.
    static func methods(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafePointer<sqlite3_io_methods>? {
        file.pointee.pMethods.map { original($0) ?? $0 }
    }

    /// What methods were made of; nil for others.
    private static func original(
        _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods>? {
        made.withLock { made in
            made.values.contains { UnsafeRawPointer($0) == UnsafeRawPointer(methods) }
        } ? UnsafeRawPointer(methods).assumingMemoryBound(to: Methods.self).pointee.original : nil
    }

    private static func read(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let file, let buffer, let methods = file.pointee.pMethods else { return SQLITE_IOERR }
        let original = UnsafeRawPointer(methods).assumingMemoryBound(to: Methods.self).pointee.original
        let result = original.pointee.xRead(file, buffer, count, offset)
        // Pages alone are read in such lengths; what lies behind the file's end has another result.
        guard result == SQLITE_OK, count >= smallestPage, count & (count - 1) == 0, isZero(buffer, Int(count)) else {
            return result
        }
        buffer.storeBytes(of: 1, as: UInt8.self)
        return result
    }

    private static func isZero(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        // Nearly always the first look is enough.
        guard buffer.loadUnaligned(as: UInt64.self) == 0 else { return false }
        for place in stride(from: 0, to: count, by: 8)
        where buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self) != 0 {
            return false
        }
        return true
    }
}
