import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The takeover of \"Coming from GRDB\"")
struct ComingFromGRDBExamples {
    @Table("player")
    struct Player {
        var id: Int64?
        var name: String
        var createdAt: Date
    }

    private func migrator() -> Migrator {
        Migrator {
            Migration("GRDB") { db in
                try db.createTable(Player.schema, ifNotExists: true)
                try db.execute("UPDATE player SET createdAt = (julianday(createdAt) - 2451910.5) * 86400")
                try db.changeColumn(Player.columns.createdAt, in: "player")
                try db.dropTable("grdb_migrations", ifExists: true)
            }
        }
    }

    private struct League: Configuration {
        static let target = "league"
        let directory: TemporaryDirectory
        var migrator: Migrator?

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase("secret")) }
        func migrator(for database: DatabaseName) -> Migrator? { migrator }
    }

    @Test func itsFilesAreTakenOver() async throws {
        let directory = try TemporaryDirectory()
        let before = try await Stores(League(directory: directory)).open("league.sqlite")
        try await before.write { db in
            try db.execute(
                """
                CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, createdAt DATETIME NOT \
                NULL)
                """)
            try db.execute("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            try db.execute("INSERT INTO player (name, createdAt) VALUES ('Arthur', '2026-01-31 12:30:00.250')")
            try db.execute("INSERT INTO player (name, createdAt) VALUES ('Barbara', '2001-01-01 00:00:00.000')")
        }
        try await before.close()

        let store = try await Stores(League(directory: directory, migrator: migrator())).open("league.sqlite")
        let found = try await store.table(Player.self).all()
        #expect(found.map(\.name) == ["Arthur", "Barbara"])
        let date = try Date("2026-01-31T12:30:00Z", strategy: .iso8601).addingTimeInterval(0.25)
        // The engine counts days, with some ten microseconds to spare.
        #expect(abs(found[0].createdAt.timeIntervalSince(date)) < 0.001)
        #expect(found[1].createdAt == Date(timeIntervalSinceReferenceDate: 0))
        #expect(try await store.read { db in try !db.hasTable("grdb_migrations") })
        try await store.close()

        let again = try await Stores(League(directory: directory, migrator: migrator())).open("league.sqlite")
        #expect(again.openReport.migration?.applied == [] && again.openReport.migration?.changed == [])
        try await again.close()
    }

    @Test func aFreshFileGetsTheTableToo() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Stores(League(directory: directory, migrator: migrator())).open("league.sqlite")
        let key = try await store.write { db in
            try Player.insert(Player(name: "Craig", createdAt: Date(timeIntervalSinceReferenceDate: 7)), in: db)
        }
        #expect(try await store.table(Player.self).find(key)?.createdAt == Date(timeIntervalSinceReferenceDate: 7))
        try await store.close()
    }
}
