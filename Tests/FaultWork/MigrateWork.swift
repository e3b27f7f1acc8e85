import Foundation
package import Strongroom

/// A file of an old version that is opened with a migrator of three versions more, and with another key if it is to be
/// rotated, too.
package struct MigrateWork: Work {
    package let steps = 3
    private let rotates: Bool
    private static let notes = 40

    package init(rotates: Bool = false) {
        self.rotates = rotates
    }

    package var name: String { rotates ? "migrate-rotate" : "migrate" }

    private static let migrations = [
        Migration("1") { db in
            try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        },
        Migration("2") { db in
            try db.execute("ALTER TABLE note ADD COLUMN length INTEGER NOT NULL DEFAULT 0")
            try db.execute("UPDATE note SET length = length(text)")
        },
        Migration("3") { db in
            try db.execute("CREATE TABLE long_note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            try db.execute("INSERT INTO long_note SELECT id, text FROM note WHERE id % 2 = 0")
            try db.execute("DELETE FROM note WHERE id % 2 = 0")
        },
        Migration("4") { db in
            try db.execute("CREATE UNIQUE INDEX note_text ON note (text)")
            try db.execute("UPDATE long_note SET text = text || '!'")
        },
    ]

    private static func migrator(upTo version: Int) -> Migrator { Migrator { migrations.prefix(version).map(\.self) } }

    private static func text(_ id: Int) -> String { "note \(id) " + String(repeating: "y", count: id * 37 % 900) }

    package func prepare(in place: Place) async throws -> Store? {
        let store = try await place.open(firstKeys(), Self.migrator(upTo: 1))
        try await store.write { db in
            for id in 1...Self.notes { try db.execute("INSERT INTO note VALUES (\(id), \(Self.text(id)))") }
        }
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        let chain = try rotates ? KeyChain(.old, .new) : firstKeys()
        try await using(place, chain, Self.migrator(upTo: 4)) { store in
            if store.openReport.rotationFailure != nil {
                try await place.againWithSpace { _ = try await store.rotate() }
            }
            acknowledge(steps)
        }
    }

    package func look(in place: Place) async throws -> Sight {
        guard rotates else { return try await sight(place, firstKeys()) }
        do {
            return try await sight(place, KeyChain(.new))
        } catch let error as StrongroomError where [.wrongKey, .truncated].contains(error.code) {
            let sight = try await sight(place, KeyChain(.old))
            // It is rotated before it is migrated.
            guard sight.step == 0 else {
                return Sight(step: sight.step, rows: sight.rows, integrity: "migrated, but not rotated")
            }
            return sight
        }
    }

    private func sight(_ place: Place, _ keys: KeyChain) async throws -> Sight {
        try await using(place, keys, nil) { store in
            try await store.read { db in
                let step = (try db.value("SELECT count(*) FROM strongroom_migrations", as: Int.self) ?? 0) - 1
                var rows: [String] = []
                let notes: SQL =
                    step < 1
                    ? "SELECT 'note', id, text, 0 FROM note ORDER BY id"
                    : "SELECT 'note', id, text, length FROM note ORDER BY id"
                let longNotes: SQL = "SELECT 'long', id, text, 0 FROM long_note ORDER BY id"
                for query in step < 2 ? [notes] : [notes, longNotes] {
                    try db.forEachRow(query) { row in
                        let (table, id, text, length): (String, Int, String, Int) = try (row[0], row[1], row[2], row[3])
                        rows.append("\(table) \(id) \(length) \(text)")
                    }
                }
                return try Sight(step: step, rows: rows, checking: db)
            }
        }
    }

    package func rows(after step: Int) -> [String] {
        let ids = 1...Self.notes
        let notes = step < 2 ? Array(ids) : ids.filter { $0 % 2 == 1 }
        let longNotes = step < 2 ? [] : ids.filter { $0 % 2 == 0 }
        return notes.map { "note \($0) \(step < 1 ? 0 : Self.text($0).count) \(Self.text($0))" }
            + longNotes.map { "long \($0) 0 \(Self.text($0))\(step < 3 ? "" : "!")" }
    }
}

/// A file that gets an envelope, whose envelope gets another key, or that gets another data key.
package struct EnvelopeWork: Work {
    package enum Kind: String, CaseIterable, Sendable {
        case envelope, rewrap
        case dataKey = "data-key"
    }

    private let kind: Kind
    package let steps = 1

    package init(_ kind: Kind) {
        self.kind = kind
    }

    package var name: String { kind.rawValue }

    package func prepare(in place: Place) async throws -> Store? {
        let place = kind == .envelope ? place : place.wrapped
        let store = try await place.open(firstKeys(), Lines.migrator)
        try await store.write { db in try Lines.fill(db) }
        if kind == .dataKey { try await store.addKey(.offline.publicKey, label: "offline") }
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        let chain =
            switch kind {
            case .envelope: try KeyChain(.old)
            case .rewrap: try KeyChain(.old, .new)
            // The private key is not there.
            case .dataKey: try KeyChain(.offline.publicKey, .old)
            }
        try await using(place.wrapped, chain, Lines.migrator) { store in
            if store.openReport.rotationFailure != nil {
                try await place.againWithSpace { _ = try await store.rotate() }
            }
            if kind == .dataKey { try await place.againWithSpace { _ = try await store.rotate(.dataKey) } }
            acknowledge(1)
        }
    }

    package func look(in place: Place) async throws -> Sight {
        switch kind {
        case .dataKey:
            // Nothing tells one data key from another.
            let sights = try await [sight(place, .offline.privateKey) { _ in 1 }, sight(place, .old) { _ in 1 }]
            guard sights[0] == sights[1] else {
                throw StrongroomError(.damaged, "The private key opens another state than the key of the chain.")
            }
            return sights[1]
        case .envelope:
            return try await sight(place, .old) {
                $0.openReport.rotation == nil && $0.openReport.rotationFailure == nil ? 1 : 0
            }
        case .rewrap:
            do {
                return try await sight(place, .new) { _ in 1 }
            } catch let error as StrongroomError where error.code == .wrongKey {
                return try await sight(place, .old) { _ in 0 }
            }
        }
    }

    private func sight(_ place: Place, _ key: Key, step: (Store) -> Int) async throws -> Sight {
        try await using(place.wrapped, KeyChain(key), Lines.migrator) { store in
            let sight = try await Lines.sight(of: store)
            return Sight(step: step(store), rows: sight.rows, integrity: sight.integrity)
        }
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: 0) }
}

extension Key {
    /// A pair of keys of which the database has only the public one.
    fileprivate static var offline: (publicKey: Key, privateKey: Key) {
        get throws {
            (
                try .publicKey(
                    pem: """
                        -----BEGIN PUBLIC KEY-----
                        MCowBQYDK2VuAyEAs2aNzgzf+xcdl+1AKb3SsFBAtBi9kDsWAm6RsMshXEs=
                        -----END PUBLIC KEY-----
                        """),
                try .privateKey(
                    pem: """
                        -----BEGIN PRIVATE KEY-----
                        MC4CAQAwBQYDK2VuBCIEIFh2N7ANpDDFep6DqDokugdYCMuv43/vq0towdj+ac1h
                        -----END PRIVATE KEY-----
                        """)
            )
        }
    }
}
