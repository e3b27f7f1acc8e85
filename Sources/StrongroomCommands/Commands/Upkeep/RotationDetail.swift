import Strongroom

/// The result of a rotation or a conversion, for JSON. Keys are counted from 1, the oldest.
struct RotationDetail: Encodable, Sendable {
    let method: String
    let fromKey: Int?
    let toKey: Int
    let fromCipher: CipherDetail?
    let cipher: CipherDetail
    let bytes: Int64
    let oldContentGone: Bool

    /// - Parameter added: The number of keys that the command has put before those of the chain.
    init(_ report: RotationReport, added: Int = 0) {
        method = report.method.rawValue
        fromKey = report.from.map { $0 + 1 - added }
        toKey = report.to + 1 - added
        fromCipher = report.previousSettings.map(CipherDetail.init)
        cipher = CipherDetail(report.settings)
        bytes = report.bytes
        oldContentGone = report.isOldContentGone
    }
}

/// The encryption of a file, for JSON.
struct CipherDetail: Encodable, Equatable, Sendable {
    let pageSize: Int
    let iterations: Int
    let derivationHash: String
    let pageHash: String

    init(_ settings: CipherSettings) {
        pageSize = settings.pageSize
        iterations = settings.iterations
        derivationHash = settings.derivationHash.rawValue
        pageHash = settings.pageHash.rawValue
    }
}

extension CipherSettings {
    /// The name of the settings, for a narrow table.
    var generation: String {
        switch self {
        case .sqlCipher3: "3"
        case .sqlCipher4: "4"
        default: "own"
        }
    }

    /// The name for a table, such as `SQLCipher 4`.
    var shortName: String {
        switch self {
        case .sqlCipher3: "SQLCipher 3"
        case .sqlCipher4: "SQLCipher 4"
        default: "own settings"
        }
    }
}

extension RotationReport {
    /// A description.
    ///
    /// - Parameters:
    ///   - count: The number of keys in the chain.
    ///   - added: The number of keys that the command has put before them.
    func summary(of count: Int, added: Int = 0) -> String {
        let key = "key \(to + 1 - added) of \(max(count, to + 1 - added))"
        guard isRotated else { return "on \(key) already" }
        let size = HumanReadable.bytes(bytes)
        let format = previousSettings.map { $0 == settings ? "" : ", \($0.shortName) to \(settings.shortName)" } ?? ""
        let rest = isOldContentGone ? "" : "; some old content remains in the log until a later checkpoint"
        guard let previousSettings else { return "plaintext to \(key), \(size)\(rest)" }
        guard from == to else { return "key \((from ?? 0) + 1 - added) to \(key)\(format), \(size)\(rest)" }
        // The key is the same: the settings were others, or the file had no envelope.
        let change = previousSettings == settings ? ", in an envelope now" : format
        return "on \(key)\(change), \(size)\(rest)"
    }
}
