import CSQLCipher

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A result code of the engine, extended form included.
///
/// The meaning of each is in SQLite's documentation, "Result and Error Codes" (sqlite.org/rescode.html).
public struct ResultCode: Sendable, Hashable, CustomStringConvertible {
    /// The code as the engine gave it, with the extended bits.
    public let extended: Int32

    /// The primary code: the lowest eight bits.
    public var primary: Int32 { extended & 0xFF }

    /// Makes a code from the engine's number.
    ///
    /// - Parameter extended: The number, with or without the extended bits.
    public init(extended: Int32) {
        self.extended = extended
    }

    /// The engine's English name of the primary code and the number, such as `constraint failed (2067)`.
    public var description: String {
        "\(sqlite3_errstr(primary).map { String(cString: $0) } ?? "unknown") (\(extended))"
    }
}

extension StrongroomError.Code {
    /// The code for a result of the engine.
    init(_ result: ResultCode) {
        switch result.primary {
        case SQLITE_NOTADB: self = .notADatabase
        case SQLITE_CORRUPT: self = .damaged
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_PERM, SQLITE_CANTOPEN: self = .permissionDenied
        case SQLITE_READONLY: self = .readOnly
        case SQLITE_FULL: self = .diskFull
        case SQLITE_IOERR: self = .inputOutput
        case SQLITE_NOMEM: self = .outOfMemory
        case SQLITE_AUTH: self = .notAuthorized
        case SQLITE_INTERRUPT: self = .interrupted
        case SQLITE_CONSTRAINT: self = .constraint
        case SQLITE_MISMATCH: self = .typeMismatch
        case SQLITE_TOOBIG, SQLITE_RANGE: self = .limit
        case SQLITE_ERROR, SQLITE_SCHEMA: self = .sql
        default: self = .engine
        }
    }

    /// The code for a result of the engine and what the operating system said to it.
    ///
    /// The engine has one code for whatever keeps it from opening a file, and for a quota that is used up one of its
    /// many codes for input and output. That a file is not there counts as not permitted: a log that may not be made is
    /// then looked for.
    ///
    /// - Parameter systemError: The value of `errno`; 0 where the operating system said nothing.
    init(_ result: ResultCode, systemError: Int32) {
        switch (result.primary, systemError) {
        case (SQLITE_CANTOPEN, EISDIR), (SQLITE_CANTOPEN, ENOTDIR), (SQLITE_CANTOPEN, ELOOP): self = .notAFile
        case (SQLITE_CANTOPEN, EMFILE), (SQLITE_CANTOPEN, ENFILE): self = .tooManyOpenFiles
        case (SQLITE_CANTOPEN, ENOSPC), (SQLITE_CANTOPEN, EDQUOT), (SQLITE_IOERR, ENOSPC), (SQLITE_IOERR, EDQUOT):
            self = .diskFull
        case (SQLITE_CANTOPEN, EIO), (SQLITE_CANTOPEN, ENXIO): self = .inputOutput
        default: self.init(result)
        }
    }

    /// What to do about a failure of the engine, added to its own words.
    var advice: String {
        switch self {
        case .notADatabase: "The file is not a database, or its key or cipher settings are others."
        case .damaged:
            """
            Find the damaged pages with `verify`; then restore the file from a backup, or save the rest with `salvage`.
            """
        case .busy: "Another connection holds the database; try again, or raise the busy timeout."
        case .permissionDenied: "Check the permissions of the file and of its directory."
        case .readOnly: "Write inside `write`, and check that the file may be written."
        case .diskFull: "Free space on the disk, then try again; nothing of this change was kept."
        case .inputOutput: "The operating system could not read or write the file; check the disk."
        case .notAuthorized:
            "Transactions, attached files, keys and the connection's settings are the library's own: use its functions."
        case .tooManyOpenFiles:
            "The process has too many files open: close stores, or raise the limit (ulimit -n)."
        case .limit: "Make the statement or the value smaller."
        case .notAFile: "Check what lies at the path."
        default: ""
        }
    }
}
