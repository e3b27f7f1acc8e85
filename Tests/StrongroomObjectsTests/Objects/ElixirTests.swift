import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// Who comes from Elixir finds its parts here; each test is a row of the article "Coming from Elixir and SQPersist".
@Suite("What Elixir can do", .ending)
struct ElixirTests {
    @Test("four calls") func fourCalls() async throws {
        try await ObjectHome.run { _ async throws in
            var ada = Player(name: "Ada", age: 36)
            try await ada.save()
            #expect(try await Player.all() == [ada])
            #expect(try await Player.all(where: "age > 35") == [ada])
            #expect(try await Player.all { $0.age > 36 } == [])
            try await ada.delete()
            #expect(try await Player.all() == [])
        }
    }

    @Test("predicate queries") func predicateQueries() async throws {
        try await ObjectHome.run { _ async throws in
            var people = [
                Player(name: "Ada", age: 18, email: "ada@example.org"),
                Player(name: "adam", age: 30, email: "adam@example.com"),
                Player(name: "Bob_%", age: 31),
            ]
            try await people.save()
            func names(_ format: PredicateFormat) async throws -> [String] {
                try await Player.all(where: format).map(\.name)
            }
            #expect(try await names("age = 18") == ["Ada"])
            #expect(try await names("18 = age") == ["Ada"])
            #expect(try await names("age > 18 AND age <= 30") == ["adam"])
            #expect(try await names("age >= 30 AND age < 31") == ["adam"])
            #expect(try await names("age != 18") == ["adam", "Bob_%"])
            #expect(try await names("age BETWEEN {18, 30}") == ["Ada", "adam"])
            #expect(try await names("age IN {18, 31}") == ["Ada", "Bob_%"])
            #expect(try await names("name BEGINSWITH 'Ad'") == ["Ada"])
            #expect(try await names("name BEGINSWITH[c] 'Ad'") == ["Ada", "adam"])
            #expect(try await names("name CONTAINS 'b_%'") == ["Bob_%"])
            #expect(try await names("name LIKE '*d?m'") == ["adam"])
            #expect(try await names("email = NIL OR NOT email LIKE '*@example.org'") == ["adam", "Bob_%"])
            let prefix = "x' OR 1 = 1 --"
            #expect(try await Player.all(where: "age BETWEEN {18, 30} AND name = %@", prefix) == [])
            try await expectFailure(.invalidPredicate) { try await Player.all(where: "nmae = 'Ada'") }
        }
    }

    @Test("in-memory-only objects") func inMemoryOnlyObjects() async throws {
        try await ObjectHome.run { home async throws in
            var ada = Player(name: "Ada", age: 36)
            var bob = Player(name: "Bob", age: 20)
            try await ada.save()
            #expect(try await bob.save(persistence: .memory) == .inserted)
            #expect(try await Player.all(where: "age > 10", orderBy: { $0.name.ascending }) == [ada, bob])
            #expect(try await Player.count() == 2)
            #expect(try await onDisk(home) == ["Ada"])
            bob.age = 21
            #expect(try await bob.save() == .updated)
            #expect(try await bob.save(persistence: .memory) == .updated)
            #expect(try await onDisk(home) == ["Ada"])
            #expect(try await bob.save(persistence: .disk) == .updated)
            #expect(try #require(bob.id) < 0)
            #expect(try await onDisk(home) == ["Ada", "Bob"])
            #expect(try await Player.all(orderBy: { $0.name.ascending }) == [ada, bob])
        }
    }

    private func onDisk(_ home: ObjectHome) async throws -> [String] {
        try await home.store.read { db in
            try db.values("SELECT name FROM main.person ORDER BY name", as: String.self)
        }
    }

    @Test("archive option") func archiveOption() async throws {
        try await ObjectHome.run { home async throws in
            for (index, saving) in [LiveSaving.manual, .onRelease, .debounced(.seconds(1))].enumerated() {
                let live = try await Live(Beacon(text: "\(index)"), saving: saving, clock: StepClock())
                live.number = index
            }
            try await home.store.write { _ in }
            #expect(try await Beacon.all().map(\.text) == ["1", "2"])
        }
    }

    @Table("anything", in: "objects.sqlite")
    struct Anything: Equatable {
        enum Colour: String, ColumnValue { case red, green }
        struct Settings: Codable, Equatable, Sendable { var volume = 3 }

        var id: Int64?
        var small: Int8
        var unsigned: UInt32
        var large: Int64
        var float: Float
        var flag: Bool
        var text: String
        var when: Date
        var colour: Colour?
        @Column(as: .json) var settings: Settings
        @Column(as: .json) var list: [String: Int]?
    }

    @Test("types") func types() async throws {
        try await ObjectHome.run { _ async throws in
            var thing = Anything(
                small: -128, unsigned: .max, large: .min, float: 0.1, flag: true, text: "a\0b",
                when: Date(timeIntervalSince1970: 1e10 + 0.25), colour: .green, settings: .init(volume: 7),
                list: ["a": 1])
            try await thing.save()
            #expect(try await Anything.all() == [thing])
            #expect(try await Anything.all(where: "flag = TRUE AND colour = 'green'") == [thing])
            #expect(try await Anything.count(where: "flag = FALSE") == 0)
        }
    }

    @Table("person", in: "objects.sqlite")
    struct RenamedPlayer: Equatable {
        var id: Int64?
        @Column(previously: "name") var fullName: String
        var height: Double?
    }

    @Test("schema update") func schemaUpdate() async throws {
        let home = try ObjectHome()
        try await home.use { () async throws in
            var ada = Player(name: "Ada")
            try await ada.save()
        }
        try await home.stores.closeAll()
        // The next version of the program: a property has another name, another one is new.
        try await home.use { () async throws in
            #expect(try await RenamedPlayer.all() == [RenamedPlayer(id: 1, fullName: "Ada", height: nil)])
        }
        try await home.stores.closeAll()
    }

    @Test("path") func path() async throws {
        try await ObjectHome.run { home async throws in
            try await Player.prepare()
            // The configuration says where; without its word it is the platform's data directory.
            #expect(FileManager.default.fileExists(atPath: home.directory.path("objects.sqlite")))
        }
    }
}
