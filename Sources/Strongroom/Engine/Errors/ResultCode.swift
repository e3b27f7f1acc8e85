import CSQLCipher
import Foundation

/// A result code of the engine, extended form included.
///
/// The meaning of each is in SQLite's documentation, "Result and Error Codes" (sqlite.org/rescode.html).
public struct ResultCode: Sendable, Hashable, CustomStringConvertible {
    /// The code that the engine returned, with the extended bits.
    public let extended: Int32

    /// The primary code: the lowest eight bits.
    public var primary: Int32 { extended & 0xFF }

    /// Whether the engine also returns the code after its codec has failed: it then refuses writes, and takes a page
    /// that could not be encrypted for memory that ran out.
    var mayHideDamage: Bool { [SQLITE_ERROR, SQLITE_READONLY, SQLITE_NOMEM].contains(primary) }

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

extension ResultCode {
    /// The advice for a failure with a code, which follows the engine's own message.
    func advice(for code: StrongroomError.Code) -> String {
        // Not SQLITE_LOCKED_SHAREDCACHE, which is another connection's.
        guard extended == SQLITE_LOCKED else { return code.advice }
        return "A statement of this transaction still reads it, as in a loop over its rows: end that first."
    }
}

extension StrongroomError.Code {
    /// The error code for a result code of the engine.
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
        case SQLITE_TOOBIG: self = .limit
        case SQLITE_RANGE: self = .invalidArgument
        case SQLITE_ERROR, SQLITE_SCHEMA: self = .sql
        default: self = .engine
        }
    }

    /// The error code for a result code of the engine and the operating system's error.
    ///
    /// The engine has a single code for every failure to open a file, and reports an exhausted quota as an I/O error. A
    /// missing file is classified as a permission failure: the caller then checks whether a log could not be created.
    ///
    /// - Parameter systemError: The value of `errno`; 0 if the operating system reported none.
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

    /// The advice for a failure of the engine, which follows the engine's own message.
    var advice: String {
        switch self {
        case .notADatabase: "The file is not a database, or it has another key or other cipher settings."
        case .damaged:
            """
            Its diagnosis (`doctor`) names the damaged pages. Restore the file from a backup; without one, `salvage` \
            copies the rest, unless the schema is damaged.
            """
        case .busy: "Another connection has locked the database; try again, or raise the busy timeout."
        case .permissionDenied: "Check the permissions of the file and of its directory."
        case .readOnly: "Write inside `write`, and check that the file may be written."
        case .diskFull: "Free space on the disk, then try again; this change was undone."
        case .inputOutput: "The operating system could not read or write the file; check the disk."
        case .notAuthorized:
            """
            The library manages transactions, attached files, keys and the connection's settings: use its functions. A \
            temporary table or view would hide one of the file.
            """
        case .tooManyOpenFiles:
            "The process has too many files open: close stores, or raise the limit (ulimit -n)."
        case .limit: "Make the statement or the value smaller."
        case .notAFile: "Check which kind of file is at the path."
        default: ""
        }
    }
}

/// The engine's messages for SQLITE_ERROR, as far as they contain no value that was bound or stored.
enum EngineMessage {
    /// - Returns: The message, or its beginning; nil for one that may contain a value before anything else.
    static func withoutValues(_ message: String) -> String? {
        if complete.contains(message) { return message }
        return beginnings.first { message.hasPrefix($0) }
    }

    private static let complete: Set<String> = [
        "integer overflow", "malformed JSON", "JSON cannot hold BLOB values", "json_object() labels must be TEXT",
        "ESCAPE expression must be a single character", "LIKE or GLOB pattern too complex", "unterminated string",
        "argument of ntile must be a positive integer", "second argument to nth_value must be a positive integer",
    ]

    /// What follows quotes a value.
    private static let beginnings = [
        "malformed MATCH expression", "bad JSON path", "JSON path error", "fts5: syntax error", "unknown special query",
    ]
}
