import Foundation
import Strongroom
import StrongroomTesting
import Testing

enum InitialLevel: Int, ColumnValue {
    case none, low, high
}

enum InitialMood: Int, ColumnValue {
    case good, bad
}

/// An initial value is a column's default where it is a constant.
struct InitialValueTests {
    @Table("entry")
    struct Entry: Equatable {
        var id: Int64?
        var name = "it's"
        var calls: Int = 0
        var share: Double = -0.5
        var isOpen = true
        var level: InitialLevel = .low
        var odd: InitialLevel = .none
        var maybe: Int? = 7
        var price: Decimal = 2
        @Column(scale: 2) var fee: Decimal = 3
        @Column(default: 4) var given: Int?
        @Column(default: 5) var both: Int = 5
        var note: String?
        var bytes: [UInt8] = []
        // The time of the test's process, which no column can have as its default.
        var when: Date = Date.now
        var token: UUID = UUID()
        var most: Int = .max
        @Column(as: .json) var tags: [String] = ["a"]
    }

    /// The same table before its columns.
    @Table("entry")
    struct Former {
        var id: Int64?
    }

    @Table("entry")
    struct Later {
        var id: Int64?
        var calls: Int = 3
        var level: InitialLevel = .high
        var maybe: Int? = 7
    }

    @Table("diary")
    struct Diary {
        var id: Int64?
        var mood: InitialMood? = .none
    }

    @Test func noneIsNoDefault() async throws {
        let sql = try await TemporaryStore(tables: [Diary.schema]).store.read { db in
            try db.value("SELECT sql FROM sqlite_master WHERE name = 'diary'", as: String.self)
        }
        #expect(sql?.contains("mood") == true && sql?.contains("DEFAULT") == false)
    }

    @Test func theDefaultsStandInTheSchema() async throws {
        let sql = try await TemporaryStore(tables: [Entry.schema]).store.read { db in
            try db.value("SELECT sql FROM sqlite_master WHERE name = 'entry'", as: String.self)
        }
        #expect(
            sql?.replacing("`", with: "\"") == """
                CREATE TABLE "entry" ("id" INTEGER PRIMARY KEY, "name" TEXT NOT NULL DEFAULT 'it''s', \
                "calls" INTEGER NOT NULL DEFAULT (0), "share" REAL NOT NULL DEFAULT (-0.5), \
                "isOpen" INTEGER NOT NULL DEFAULT (1), "level" INTEGER NOT NULL DEFAULT (1), \
                "odd" INTEGER NOT NULL DEFAULT (0), "maybe" INTEGER DEFAULT (7), \
                "price" DECIMAL_TEXT NOT NULL DEFAULT '\(try #require(Decimal(2).stored().text))', \
                "fee" DECIMAL_INTEGER(2) NOT NULL DEFAULT (300), "given" INTEGER DEFAULT (4), \
                "both" INTEGER NOT NULL DEFAULT (5), "note" TEXT, "bytes" BLOB NOT NULL, "when" REAL NOT NULL, \
                "token" TEXT NOT NULL, \
                "most" INTEGER NOT NULL DEFAULT (9223372036854775807), "tags" TEXT NOT NULL)
                """)
    }

    @Test func aColumnIsAddedToATableWithRows() async throws {
        let vault = Vault(keys: .numbered(1))
        try await vault.with(\.migrator, .automatic(tables: [Former.schema])).using { store in
            _ = try await store.write { db in try Former.insert(Former(), in: db) }
        }
        try await vault.with(\.migrator, .automatic(tables: [Later.schema])).using { store in
            let found = try await store.read { db in try Later.all(in: db) }
            #expect(found.map(\.calls) == [3])
            #expect(found.map(\.level) == [.high])
            #expect(found.map(\.maybe) == [7])
        }
        // Opened again: nothing is left to change.
        try await vault.with(\.migrator, .automatic(tables: [Later.schema])).using { store in
            #expect(store.opening.migration?.schemaChanges == [])
        }
    }

    @Test func aMissingKeyIsTheInitialValue() throws {
        let entry = try Entry(
            json: """
                {"when": "2026-11-21T20:15:00Z", "token": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", \
                "tags": [], "bytes": ""}
                """)
        #expect(entry.name == "it's")
        #expect(entry.calls == 0)
        #expect(entry.share == -0.5)
        #expect(entry.isOpen)
        #expect(entry.level == .low)
        #expect(entry.odd == InitialLevel.none)
        #expect(entry.maybe == 7)
        #expect(entry.price == 2)
        #expect(entry.fee == 3)
        #expect(entry.given == 4)
        #expect(entry.both == 5)
        #expect(entry.note == nil)
        try expectFailure(.notARecord) { _ = try Entry(json: "{}") }
        #expect(try Later(dictionary: [:]).calls == 3)
        #expect(try Later(dictionary: ["maybe": .null]).maybe == nil)
    }

    @Test func anUpsertOfJSONTakesItInANewRowAlone() async throws {
        try await TemporaryStore(tables: [Later.schema]).store.write { db in
            try Later.upsert(json: #"{"id": 1, "level": 1}"#, in: db)
            try Later.upsert(json: #"{"id": 1, "calls": 9}"#, in: db)
            let row = try #require(try Later.find(1, in: db))
            #expect(row.level == .low)
            #expect(row.calls == 9)
            #expect(row.maybe == 7)
        }
    }

    @Test func anInsertWithSingleValuesTakesIt() async throws {
        try await TemporaryStore(tables: [Later.schema]).store.write { db in
            let id = try Later.insert(in: db) { [$0.calls.set(1)] }
            #expect(try Later.find(id, in: db)?.level == .high)
        }
    }

    /// An argument `default:` replaces nil; an initial value does not, since nil can be meant.
    @Test func aNilThatIsGivenIsNULL() async throws {
        try await TemporaryStore(tables: [Entry.schema]).store.write { db in
            for isListed in [false, true] {
                var entry = Entry()
                entry.maybe = nil
                entry.given = nil
                let id = isListed ? try Entry.insert(contentsOf: [entry], in: db)[0] : try Entry.insert(entry, in: db)
                let found = try #require(try Entry.find(id, in: db))
                #expect(found.maybe == nil)
                #expect(found.given == 4)
            }
        }
    }
}

extension Value {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
