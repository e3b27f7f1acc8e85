import Strongroom

/// What is told of a database, for scripts. Keys are counted from 1, the oldest.
struct StatusDetail: Encodable, Sendable {
    struct Engine: Encodable, Sendable {
        let sqlite: String
        let sqlcipher: String
        /// Whether it is free of SQLite's WAL-reset race.
        let hasWALResetFix: Bool

        init() throws {
            let features = try EngineFeatures.current()
            sqlite = features.sqliteVersion
            sqlcipher = features.cipherVersion
            hasWALResetFix = features.hasWALResetFix
        }

        /// What other programs that have the file open may lose, in a line for people; nil for nothing.
        func danger(holders: Int) -> String? {
            guard !hasWALResetFix, holders > 0 else { return nil }
            return """
                SQLite \(sqlite) has the WAL-reset race. Strongroom's connections are guarded; two other programs that \
                write this file with such an engine can lose commits: update them to SQLCipher 4.14, or let them set \
                PRAGMA wal_autocheckpoint = 0.
                """
        }
    }

    struct Key: Encodable, Sendable {
        let number: Int
        let count: Int
        let isCurrent: Bool
    }

    struct Schema: Encodable, Sendable {
        let version: String?
        let newest: String?
        let pending: [String]
        /// What an automatic migrator would change.
        let changes: [String]
    }

    struct Table: Encodable, Sendable {
        let name: String
        let rows: Int64?
        let bytes: Int64?
    }

    struct Process: Encodable, Sendable {
        let process: Int
        let name: String?
    }

    let path: String
    let bytes: Int64
    let logBytes: Int64?
    let configured: Bool
    let engine: Engine
    let plaintext: Bool
    let cipher: CipherDetail?
    let cipherIsCurrent: Bool
    let envelope: Bool
    let key: Key?
    let schema: Schema
    let tables: [Table]?
    let holders: [Process]

    let settings: CipherSettings?

    init(_ survey: FileSurvey, isConfigured: Bool) throws {
        path = survey.path
        bytes = survey.bytes
        logBytes = survey.logBytes
        configured = isConfigured
        engine = try Engine()
        plaintext = survey.isPlaintext
        settings = survey.settings
        cipher = survey.settings.map(CipherDetail.init)
        cipherIsCurrent = survey.settings == survey.wantedSettings
        envelope = survey.hasEnvelope
        key = survey.key.map { Key(number: $0.place + 1, count: $0.count, isCurrent: $0.isCurrent) }
        schema = Schema(
            version: survey.version, newest: survey.plan?.to, pending: survey.plan?.applies ?? [],
            changes: survey.plan?.schemaChanges ?? [])
        tables = survey.tables?.map { Table(name: $0.name, rows: $0.rows, bytes: $0.bytes) }
        holders = survey.holders.map { Process(process: $0.process, name: $0.name) }
    }

    private enum CodingKeys: CodingKey {
        case path, bytes, logBytes, configured, engine, plaintext, cipher, cipherIsCurrent, envelope, key, schema
        case tables, holders
    }

    /// In a line, for people.
    var words: String { "\(HumanReadable.bytes(bytes)), \(keyWords)" }

    /// Which key opens it.
    var keyWords: String {
        guard let key else { return plaintext ? "plaintext" : "" }
        let state = key.isCurrent ? "" : ", to be rotated"
        return "key \(key.number) of \(key.count)\(envelope ? " (in the envelope)" : "")\(state)"
    }

    /// Whether the schema is to be migrated.
    var isPending: Bool { !(schema.pending + schema.changes).isEmpty }

    /// The version, and what is pending.
    var schemaWords: String {
        let version = schema.version.map { "version \($0)" } ?? "no version"
        let pending = schema.pending + schema.changes
        return pending.isEmpty ? version : "\(version), to be migrated: \(pending.joined(separator: ", "))"
    }
}
