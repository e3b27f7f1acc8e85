import Foundation
import Logging
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// Who comes from SQPersist finds its parts here; each test is a row of the article "Coming from Elixir and SQPersist".
@Suite("What SQPersist can do", .ending)
struct SQPersistTests {
    @Table("user", in: "objects.sqlite")
    struct User: Equatable {
        @Column(primaryKey: true) var objectID: UUID?
        var name: String
        @Column(default: "member") var role: String?
        @Ignored var isSelected = false
        @Ignored var isGone = false

        static let hooks: RecordHooks<User>? = RecordHooks().deletesOnSave { $0.isGone }
    }

    @Test("table made on first use") func tableMadeOnFirstUse() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            #expect(try await store.read { db in try db.tableNames() } == [])
            var user = User(name: "Ada")
            try await user.save()
            #expect(try await store.read { db in try db.tableNames() } == ["user"])
            let key = try #require(user.objectID)
            let stored = try await store.read { db in try db.value("SELECT objectID FROM user", as: String.self) }
            #expect(stored == key.uuidString)
            let indexes = try await store.read { db throws in
                try db.value("SELECT count(*) FROM sqlite_master WHERE type = 'index'", as: Int.self)
            }
            #expect(indexes == 1)
        }
    }

    @Table("fact", in: "objects.sqlite")
    struct Fact: Equatable {
        var id: UUID?
        var short: Int16
        var long: Int64
        var real: Double
        var amount: Decimal
        var date: Date
        var data: [UInt8]
        var link: URL
        var isTrue: Bool
    }

    @Test("types") func types() async throws {
        try await ObjectHome.run { _ async throws in
            let after2038 = Date(timeIntervalSince1970: 5_000_000_000)
            var fact = Fact(
                short: .min, long: .max, real: 0.1, amount: try #require(Decimal(string: "0.1234567890123456789")),
                date: after2038, data: [0xFF, 0xD8], link: try #require(URL(string: "https://example.org/a?b")),
                isTrue: true)
            try await fact.save()
            #expect(try await Fact.all() == [fact])
        }
    }

    @Test("save") func save() async throws {
        try await ObjectHome.run { _ async throws in
            var user = User(name: "Ada")
            #expect(try await user.save() == .inserted)
            user.name = "Ada L."
            #expect(try await user.save() == .updated)
            var list = [user, User(name: "Bob")]
            #expect(try await list.save() == [.updated, .inserted])
            // Updating a row that is gone does not "succeed": it is there again.
            try await user.delete()
            #expect(try await user.save() == .inserted)
            #expect(try await User.count() == 2)
        }
    }

    @Test("delete") func delete() async throws {
        try await ObjectHome.run { _ async throws in
            var users = ["a", "b", "c", "d"].map { User(name: $0) }
            try await users.save()
            users[0].isGone = true
            #expect(try await users.save() == [.deleted, .updated, .updated, .updated])
            #expect(try await users[1].delete())
            #expect(try await User.deleteAll(where: "name = %@", "c") == 1)
            #expect(try await User.all().map(\.name) == ["d"])
        }
    }

    @Test("fetch") func fetch() async throws {
        try await ObjectHome.run { _ async throws in
            var users = (0..<10).map { User(name: "n\($0)", role: $0 % 2 == 0 ? "even" : "odd") }
            try await users.save()
            #expect(try await User.first() != nil)
            let key = try #require(users[3].objectID)
            #expect(try await User.find(key) == users[3])
            #expect(try await User.first(where: "role = 'odd'", orderBy: { $0.name.ascending })?.name == "n1")
            #expect(try await User.all(where: { $0.name == "n4" }) == [users[4]])
            let page = try await User.all(
                where: "role IN {'even', 'odd'}", orderBy: { $0.name.descending }, page: 1, size: 4)
            #expect(page.map(\.name) == ["n5", "n4", "n3", "n2"])
            #expect(try await User.all(groupBy: { $0.role }).count == 2)
        }
    }

    @Test("count, truncate") func countAndTruncate() async throws {
        try await ObjectHome.run { _ async throws in
            var users = (0..<10).map { User(name: "n\($0)") }
            try await users.save()
            #expect(try await User.count() == 10)
            #expect(try await User.count(where: "name > 'n6'") == 3)
            #expect(try await User.truncate() == 10)
            #expect(try await User.count() == 0)
        }
    }

    @Test("transactions") func transactions() async throws {
        struct Regret: Error {}
        try await ObjectHome.run { home async throws in
            try await User.prepare()
            await #expect(throws: Regret.self) {
                try await home.store.write { db throws in
                    var user = User(name: "Ada")
                    try User.save(&user, in: db)
                    #expect(try User.count(in: db) == 1)
                    throw Regret()
                }
            }
            #expect(try await User.count() == 0)
            try await home.store.write { db throws in
                var user = User(name: "Ada")
                try User.save(&user, in: db)
            }
            #expect(try await User.count() == 1)
        }
    }

    @Test("files") func files() async throws {
        let home = try ObjectHome()
        try await home.use { () async throws in
            var scrap = Scrap(text: "a")
            try await scrap.save()
            // A table that names no database has the default one.
            #expect(try home.stores.exists(Stores.defaultDatabaseName))
            try await home.stores.closeAll()
            #expect(try await home.stores.remove(Stores.defaultDatabaseName))
            #expect(try !home.stores.exists(Stores.defaultDatabaseName))
            let left = try FileManager.default.contentsOfDirectory(atPath: home.directory.url.path)
            #expect(!left.contains { $0.hasPrefix(Stores.defaultDatabaseName) })
        }
    }

    @Table("user", in: "objects.sqlite")
    struct LaterUser: Equatable {
        @Column(primaryKey: true) var objectID: UUID?
        var name: String
        @Column(default: 0) var points = 0
    }

    @Test("add missing columns") func addMissingColumns() async throws {
        try await ObjectHome.run { _ async throws in
            var user = User(name: "Ada")
            try await user.save()
            #expect(try await LaterUser.all() == [LaterUser(objectID: user.objectID, name: "Ada", points: 0)])
            // What is not declared stays: the type of before still finds its own.
            #expect(try await User.all().map(\.role) == ["member"])
        }
    }

    @Test("dictionary and JSON") func dictionaryAndJSON() async throws {
        try await ObjectHome.run { _ async throws in
            var user = try User(json: #"{"name": "Ada"}"#)
            try await user.save()
            #expect(user.objectID != nil)
            #expect(try User(dictionary: user.dictionary()).objectID == user.objectID)
            let before = user
            #expect(throws: StrongroomError.self) { try user.apply(json: #"{"name": "Bob", "role": 3, "shoe": 1}"#) }
            #expect(user == before)
        }
    }

    @Test("ignored properties, default values, request logging") func ignoredDefaultsAndLogging() async throws {
        try await ObjectHome.run { home async throws in
            var user = User(name: "Ada", isSelected: true)
            try await user.save()
            let key = try #require(user.objectID)
            let found = try #require(try await User.find(key))
            #expect(!found.isSelected && found.role == "member")
            let columns = try await home.store.read { db in try db.columns(of: "user").map(\.name) }
            #expect(columns == ["objectID", "name", "role"])
        }
        let home = try ObjectHome(level: .debug)
        try await home.use { () async throws in
            var user = User(name: "a secret name")
            try await user.save()
        }
        try await home.stores.closeAll()
        let statements = home.log.entries.compactMap { $0.metadata["sql"] }
        #expect(statements.contains { $0.hasPrefix("INSERT INTO `user`") || $0.hasPrefix("INSERT INTO \"user\"") })
        #expect(!statements.contains { $0.contains("secret") })
    }
}
