/// What a file is, as far as can be told without writing anything.
///
/// ```swift
/// let diagnosis = try await stores.diagnose("addressbook_alice.sqlite")
/// print(diagnosis)               // for people, with what to do next
/// if diagnosis.finding == .damaged { print(diagnosis.damagedPages) }
/// ```
public struct FileDiagnosis: Sendable, Equatable {
    /// What counts most of what was found.
    public enum Finding: Sendable, Hashable {
        /// Nothing lies at the path.
        case absent
        /// A directory, a device, or a link to nothing.
        case notAFile
        /// The operating system does not let this process read it.
        case unreadable
        /// It has no content.
        case empty
        /// It is shorter than any database.
        case tooShort
        /// It is a plaintext SQLite database.
        case plaintext
        /// It is encrypted behind a plaintext header (`cipher_plaintext_header_size`), which the library does not open.
        case plaintextHeader
        /// It is no plaintext database, and no keys were given to look further.
        case keyless
        /// With none of the keys, in none of the ways that were given, any of its first pages is authentic.
        case wrongKey
        /// The envelope that wraps its key is missing, damaged, another database's, or of a newer program.
        case envelope
        /// A key fits, and its end is missing.
        case truncated
        /// A key fits, and some pages are not as they were written.
        case damaged
        /// Its write-ahead log is damaged: the transactions behind the damage would be gone once it is opened.
        case damagedLog
        /// A key fits, every page is whole, and its schema is of a version that the program does not know.
        case newerSchema
        /// A key fits and every page is whole.
        case whole
        /// Opening failed for a reason that does not lie in the file; the file was not looked at further.
        case unexamined
    }

    /// Another process that has the file open, or holds a lock on it.
    public struct Holder: Sendable, Hashable {
        /// The process's number.
        public let process: Int
        /// What the program is called; nil when it cannot be told.
        public let name: String?
    }

    /// The file's path.
    public let path: String
    /// What counts most.
    public internal(set) var finding: Finding
    /// The file's length in bytes; 0 when there is none.
    public internal(set) var bytes: Int64 = 0
    /// The key that fits; nil when none does, for plaintext, or when none was looked for.
    public internal(set) var key: KeyUse?
    /// How the file is encrypted; nil when no key fits.
    public internal(set) var settings: CipherSettings?
    /// Whether an envelope with its key lies beside it.
    public internal(set) var hasEnvelope = false
    /// Whether a write-ahead log or a rollback journal with content lies beside it, as a program leaves it that runs
    /// or has been killed. Whether a write-ahead log is damaged is looked at, not what stands in it.
    public internal(set) var hasLog = false
    /// Whether others than the user of the process and root may write to its directory: they could put links and files
    /// of their own beside it, or take it away.
    public internal(set) var isDirectoryShared = false
    /// The pages that the database has; 0 when it cannot be told.
    public internal(set) var pages = 0
    /// The pages at its end that the file does not have.
    public internal(set) var missingPages = 0
    /// The pages whose authentication code is wrong, in order.
    public internal(set) var damagedPages: [DamagedPage] = []
    /// The version of its schema, as the library's migrator keeps it; nil when it has none, or it cannot be read.
    public internal(set) var version: String?
    /// The versions that opening would bring it to, in order.
    public internal(set) var pendingVersions: [String] = []
    /// The other processes that have it open, where the system tells (Linux does).
    public internal(set) var holders: [Holder] = []
    /// What the failure says to which this belongs, or the one that kept from looking further.
    public internal(set) var reason: String?

    init(path: String, finding: Finding) {
        self.path = path
        self.finding = finding
    }
}

extension FileDiagnosis {
    /// What to do next, in a sentence or two; empty for a file that is whole.
    public var advice: String {
        switch finding {
        case .absent: "Check the path; opening makes a new database there, unless a log of a lost one lies beside it."
        case .notAFile: "Give the path of a file, bring back what the link points to, or move it away."
        case .unreadable: "Check who owns the file and its directory, and whether this user may read them."
        case .empty:
            """
            A database that was there has been lost: restore it from a backup. If there never was one, remove the file.
            """
        case .tooShort: "It was cut off or is something else: restore it from a backup."
        case .plaintext: "Put `Key.plaintext` at the beginning of the key chain to have it encrypted when it is opened."
        case .plaintextHeader:
            """
            Export it in the sqlcipher shell, with its key, `PRAGMA cipher_plaintext_header_size` and \
            `PRAGMA cipher_salt`, into a new file with `sqlcipher_export`, and open that. It is not to be encrypted \
            again.
            """
        case .keyless: "Give the keys: without them an encrypted database cannot be told from anything else."
        case .wrongKey:
            """
            Add the key that it was made with to the chain, and the cipher settings it was made with to the \
            configuration. If both are there, its first 16 bytes are damaged, or it is no SQLCipher database.
            """
        case .envelope:
            "Restore `FILE.keys` or `FILE.keys.copy` from a backup of the same database, or use the newer program."
        case .truncated: "Restore it from a backup; what is left can be copied with `salvage`."
        case .damaged:
            """
            Restore it from a backup, or copy what can be read with `salvage`; an index alone can be dropped and made \
            again.
            """
        case .damagedLog:
            """
            Restore the file with its log from a backup or from a copy of the disk, or give up what lies behind the \
            damage with `recoverLog`, which keeps the damaged log.
            """
        case .newerSchema: "Use a program that knows this version."
        case .whole: hasLog ? "Opening it brings in what stands in its log." : ""
        case .unexamined: ""
        }
    }
}

extension FileDiagnosis: CustomStringConvertible {
    /// For people: what counts most, then a line for each thing that is known, then what to do next.
    public var description: String {
        var lines = ["\(path): \(finding.text)"]
        if let reason { lines.append(reason) }
        if bytes > 0 { lines.append("\(bytes) bytes" + (pages > 0 ? ", \(pages) pages" : "")) }
        if let key { lines.append("key \(key.place + 1) of \(key.count)" + (hasEnvelope ? ", in the envelope" : "")) }
        if let settings { lines.append(settings.description) }
        if let version { lines.append("schema version \"\(version)\"") }
        if !pendingVersions.isEmpty { lines.append("to be migrated to " + pendingVersions.joined(separator: ", ")) }
        if hasLog { lines.append("a log lies beside it") }
        if isDirectoryShared { lines.append("other users may write to its directory") }
        if missingPages > 0 { lines.append("\(missingPages) pages are missing at its end") }
        lines += damagedPages.map(\.description)
        if !holders.isEmpty { lines.append("open in " + holders.map(\.description).joined(separator: ", ")) }
        if !advice.isEmpty { lines.append(advice) }
        return lines.joined(separator: "\n")
    }
}

extension FileDiagnosis.Holder: CustomStringConvertible {
    /// Such as "process 4711 (inventory)".
    public var description: String { name.map { "process \(process) (\($0))" } ?? "process \(process)" }
}

extension FileDiagnosis.Finding {
    /// For people.
    package var text: String {
        switch self {
        case .absent: "nothing is there"
        case .notAFile: "not a file"
        case .unreadable: "may not be read"
        case .empty: "empty"
        case .tooShort: "too short for a database"
        case .plaintext: "a plaintext database, which anybody can read"
        case .plaintextHeader: "encrypted behind a plaintext header"
        case .keyless: "encrypted, or no database"
        case .wrongKey: "no key fits"
        case .envelope: "its envelope cannot be used"
        case .truncated: "cut off"
        case .damaged: "damaged"
        case .damagedLog: "its log is damaged"
        case .newerSchema: "of a newer program"
        case .whole: "whole"
        case .unexamined: "not examined to its end"
        }
    }
}

extension StrongroomError {
    /// What is known of the file that could not be opened: on every failure of opening from the moment at which its
    /// place is known.
    public var diagnosis: FileDiagnosis? { finding as? FileDiagnosis }
}
