import Foundation
package import Strongroom

/// The backup of a database with an envelope, in the place of an older one with another data key. What counts is what
/// the backup restores to, with the key of the chain and with a recovery key.
package struct BackupWork: Work {
    package let name = "backup"
    package let steps = 1

    package init() {}

    package func prepare(in place: Place) async throws -> Store? {
        let store = try await place.openWithBackup(firstKeys())
        try await store.write { db in try Lines.advance(db) }
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await using(place.wrapped, firstKeys(), Lines.migrator) { store in
            _ = try await place.againWithSpace { try await store.backup(to: place.backupPath, replacing: true) }
            acknowledge(1)
        }
    }

    package func look(in place: Place) async throws -> Sight {
        let own = try await using(place.wrapped, firstKeys(), Lines.migrator) { try await Lines.sight(of: $0) }
        guard own.integrity == "ok", own.rows == rows(after: 1) else {
            throw StrongroomError(.damaged, "The database itself is not as it was.")
        }
        let sights = [
            try await restored(place, KeyChain(.paper, .new)), try await restored(place, firstKeys()),
        ]
        guard sights[0] == sights[1] else {
            throw StrongroomError(.damaged, "The recovery key restores another state than the key of the chain.")
        }
        return sights[0]
    }

    /// What the backup restores to where there is no database.
    private func restored(_ place: Place, _ keys: KeyChain) async throws -> Sight {
        let other = Place("\(place.directory)/restored").wrapped
        try FileManager.default.createDirectory(atPath: other.directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: other.directory) }
        try await other.stores(keys, Lines.migrator).restore(place.fileName, from: place.backupPath)
        return try await using(other, keys, Lines.migrator) { try await Lines.sight(of: $0) }
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: step) }
}

/// A database with an envelope that is replaced with its backup, or that is lost and made from it.
package struct BackupRestoreWork: Work {
    package enum Kind: String, CaseIterable, Sendable {
        /// The database is there, has another data key, and has changed since.
        case replace = "restore-backup"
        /// Only the backup is left.
        case create = "restore-lost"
    }

    private let kind: Kind
    package let steps = 1

    package init(_ kind: Kind) {
        self.kind = kind
    }

    package var name: String { kind.rawValue }

    package var beginsWithFile: Bool { kind == .replace }

    /// The copy is flushed while connections, which create and remove logs, check it.
    package var isRepeatable: Bool { false }

    package func prepare(in place: Place) async throws -> Store? {
        let store = try await place.openWithBackup(firstKeys())
        try await store.write { db in try Lines.advance(db) }
        guard kind == .create else { return store }
        try await store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: place.directory)
        where name.contains(place.fileName) {
            try FileManager.default.removeItem(atPath: "\(place.directory)/\(name)")
        }
        return nil
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        let stores = try place.wrapped.stores(firstKeys(), Lines.migrator)
        try await place.whenAlone { _ = try await stores.restore(place.fileName, from: place.backupPath) }
        acknowledge(1)
        // What an attempt before has left is removed when the database is opened.
        try await using(place.wrapped, firstKeys(), Lines.migrator) { _ in }
    }

    package func look(in place: Place) async throws -> Sight {
        guard place.hasFile else { return .nothing }
        // The recovery key first: an opening completes the envelope.
        let sights = [
            try await sight(place, KeyChain(.paper, .new)), try await sight(place, firstKeys()),
        ]
        guard sights[0] == sights[1] else {
            throw StrongroomError(.damaged, "The recovery key opens another state than the key of the chain.")
        }
        return sights[0]
    }

    private func sight(_ place: Place, _ keys: KeyChain) async throws -> Sight {
        let sight = try await using(place.wrapped, keys, Lines.migrator) { try await Lines.sight(of: $0) }
        return Sight(step: 1 - sight.step, rows: sight.rows, integrity: sight.integrity)
    }

    package func rows(after step: Int) -> [String] {
        kind == .create && step == 0 ? [] : Lines.rows(after: 1 - step)
    }
}

extension Place {
    /// Makes a database with an envelope, whose slots are those of a chain and of a recovery key, and its backup; the
    /// database gets another data key then.
    fileprivate func openWithBackup(_ keys: KeyChain) async throws -> Store {
        let store = try await wrapped.open(keys, Lines.migrator)
        try await store.write { db in try Lines.fill(db) }
        try await store.addKey(.paper, label: "recovery")
        _ = try await store.backup(to: backupPath)
        _ = try await store.rotate(.dataKey, keys: [.paper])
        return store
    }
}

extension Lines {
    /// The first round.
    fileprivate static func advance(_ db: borrowing WriteTransaction) throws {
        try insert(1, db)
        try change(1, db)
    }
}

extension Key {
    /// A recovery key that is the same in each process.
    fileprivate static var paper: Key {
        get throws { .recovery(try RecoveryKey("01233-4567V-89AB2-CDEFE-GHJK1-MNPQS-RSTV0-WXYZ1")) }
    }
}

/// A migrated file that is replaced with its migration backup.
package struct RestoreWork: Work {
    package let name = "restore"
    package let steps = 1
    private static let count = 60

    package init() {}

    private static let migrations = [
        Migration("1") { db in
            try db.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            for id in 1...count { try db.execute("INSERT INTO entry VALUES (\(id), \(text(id)))") }
        },
        Migration("2") { db in
            try db.execute("DELETE FROM entry WHERE id % 3 = 0")
            try db.execute("UPDATE entry SET text = text || '!'")
            try db.execute("CREATE INDEX entry_text ON entry (text)")
        },
    ]

    private static func text(_ id: Int) -> String { "entry \(id) " + String(repeating: "z", count: id * 53 % 700) }

    private static func migrator(upTo version: Int) -> Migrator { Migrator { migrations.prefix(version).map(\.self) } }

    package func prepare(in place: Place) async throws -> Store? {
        try await using(place, firstKeys(), Self.migrator(upTo: 1)) { _ in }
        return try await place.withMigrationBackups.open(firstKeys(), Self.migrator(upTo: 2))
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await place.restore(firstKeys())
        acknowledge(1)
    }

    package func look(in place: Place) async throws -> Sight {
        try await using(place, firstKeys(), nil) { store in
            try await store.read { db in
                let versions = try db.value("SELECT count(*) FROM strongroom_migrations", as: Int.self) ?? 0
                var rows: [String] = []
                try db.forEachRow("SELECT id, text FROM entry ORDER BY id") { row in
                    rows.append("\(try row[0] as Int) \(try row[1] as String)")
                }
                return try Sight(step: 2 - versions, rows: rows, checking: db)
            }
        }
    }

    package func rows(after step: Int) -> [String] {
        (1...Self.count).filter { step == 1 || $0 % 3 > 0 }.map { "\($0) \(Self.text($0))\(step == 1 ? "" : "!")" }
    }
}
