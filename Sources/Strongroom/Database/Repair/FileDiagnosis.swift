package import Foundation

/// The state of a file, determined without writing anything.
///
/// ```swift
/// let diagnosis = try await stores.diagnose("addressbook_alice.sqlite")
/// print(diagnosis)               // for people, with what to do next
/// if diagnosis.finding == .damaged { print(diagnosis.damagedPages) }
/// ```
public struct FileDiagnosis: Sendable, Equatable {
    /// The most important finding.
    public enum Finding: Sendable, Hashable {
        /// There is no file at the path.
        case absent
        /// A directory, a device, or a link to nothing.
        case notAFile
        /// A link, a FIFO or the like has the name of a file that belongs to it, such as its log; the reason names
        /// which.
        case sideFile
        /// The operating system does not permit this process to read it.
        case unreadable
        /// It is empty.
        case empty
        /// It is shorter than any database.
        case tooShort
        /// It is a plaintext SQLite database.
        case plaintext
        /// It is encrypted behind a plaintext header (`cipher_plaintext_header_size`), which the library does not open.
        case plaintextHeader
        /// It is not a plaintext database, and no keys were given to examine it further.
        case keyless
        /// None of its first pages is authentic with any of the given keys and cipher settings.
        case wrongKey
        /// The envelope that wraps its key is missing, damaged, belongs to another database, or has a newer format.
        case envelope
        /// A key matches, and the end of the file is missing.
        case truncated
        /// A key matches, and some pages are not as they were written.
        case damaged
        /// Its write-ahead log is damaged: opening it would drop the transactions after the damage.
        case damagedLog
        /// A key matches, every page is intact, and its schema has a version that the program does not know, or SQL
        /// that the linked engine does not know.
        case newerSchema
        /// A key matches and every page is intact.
        case intact
        /// Opening failed for a reason other than the file; the file was not examined further.
        case unexamined
    }

    /// Another process that has the file open or holds a lock on it.
    public struct Holder: Sendable, Hashable {
        /// The process id.
        public let process: Int
        /// The program's name; nil if it is unknown.
        public let name: String?
    }

    /// The file's path.
    public let path: String
    /// The most important finding.
    public internal(set) var finding: Finding
    /// The file's length in bytes; 0 if there is none.
    public internal(set) var bytes: Int64 = 0
    /// The matching key; nil if none matches, for plaintext, or if no key was tried.
    public internal(set) var key: KeyUse?
    /// The file's cipher settings; nil if no key matches.
    public internal(set) var settings: CipherSettings?
    /// Whether there is an envelope with its key beside the file.
    public internal(set) var hasEnvelope = false
    /// Whether there is a write-ahead log or a rollback journal with content beside the file, as left by a running or
    /// killed program. A WAL is checked for damage; its content is not evaluated.
    public internal(set) var hasLog = false
    /// The path of the file's plaintext content from before it was encrypted, which an interrupted rotation has not
    /// erased; nil if there is none. Opening the file erases it.
    public internal(set) var plaintextLeft: String?
    /// Whether users other than the user of the process and root may write to its directory: they could create links
    /// and files beside the database, or remove it.
    public internal(set) var isDirectoryShared = false
    /// The number of pages of the database; 0 if it is unknown.
    public internal(set) var pages = 0
    /// The number of pages missing at the end of the file.
    public internal(set) var missingPages = 0
    /// The pages with a wrong authentication code, in order.
    public internal(set) var damagedPages: [DamagedPage] = []
    /// The version of its schema, as stored by the library's migrator; nil if it has none, or it cannot be read.
    public internal(set) var version: String?
    /// The versions to which opening would migrate it, in order.
    public internal(set) var pendingVersions: [String] = []
    /// The other processes that have it open, where the system reports them (Linux does).
    public internal(set) var holders: [Holder] = []
    /// The message of the failure to which this belongs, or of the one that prevented further examination.
    public internal(set) var reason: String?

    // MARK: What only a survey has

    package struct Table: Sendable, Hashable {
        package let name: String
        /// The number of rows; nil if they cannot be counted, as in a virtual table whose module is not available, and
        /// for the library's tables.
        package let rows: Int64?
        /// The bytes of its pages and of its indexes; nil if the engine does not report them.
        package let bytes: Int64?
    }

    /// The length of its write-ahead log in bytes; nil if there is none.
    package var logBytes: Int64?
    package var wantedSettings: CipherSettings?
    package var wantsEnvelope = false
    /// The slots of its envelope; empty without one, and if it was not opened.
    package var keySlots: [KeySlot] = []
    /// When it got the data key with which it is encrypted; nil if that is not known.
    package var dataKeyDate: Date?
    /// What its migrator would do; nil if there is no migrator.
    package var plan: MigrationPlan?
    /// Why its migrator cannot be applied.
    package var planFailure: StrongroomError?
    /// Its tables by name; nil if they were not requested.
    package var tables: [Table]?
    /// Those that the library keeps beside them, for full-text indexes and histories.
    package var libraryTables: [Table]?

    init(path: String, finding: Finding) {
        self.path = path
        self.finding = finding
    }
}

extension FileDiagnosis {
    /// Whether a page of the schema is damaged: `salvage` may find no table then.
    package var isSchemaDamaged: Bool { damagedPages.hasSchema }

    /// What to do next, in a sentence or two; empty for an intact file.
    public var advice: String {
        switch finding {
        case .absent: "Check the path; opening creates a new database there, unless the log of a lost one exists."
        case .notAFile: "Give the path of a file, restore the target of the link, or move it away."
        case .sideFile: "Find out which program created that, and remove it; the database itself is not affected."
        case .unreadable: "Check who owns the file and its directory, and whether this user may read them."
        case .empty:
            """
            A database that was there has been lost: restore it from a backup. If there never was one, remove the file.
            """
        case .tooShort: "It was truncated, or is not a database: restore it from a backup."
        case .plaintext: "Put `Key.plaintext` at the beginning of the key chain to have it encrypted when it is opened."
        case .plaintextHeader:
            """
            Export it in the sqlcipher shell, with its key, `PRAGMA cipher_plaintext_header_size` and \
            `PRAGMA cipher_salt`, into a new file with `sqlcipher_export`, and open that. It is not to be encrypted \
            again. If it never was encrypted, its first 100 bytes are damaged: restore it from a backup.
            """
        case .keyless: "Give the keys: without them an encrypted database cannot be distinguished from other data."
        case .wrongKey:
            """
            Add the key that it was created with to the chain, and the cipher settings it was created with to the \
            configuration. If both are there, its first 16 bytes are damaged, or it is no SQLCipher database.
            """
        case .envelope:
            "Restore `FILE.keys` or `FILE.keys.copy` from a backup of the same database, or use the newer program."
        case .truncated where isSchemaDamaged, .damaged where isSchemaDamaged:
            """
            Restore it from a backup. A page of the schema is damaged, without which no table can be found, so \
            `salvage` may copy nothing.
            """
        case .truncated: "Restore it from a backup; what is left can be copied with `salvage`."
        case .damaged:
            """
            Restore it from a backup, or copy what can be read with `salvage`; a damaged index can be dropped and \
            created again.
            """
        case .damagedLog:
            """
            Restore the file with its log from a backup or from a copy of the disk, or discard what follows the damage \
            with `recoverLog`, which keeps the damaged log.
            """
        case .newerSchema: "Use a program, and an engine, that know this schema."
        case .intact:
            hasLog
                ? "Opening it keeps what its WAL has committed, and undoes a transaction that its rollback journal has."
                : ""
        case .unexamined: ""
        }
    }
}

extension FileDiagnosis: CustomStringConvertible {
    /// A description for people: the most important finding, then a line for each known fact, then what to do next.
    public var description: String {
        var lines = ["\(path): \(finding.text)"]
        if let reason { lines.append(reason) }
        if bytes > 0 { lines.append(bytes.counting("byte") + (pages > 0 ? ", \(pages.counting("page"))" : "")) }
        if let key { lines.append("\(key)\(hasEnvelope ? ", in the envelope" : "")") }
        if let settings { lines.append(settings.description) }
        if let version { lines.append("schema version \"\(version)\"") }
        if !pendingVersions.isEmpty { lines.append("to be migrated to " + pendingVersions.joined(separator: ", ")) }
        if hasLog { lines.append("it has a log with content") }
        if let plaintextLeft { lines.append("its old plaintext is in \"\(plaintextLeft)\"; open it to erase that") }
        if isDirectoryShared { lines.append("other users may write to its directory") }
        if missingPages > 0 {
            lines.append("\(missingPages.counting("page")) \(missingPages == 1 ? "is" : "are") missing at its end")
        }
        lines += damagedPages.map(\.description)
        if !holders.isEmpty { lines.append("open in " + holders.map(\.description).joined(separator: ", ")) }
        if !advice.isEmpty { lines.append(advice) }
        return lines.joined(separator: "\n")
    }
}

extension FileDiagnosis.Holder: CustomStringConvertible {
    /// A description such as "process 4711 (inventory)".
    public var description: String { name.map { "process \(process) (\($0))" } ?? "process \(process)" }
}

extension FileDiagnosis.Finding {
    package var text: String {
        switch self {
        case .absent: "does not exist"
        case .notAFile: "not a file"
        case .sideFile: "a file beside it is not a regular file"
        case .unreadable: "may not be read"
        case .empty: "empty"
        case .tooShort: "too short for a database"
        case .plaintext: "a plaintext database, not encrypted"
        case .plaintextHeader: "encrypted behind a plaintext header"
        case .keyless: "encrypted, or no database"
        case .wrongKey: "no key fits"
        case .envelope: "its envelope cannot be used"
        case .truncated: "cut off"
        case .damaged: "damaged"
        case .damagedLog: "its log is damaged"
        case .newerSchema: "of a newer program or engine"
        case .intact: "intact"
        case .unexamined: "not completely examined"
        }
    }
}

extension StrongroomError {
    /// The state of the file that could not be opened; set for every failure of opening after its path is known.
    public var diagnosis: FileDiagnosis? { finding as? FileDiagnosis }
}
