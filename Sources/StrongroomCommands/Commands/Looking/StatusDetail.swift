import Foundation
import Strongroom

/// The state of a database, for JSON. Keys are counted from 1, the oldest.
struct StatusDetail: Encodable, Sendable {
    struct Engine: Encodable, Sendable {
        let sqlite: String
        let sqlcipher: String
        /// The published faults of SQLite that it has.
        let advisories: [Advisory]
        private let hasWALResetFix: Bool

        private enum CodingKeys: CodingKey { case sqlite, sqlcipher, advisories }

        init() throws {
            let features = try EngineFeatures.current()
            sqlite = features.sqliteVersion
            sqlcipher = features.cipherVersion
            advisories = features.advisories.map(Advisory.init)
            hasWALResetFix = features.hasWALResetFix
        }

        /// The identifiers of the advisories, in one line; nil if there are none.
        var advisorySummary: String? {
            guard !advisories.isEmpty else { return nil }
            let names = advisories.map(\.identifier).joined(separator: ", ")
            return "known faults: \(names); --json and the guide \"Engines\" explain them"
        }

        /// A warning about data that other programs with the file open may lose, in one line; nil if there is none.
        func danger(holders: Int) -> String? {
            guard !hasWALResetFix, holders > 0 else { return nil }
            return """
                SQLite \(sqlite) has the WAL-reset race. Strongroom's connections are protected; two other programs \
                that write this file with such an engine can lose commits: update them to SQLCipher 4.14, or set \
                PRAGMA wal_autocheckpoint = 0 in them.
                """
        }
    }

    /// A published fault of SQLite that the engine has.
    struct Advisory: Encodable, Sendable {
        let identifier: String
        let consequence: String
        let fixedIn: String

        init(_ advisory: EngineFeatures.Advisory) {
            (identifier, consequence, fixedIn) = (advisory.identifier, advisory.consequence, advisory.fixedIn)
        }
    }

    /// The versions of the formats in which the file and those beside it are written.
    struct Formats: Encodable, Sendable {
        /// `SQLCipher 3`, `SQLCipher 4`, `own settings`, or `SQLite` for plaintext.
        let database: String
        /// Nil without an envelope.
        let envelope: Int?

        init(_ survey: FileDiagnosis) {
            database = survey.settings?.shortName ?? (survey.finding == .plaintext ? "SQLite" : "unknown")
            // Both copies have the version in the same bytes: "File formats".
            envelope =
                SideFiles(of: survey.path).envelopes.lazy.compactMap { path in
                    let start = try? FileHandle(forReadingFrom: URL(filePath: path)).read(upToCount: 10)
                    guard let start, start.count == 10, start.starts(with: Array("STRGKEYS".utf8)) else { return nil }
                    return Int(start[8]) << 8 | Int(start[9])
                }.first
        }

        /// A description in one line.
        var summary: String { database + (envelope.map { ", envelope \($0)" } ?? "") }
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
        /// The changes that an automatic migrator would make.
        let changes: [String]
    }

    struct Table: Encodable, Sendable {
        let name: String
        let rows: Int64?
        let bytes: Int64?

        init(_ table: FileDiagnosis.Table) {
            (name, rows, bytes) = (table.name, table.rows, table.bytes)
        }
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
    let formats: Formats
    let plaintext: Bool
    /// Whether its plaintext content from before it was encrypted is still there.
    let plaintextLeft: Bool
    let cipher: CipherDetail?
    let cipherIsCurrent: Bool
    let envelope: Bool
    /// Whether it should have an envelope, and has none yet.
    let envelopeMissing: Bool
    /// The number of slots of its envelope of kinds that this version does not know.
    let unknownSlots: Int
    /// Those of its envelope; nil without one, and if it was not opened.
    let slots: [SlotDetail]?
    /// When it got the data key with which it is encrypted; nil if that is not known.
    let dataKeyCreated: Date?
    /// The full days since then.
    let dataKeyAgeDays: Int?
    let key: Key?
    let schema: Schema
    let tables: [Table]?
    /// Those of full-text indexes and histories, without their rows.
    let libraryTables: [Table]?
    let holders: [Process]
    /// When commands were last done with it, by their names, according to reports; nil without reports.
    var last: [String: Date]?

    let settings: CipherSettings?
    let plaintextPath: String?
    /// When its data key and its oldest slot were created; nil without an envelope.
    let keyDates: RunMetrics.KeyDates?

    init(_ survey: FileDiagnosis, isConfigured: Bool) throws {
        path = survey.path
        bytes = survey.bytes
        logBytes = survey.logBytes
        configured = isConfigured
        engine = try Engine()
        formats = Formats(survey)
        plaintext = survey.finding == .plaintext
        plaintextLeft = survey.plaintextLeft != nil
        plaintextPath = survey.plaintextLeft
        settings = survey.settings
        cipher = survey.settings.map(CipherDetail.init)
        cipherIsCurrent = survey.settings == survey.wantedSettings
        envelope = survey.hasEnvelope
        envelopeMissing = survey.wantsEnvelope && !survey.hasEnvelope
        unknownSlots = survey.keySlots.count(where: \.isUnknown)
        slots = survey.keySlots.isEmpty ? nil : survey.keySlots.map { SlotDetail($0) }
        dataKeyCreated = survey.dataKeyDate
        dataKeyAgeDays = survey.dataKeyDate?.ageInDays
        keyDates =
            survey.hasEnvelope
            ? .init(dataKey: survey.dataKeyDate, oldestSlot: survey.keySlots.map(\.created).min()) : nil
        key = survey.key.map { Key(number: $0.position + 1, count: $0.count, isCurrent: $0.isCurrent) }
        schema = Schema(
            version: survey.version, newest: survey.plan?.to, pending: survey.plan?.applies ?? [],
            changes: survey.plan?.schemaChanges ?? [])
        tables = survey.tables?.map(Table.init)
        libraryTables = survey.libraryTables?.map(Table.init)
        holders = survey.holders.map { Process(process: $0.process, name: $0.name) }
    }

    private enum CodingKeys: CodingKey {
        case path, bytes, logBytes, configured, engine, formats, plaintext, plaintextLeft, cipher, cipherIsCurrent
        case last, envelope, envelopeMissing, unknownSlots, slots, dataKeyCreated, dataKeyAgeDays, key, schema, tables
        case libraryTables, holders
    }

    /// The warning about the plaintext that an interrupted conversion has left.
    static func danger(ofPlaintext path: String) -> String {
        "its old plaintext is still in \(path): run `convert`, which erases it"
    }

    /// A description in one line.
    var summary: String { "\(HumanReadable.bytes(bytes)), \(keySummary)" }

    /// The key that opens it.
    var keySummary: String {
        guard let key else { return plaintext ? "plaintext" : "" }
        let isDue = !key.isCurrent || envelopeMissing
        let state = (envelopeMissing ? ", no envelope yet" : "") + (isDue ? ", to be rotated" : "")
        let unknown = unknownSlots > 0 ? ", \(HumanReadable.count(unknownSlots, "slot")) of an unknown kind" : ""
        return "key \(key.number) of \(key.count)\(envelope ? " (in the envelope)" : "")\(state)\(unknown)"
    }

    /// Whether a migration is pending.
    var isPending: Bool { !(schema.pending + schema.changes).isEmpty }

    /// The version, and pending migrations.
    var schemaSummary: String {
        let isAutomatic = schema.newest == Migrator.automaticVersion
        let none = isAutomatic ? "no version: its tables follow their declarations (automatic)" : "no version"
        let version = schema.version.map { "version \($0)" } ?? none
        let pending = schema.pending + schema.changes
        return pending.isEmpty ? version : "\(version), to be migrated: \(pending.joined(separator: ", "))"
    }
}
