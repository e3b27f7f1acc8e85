import Strongroom

/// The result of the diagnosis, as JSON and as text. Keys are counted from 1, the oldest.
struct DoctorReport: Encodable {
    struct Page: Encodable {
        let number: Int
        let description: String
    }

    struct Process: Encodable {
        let process: Int
        let name: String?
    }

    let path: String
    let finding: String
    let advice: String
    let reason: String?
    let bytes: Int64
    let pages: Int
    let missingPages: Int
    let damagedPages: [Page]
    let key: Int?
    let keyCount: Int?
    let cipher: CipherDetail?
    let envelope: Bool
    let log: Bool
    let plaintextLeft: String?
    let directoryShared: Bool
    let version: String?
    let pending: [String]
    let holders: [Process]
    /// Nil if the linked library is not SQLCipher.
    let engine: StatusDetail.Engine?

    let exitStatus: ExitStatus
    private let headline: String
    private let settings: CipherSettings?

    private enum CodingKeys: CodingKey {
        case path, finding, advice, reason, bytes, pages, missingPages, damagedPages, key, keyCount, cipher, envelope,
            log, plaintextLeft, directoryShared
        case version, pending, holders, engine
    }

    init(_ diagnosis: FileDiagnosis) {
        path = diagnosis.path
        finding = "\(diagnosis.finding)"
        let isOwn = !diagnosis.isSchemaDamaged || (diagnosis.finding != .damaged && diagnosis.finding != .truncated)
        advice =
            isOwn
            ? diagnosis.finding.advice ?? diagnosis.advice
            : "\(diagnosis.advice) To restore, \(FileDiagnosis.Finding.restoring)"
        reason = diagnosis.reason
        bytes = diagnosis.bytes
        pages = diagnosis.pages
        missingPages = diagnosis.missingPages
        damagedPages = diagnosis.damagedPages.map { Page(number: $0.number, description: $0.description) }
        key = diagnosis.key.map { $0.position + 1 }
        keyCount = diagnosis.key?.count
        cipher = diagnosis.settings.map(CipherDetail.init)
        settings = diagnosis.settings
        envelope = diagnosis.hasEnvelope
        log = diagnosis.hasLog
        plaintextLeft = diagnosis.plaintextLeft
        directoryShared = diagnosis.isDirectoryShared
        version = diagnosis.version
        pending = diagnosis.pendingVersions
        holders = diagnosis.holders.map { Process(process: $0.process, name: $0.name) }
        engine = try? StatusDetail.Engine()
        exitStatus = diagnosis.finding.exitStatus
        headline = diagnosis.finding.text
    }
}

extension DoctorReport {
    /// The maximum number of damaged pages in the text.
    private static let maxPages = 20

    func show(on console: Console) {
        let style: TextStyle = exitStatus == .success ? [.bold, .green] : [.bold, .red]
        console.write("\(path, .bold): \(headline, style)")
        for (label, text) in facts { console.write(lead: "  \(label.filled(to: 8), .dim)  ", paragraph: text) }
        for page in damagedPages.prefix(Self.maxPages) { console.write("  \(page.description, .red)") }
        if damagedPages.count > Self.maxPages {
            console.write("  and \(HumanReadable.count(damagedPages.count - Self.maxPages)) more; --json lists all")
        }
        guard !advice.isEmpty else { return }
        console.write("")
        console.write(lead: "\("Next:", .bold) ", paragraph: advice, indent: 0)
    }

    private var facts: [(String, String)] {
        var facts: [(String, String)] = []
        if let reason { facts.append(("Reason", reason)) }
        if bytes > 0 {
            let pages = pages > 0 ? ", \(HumanReadable.count(pages, "page"))" : ""
            facts.append(("Size", HumanReadable.bytes(bytes) + pages))
        }
        if let settings { facts.append(("Cipher", settings.description)) }
        if let key, let keyCount {
            facts.append(("Key", "key \(key) of \(keyCount)\(envelope ? ", in the envelope" : "")"))
        } else if envelope {
            facts.append(("Key", "in the file's envelope"))
        }
        if let version { facts.append(("Schema", "version \(version)")) }
        if !pending.isEmpty { facts.append(("Pending", pending.joined(separator: ", "))) }
        if log { facts.append(("Log", "the file has a log that is not empty")) }
        if let plaintextLeft {
            facts.append(("Danger", StatusDetail.danger(ofPlaintext: plaintextLeft)))
        }
        if directoryShared {
            facts.append(("Access", "other users may write to its directory; prevent that with chmod go-w"))
        }
        if missingPages > 0 { facts.append(("Missing", "\(HumanReadable.count(missingPages, "page")) at its end")) }
        if !damagedPages.isEmpty { facts.append(("Damaged", "\(HumanReadable.count(damagedPages.count, "page")):")) }
        let names = holders.map { holder in
            holder.name.map { "process \(holder.process) (\($0))" } ?? "process \(holder.process)"
        }
        if !names.isEmpty { facts.insert(("Open in", names.joined(separator: ", ")), at: 0) }
        if let engine {
            facts.append(("Engine", "SQLCipher \(engine.sqlcipher) (SQLite \(engine.sqlite))"))
            if let advisories = engine.advisorySummary { facts.append(("", advisories)) }
        }
        if let danger = engine?.danger(holders: holders.count) { facts.append(("Danger", danger)) }
        return facts
    }
}

extension FileDiagnosis.Finding {
    var exitStatus: ExitStatus {
        switch self {
        case .intact, .plaintext: .success
        case .absent, .notAFile: .noInput
        case .unreadable: .noPermission
        case .sideFile, .empty, .tooShort, .plaintextHeader, .truncated, .damaged, .damagedLog, .newerSchema:
            .dataError
        case .keyless, .wrongKey, .envelope: .configuration
        case .unexamined: .temporaryFailure
        }
    }

    /// The advice for an operator, if it differs from that for a programmer.
    fileprivate var advice: String? {
        switch self {
        case .absent: "Check the path, or restore it from a backup."
        case .plaintext: "Encrypt it with `convert`."
        case .keyless:
            """
            Give the keys with \(KeyOptions.list): without them an encrypted database cannot be distinguished from \
            other data.
            """
        case .wrongKey:
            """
            Give the key that it was created with; add an older key at the beginning of the key file. If the key is \
            right, the file's first 16 bytes are damaged, it has other cipher settings, or it is not a SQLCipher \
            database. To restore it from a backup, \(Self.restoring)
            """
        case .empty:
            """
            If there never was a database, remove the file. Otherwise the database is lost: \(Self.restoring)
            """
        case .tooShort:
            "It is truncated, or not a database. If it was a database: \(Self.restoring)"
        case .truncated, .damaged:
            """
            Keep the file unchanged: without a backup, `salvage FILE --to NEW` copies the readable rows. With one: \
            \(Self.restoring)
            """
        case .damagedLog:
            """
            Keep file and log unchanged. Restore both from a backup or from a copy of the disk, or discard the \
            transactions after the damage with `recover NAME --to-last-sound-commit`, which keeps the damaged log.
            """
        case .unexamined: "Open it, or a copy with its log, with the program that created it; then diagnose it again."
        default: nil
        }
    }

    /// `restore` does not replace a file that it cannot open.
    fileprivate static let restoring = """
        move it to another directory, with the files that belong to it (-wal, -shm, -journal, .keys, .keys.copy), \
        then restore a backup with `restore`.
        """
}
