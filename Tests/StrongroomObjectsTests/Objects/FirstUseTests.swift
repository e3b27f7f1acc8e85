import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("The table of an object's type", .ending)
struct FirstUseTests {
    @Table("person", in: "objects.sqlite")
    struct FormerPlayer {
        var id: Int64?
        var name: String
    }

    @Table("person", in: "objects.sqlite")
    struct StrictPlayer {
        var id: Int64?
        var name: Int
        @Column(default: "unknown") var city: String?
    }

    private func changes(_ home: ObjectHome) -> [String] {
        home.log.entries.filter { $0.message == "tables changed" }.compactMap { $0.metadata["changes"] }
    }

    @Test func itIsMadeAtItsFirstUseAndOnce() async throws {
        try await ObjectHome.run { home async throws in
            #expect(try await Player.all() == [])
            #expect(changes(home).count == 1)
            try await Player.prepare()
            var ada = Player(name: "Ada")
            try await ada.save()
            #expect(changes(home).count == 1)
            let names = try await home.store.read { db in try db.indexes(of: "person").map { $0.parts.map(\.column) } }
            #expect(names.contains(["name"]))
        }
    }

    @Test func aReadLeavesTheTableOfAnotherProgramAsItIs() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            let declaration = "SELECT sql FROM sqlite_master WHERE name = 'person'" as SQL
            try await store.write { db throws in
                try db.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name VARCHAR(20))")
                try db.execute("INSERT INTO person VALUES (1, '0012')")
            }
            let before = try await store.read { db in try db.value(declaration, as: String.self) }
            for _ in 0..<2 {
                #expect(try await store.table(FormerPlayer.self).find(1)?.name == "0012")
                #expect(try await FormerPlayer.all().map(\.name) == ["0012"])
            }
            #expect(try await store.read { db in try db.value(declaration, as: String.self) } == before)
            #expect(changes(home).isEmpty)
            try await store.table(FormerPlayer.self).prepare()
            #expect(changes(home).count == 1)
        }
    }

    @Test func whatDoesNotFitIsRefusedAndTheFileStays() async throws {
        try await ObjectHome.run { home async throws in
            var ada = Player(name: "Ada")
            try await ada.save()
            try await expectFailure(.migrationFailed) { try await StrictPlayer.all() }
            #expect(try await Player.all() == [ada])
            // And again with the next use.
            try await expectFailure(.migrationFailed) { try await StrictPlayer.count() }
        }
    }

    @Test(arguments: ["in: db", "save"])
    func everyWriteCreatesATableThatIsMissing(door: String) async throws {
        struct Regret: Error {}
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            var ada = Player(name: "Ada")
            switch door {
            case "in: db":
                await #expect(throws: Regret.self) {
                    try await store.write { [ada] db throws in
                        try Player.insert(ada, in: db)
                        throw Regret()
                    }
                }
                #expect(try await store.read { db in try db.tableNames() } == [])
                try await store.write { [ada] db throws in
                    #expect(try Player.where { $0.name == "Ada" }.count(in: db) == 0)
                    try Player.insert(ada, in: db)
                }
            default: try await ada.save()
            }
            #expect(try await store.table(Player.self).all().map(\.name) == ["Ada"])
            let indexes = try await store.read { db in try db.indexes(of: "person").map { $0.parts.map(\.column) } }
            #expect(indexes.contains(["name"]))
        }
    }

    /// What a rolled back part has prepared for the table is not used afterwards.
    @Test(arguments: ["transaction", "savepoint", "list", "updates"])
    func aTableThatWasRolledBackIsCreatedAgain(part: String) async throws {
        struct Regret: Error {}
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            let players = (0..<100).map { Player(name: "\($0)", email: "\($0 % 99)") }
            switch part {
            case "transaction":
                for _ in 0..<2 {
                    await #expect(throws: Regret.self) {
                        try await store.write { db throws in
                            try Player.insert(players[0], in: db)
                            throw Regret()
                        }
                    }
                }
            case "savepoint":
                try await store.write { db throws in
                    #expect(throws: Regret.self) {
                        try db.savepoint { db throws in
                            try Player.insert(players[0], in: db)
                            throw Regret()
                        }
                    }
                    try Player.insert(players[0], in: db)
                    try db.execute("DELETE FROM person")
                }
            case "list":
                try await store.write { db throws in
                    try expectFailure(.constraint) { try Player.insert(contentsOf: players, in: db) }
                }
            default:
                try await store.write { db throws in
                    var copy = players
                    try expectFailure(.constraint) { try Player.save(contentsOf: &copy, in: db) }
                    try expectFailure(.constraint) { try Player.upsert(contentsOf: players, in: db) }
                }
            }
            try await store.write { db throws in
                try Player.insert(players[0], in: db)
                #expect(try Player.count(in: db) == 1)
            }
        }
    }

    @Test(arguments: ["truncate", "select", "delete", "update"])
    func everyOperationOfAWriteFindsTheTable(operation: String) async throws {
        try await ObjectHome.run { home async throws in
            try await home.store.write { db throws in
                switch operation {
                case "truncate": #expect(try Player.truncate(in: db) == 0)
                case "select": #expect(try Player.query.select { ($0.name, $0.age) }.fetch(in: db).isEmpty)
                case "delete": #expect(try !Player.delete(5, in: db))
                default: #expect(try Player.where { $0.age > 5 }.update(in: db) { [$0.age.set(1)] } == 0)
                }
            }
        }
    }

    @Test func aDroppedTableIsCreatedAgain() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            for _ in 0..<2 {
                try await store.write { db throws in try Player.insert(Player(name: "Ada"), in: db) }
                #expect(try await store.table(Player.self).count() == 1)
                try await store.write { db throws in try db.dropTable("person") }
            }
        }
    }

    /// A change of a table needs a transaction of its own.
    @Test func outsideOfATransactionATableIsChanged() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            try await store.write { db throws in
                try db.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
                try expectFailure(.sql) { try Player.insert(Player(name: "Ada"), in: db) }
            }
            try await store.table(Player.self).prepare()
            try await store.write { db in try Player.insert(Player(name: "Bob"), in: db) }
            #expect(try await store.table(Player.self).all().map(\.age) == [0])
        }
    }

    @Test func aReadMakesNone() async throws {
        try await ObjectHome.run { home async throws in
            let store = try await home.store
            try await store.read { db throws in _ = try expectFailure(.sql) { try Player.all(in: db) } }
            #expect(try await store.read { db in try db.tableNames() } == [])
            try await Player.prepare()
            #expect(try await store.read { db in try Player.all(in: db) } == [])
        }
    }

    @Test func aTransactionChangesNoTableThatIsThere() async throws {
        let home = try ObjectHome()
        try await home.use { () async throws in
            var former = FormerPlayer(name: "Ada")
            try await former.save()
            let store = try await home.store
            // A live object is saved in a transaction that other objects may share.
            let bob = Live(Player(name: "Bob"), saving: .manual, in: store)
            try await expectFailure(.tableDiffers, saying: "Player.prepare()") { try await bob.save() }
            try await Player.prepare()
            #expect(try await bob.save() == .inserted)
            #expect(try await Player.count() == 2)
        }
        try await home.stores.closeAll()
    }

    @Test func manyTasksMakeItOnce() async throws {
        try await ObjectHome.run { home async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { () async throws in #expect(try await Player.all() == []) } }
                try await group.waitForAll()
            }
            #expect(changes(home).count == 1)
        }
    }

    @Test func whereAMigratorKeepsTheSchemaNothingIsMade() async throws {
        let temporary = try await TemporaryStore()
        // The store has a migrator that knows no table.
        try await expectFailure(.sql) {
            try await temporary.store.write { db in try Kept.delete(Kept(id: 1, name: "a"), in: db) }
        }
        #expect(try await temporary.store.read { db in try db.tableNames() }.contains("kept") == false)
    }

    @Table("kept", in: "temporary.sqlite")
    struct Kept {
        var id: Int64?
        var name: String
    }

    @Test func aFileThatHasBeenThroughVersionsIsRefused() async throws {
        let home = try ObjectHome()
        struct Versioned: Configuration {
            static let target = "objects"
            let home: ObjectHome
            let key: Key
            func filePath(for database: DatabaseName) -> String? { home.directory.path(database.fileName) }
            func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }
            func migrator(for database: DatabaseName) -> Migrator? {
                Migrator(tables: [FormerPlayer.schema]) {
                    Migration("1") { db in try db.createTable(FormerPlayer.schema) }
                }
            }
        }
        let stores = try Stores(Versioned(home: home, key: home.key))
        try await stores.open("objects.sqlite").close()
        try await home.use { () async throws in
            _ = try await expectFailure(.otherMigrations) { try await Player.all() }
        }
        try await home.stores.closeAll()
    }
}

@Suite("Calls on a type", .ending)
struct FourCallsTests {
    @Test func theStoreIsThatOfTheTablesDatabase() async throws {
        try await ObjectHome.run { home async throws in
            var (ada, parcel, scrap) = (Player(name: "Ada"), Parcel(label: "a"), Scrap(text: "b"))
            try await ada.save()
            try await parcel.save()
            try await scrap.save()
            for (name, table) in [("objects", "person"), ("parcels", "parcel"), ("strongroom", "scrap")] {
                let tables = try await home.stores.open("\(name).sqlite").read { db in try db.tableNames() }
                #expect(tables == [table])
            }
        }
        #expect(Stores.defaultDatabaseName == "strongroom.sqlite")
        // No test registers that target in the program's own registry.
        try await expectFailure(.noConfiguration) { try await Scrap.count() }
    }

    @Test func listsAreSavedAndDeletedAsAWhole() async throws {
        try await ObjectHome.run { home async throws in
            var people = (1...50).map { Player(name: "\($0)", email: "\($0)") }
            #expect(try await people.save() == Array(repeating: .inserted, count: 50))
            #expect(try await Player.all() == people)
            var more = [Player(name: "new"), Player(name: "double", email: "7")]
            let before = more
            do {
                try await more.save()
                Issue.record("a double address was saved")
            } catch let error as StrongroomError {
                #expect(error.code == .constraint)
            }
            #expect(more == before)
            #expect(try await Player.count() == 50)
            #expect(try await people.delete() == 50)
            #expect(try await Player.count() == 0)
        }
    }

    @Test func aTaskOfATransactionIsNotInsideIt() async throws {
        try await ObjectHome.run { home async throws in
            try await Player.prepare()
            let store = try await home.store
            let outcome = Locked<Task<Saved, any Error>?>(nil)
            try await store.write { db throws in
                let task = Task {
                    var ada = Player(name: "Ada")
                    return try await home.use { try await ada.save() }
                }
                outcome.withLock { $0 = task }
                #expect(try Player.count(in: db) == 0)
            }
            #expect(try await outcome.withLock { $0 }?.value == .inserted)
        }
    }
}
