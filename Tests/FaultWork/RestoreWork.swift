package import Strongroom

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
