import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Objects in memory beside those of the file", .ending)
struct ObjectsBesideTheFileTests {
    /// Every second one in memory.
    private func withPlayers(_ body: @Sendable (ObjectHome) async throws -> Void) async throws {
        try await ObjectHome.run { home async throws in
            for number in 1...20 {
                var player = Player(name: "\(number % 7)", age: number, email: "\(number)@example.org")
                try await player.save(persistence: number.isMultiple(of: 2) ? .memory : .disk)
            }
            try await body(home)
        }
    }

    @Test func queriesFindThemAsInOneTable() async throws {
        try await withPlayers { _ async throws in
            func ages(_ players: [Player]) -> [Int] { players.map(\.age) }
            #expect(ages(try await Player.all(orderBy: { $0.age.ascending })) == Array(1...20))
            #expect(ages(try await Player.all(where: "age > %d", 17, orderBy: { $0.age.descending })) == [20, 19, 18])
            #expect(try await Player.count(where: { $0.name == "3" }) == 3)
            #expect(try await Player.first(where: { $0.age > 7 }, orderBy: { $0.age.ascending })?.age == 8)
            for page in 0..<4 {
                let found = try await Player.all(orderBy: { $0.age.ascending }, page: page, size: 6)
                #expect(ages(found) == Array((page * 6 + 1)...min(page * 6 + 6, 20)))
            }
            let query = Player.order { $0.name.ascending }.order { $0.age.descending }.limit(4, offset: 3)
            let sorted = (1...20).sorted { ("\($0 % 7)", -$0) < ("\($1 % 7)", -$1) }
            #expect(ages(try await Player.all(query)) == Array(sorted[3..<7]))
            let above = Player.where { $0.age > 3 }
            #expect(ages(try await Player.all(where: { $0.id.isIn(above.limit(2)) })).count == 2)
            #expect(try await Player.all(groupBy: { $0.name }).count == 7)
        }
    }

    @Test func theCoreReadsTheFileAlone() async throws {
        try await withPlayers { home async throws in
            let (number, ages) = try await home.store.read { db in
                (try Player.count(in: db), try Player.order { $0.age.ascending }.fetch(in: db).map(\.age))
            }
            #expect(number == 10 && ages == Array(stride(from: 1, through: 19, by: 2)))
            #expect(try await home.store.read { db in try db.value("SELECT count(*) FROM person") } == 10)
        }
    }

    @Test func theyAreGoneWhenTheStoreCloses() async throws {
        try await withPlayers { home async throws in
            try await home.stores.closeAll()
            #expect(try await Player.count() == 10)
            var player = Player(name: "Ada")
            try await player.save(persistence: .memory)
            #expect(try await Player.count() == 11)
        }
    }

    @Test func deletionsReachBoth() async throws {
        try await withPlayers { home async throws in
            #expect(try await Player.deleteAll(where: "age > 15") == 5)
            #expect(try await Player.deleteAll { $0.age <= 2 } == 2)
            let middle = try await Player.all(where: { $0.age.isIn(10...11) })
            #expect(try await middle.delete() == 2)
            #expect(try await middle.delete() == 0)
            #expect(try await Player.count() == 11)
            #expect(try await Player.truncate() == 11)
            #expect(try await Player.count() == 0)
        }
    }

    @Test func aMovedObjectKeepsItsKeyAndIsThereOnce() async throws {
        try await ObjectHome.run { home async throws in
            var (ada, bob) = (Player(name: "Ada"), Player(id: 7, name: "Bob"))
            try await ada.save(persistence: .memory)
            try await bob.save(persistence: .memory)
            let key = try #require(ada.id)
            ada.age = 3
            try await ada.save(persistence: .disk)
            try await bob.save(persistence: .disk)
            #expect(ada.id == key && bob.id == 7)
            #expect(try await Player.all() == [ada, bob])
            #expect(try await home.store.read { db in try Player.all(in: db) } == [ada, bob])
            // Not even when the file no longer has them.
            try await home.store.write { db in try Player.truncate(in: db) }
            #expect(try await Player.count() == 0)
        }
    }

    @Test func aListIsSavedWhereEachIs() async throws {
        try await withPlayers { home async throws in
            var players = try await Player.all(orderBy: { $0.age.ascending })
            for index in players.indices { players[index].age += 100 }
            #expect(try await players.save() == [Saved](repeating: .updated, count: 20))
            #expect(try await Player.all(orderBy: { $0.age.ascending }) == players)
            #expect(try await home.store.read { db in try Player.count(in: db) } == 10)
        }
    }

    @Test func aListThatFailsChangesNothing() async throws {
        try await withPlayers { home async throws in
            let before = try await Player.all(orderBy: { $0.age.ascending })
            try await expectFailure(.constraint) { () async throws in
                var players = before
                for index in players.indices { players[index].name = "x" }
                // One of those in memory, which are written last.
                players[19].email = players[17].email
                return try await players.save()
            }
            #expect(try await Player.all(orderBy: { $0.age.ascending }) == before)
        }
    }

    @Test func theRowOfAnotherProcessCounts() async throws {
        try await ObjectHome.run { home async throws in
            var draft = Player(id: 5, name: "draft")
            try await draft.save(persistence: .memory)
            // A write that knows nothing of objects in memory stands for that of another process.
            try await home.store.write { db in try Player.insert(Player(id: 5, name: "row"), in: db) }
            #expect(try await Player.all().map(\.name) == ["row"])
            draft.age = 1
            #expect(try await draft.save() == .updated)
            #expect(try await home.store.read { db in try Player.find(5, in: db)?.age } == 1)
        }
    }

    /// So that many saves do not look up every object in the file again.
    @Test func aWriteLooksUpTheObjectsThatItConcerns() async throws {
        try await ObjectHome.run { home async throws in
            var (hidden, other) = (Player(id: 5, name: "hidden"), Player(id: 6, name: "other"))
            try await hidden.save(persistence: .memory)
            try await other.save(persistence: .memory)
            try await home.store.write { db in try Player.insert(Player(id: 5, name: "row"), in: db) }
            other.age = 1
            #expect(try await other.save() == .updated)
            #expect(try await Player.all(orderBy: { $0.id.ascending }).map(\.name) == ["row", "other"])
            try await home.store.write { db in try Player.delete(5, in: db) }
            #expect(try await Player.find(5) == hidden)
        }
    }

    @Table("ware", in: "objects.sqlite")
    struct Ware: Equatable {
        var id: UUID?
        @Column(collation: .noCase) var name: String
        @Column(scale: 2) var price: Decimal
        @Column(as: .iso8601) var due: Date
    }

    @Test func columnsAreComparedAndSortedAsInTheFile() async throws {
        try await ObjectHome.run { _ async throws in
            let day = Date(timeIntervalSince1970: 1_795_292_100)
            for (number, name) in ["a", "B", "c", "D"].enumerated() {
                var ware = Ware(name: name, price: Decimal(9 + number), due: day + Double(number))
                try await ware.save(persistence: number.isMultiple(of: 2) ? .memory : .disk)
            }
            #expect(try await Ware.all(orderBy: { $0.name.ascending }).map(\.name) == ["a", "B", "c", "D"])
            #expect(try await Ware.all(where: { $0.name.isIn(["A", "b"]) }, orderBy: { $0.name.ascending }).count == 2)
            #expect(try await Ware.count(where: "price > 9 AND price < 11.5") == 2)
            #expect(try await Ware.all(orderBy: { $0.price.descending }).map(\.price) == [12, 11, 10, 9])
            #expect(try await Ware.count(where: { $0.due > day }) == 3)
            let mine = Set(try await Ware.all().compactMap(\.id))
            #expect(mine.count == 4)
        }
    }

    @Test func anObjectInMemoryIsReloaded() async throws {
        try await ObjectHome.run { _ async throws in
            var ada = Player(name: "Ada")
            try await ada.save(persistence: .memory)
            var copy = ada
            copy.age = 4
            try await copy.save()
            try await ada.reload()
            #expect(ada == copy)
        }
    }

    @Test func noFileHasThem() async throws {
        try await ObjectHome.run { home async throws in
            var ada = Player(name: "unmistakable name in memory")
            try await ada.save(persistence: .memory)
            #expect(try await Player.all(where: "name CONTAINS 'unmistakable'").count == 1)
            let copy = home.directory.path("plain.sqlite")
            try await home.store.exportPlaintext(to: copy)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
            #expect(bytes.range(of: Data("unmistakable".utf8)) == nil)
        }
    }
}

@Suite("Objects that save themselves in memory with their children")
struct ObjectFamiliesInMemoryTests {
    @Table("album", in: "families.sqlite")
    struct Gallery: Equatable {
        var id: Int64?
        var title: String
        @HasMany var images: [Image] = []

        static let relations: Relations<Gallery>? = Relations().hasMany(\.$images, by: \.gallery)
    }

    @Table("image", in: "families.sqlite")
    struct Image: Equatable {
        var id: Int64?
        var name: String
        @Column(references: Reference("album")) var gallery: Int64?
    }

    @Table("shelf", in: "families.sqlite")
    struct Shelf: Equatable {
        var id: Int64?
        @HasMany var volumes: [Volume] = []

        static let relations: Relations<Shelf>? = Relations().hasMany(\.$volumes, by: \.shelf, orphans: .delete)
    }

    @Table("volume", in: "families.sqlite")
    struct Volume: Equatable {
        var id: Int64?
        var title: String
        var shelf: Int64?
        @HasMany var slips: [Slip] = []

        static let relations: Relations<Volume>? = Relations().hasMany(\.$slips, by: \.volume, orphans: .detach)
    }

    @Table("slip", in: "families.sqlite")
    struct Slip: Equatable {
        var id: Int64?
        var volume: Int64?
    }

    private struct Families: Configuration {
        static let target = "families"

        let directory: TemporaryDirectory
        let key = Key.random()

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(key) }
    }

    private func withStores(_ body: (Store) async throws -> Void) async throws {
        let stores = try Stores(Families(directory: try TemporaryDirectory()))
        try await Stores.$current.withValue(stores) {
            try await body(try await stores.open("families.sqlite"))
            try await stores.closeAll()
        }
    }

    private static func inFile(_ db: borrowing some Reading & ~Copyable) throws -> Int {
        try db.value("SELECT (SELECT count(*) FROM main.album) + (SELECT count(*) FROM main.image)") ?? 0
    }

    @Test func theyMoveToTheFileTogether() async throws {
        try await withStores { store in
            var gallery = Gallery(title: "north", images: [Image(name: "pier"), Image(name: "quay")])
            try await gallery.save(persistence: .memory, cascading: true)
            let key = try #require(gallery.id)
            #expect(key < 0 && gallery.images.map(\.gallery) == [key, key])
            #expect(try await Image.all(orderBy: { $0.name.ascending }).map(\.name) == ["pier", "quay"])
            #expect(try await store.read { db in try Self.inFile(db) } == 0)
            #expect(try await gallery.save(persistence: .disk, cascading: true) == .updated)
            #expect(gallery.id == key && gallery.images.map(\.gallery) == [key, key])
            #expect(try await Image.count() == 2)
            #expect(try await store.read { db in try Self.inFile(db) } == 3)
        }
    }

    @Test func listsMoveToTheFileTogether() async throws {
        try await withStores { store async throws in
            var galleries = [Gallery(title: "north", images: [Image(name: "pier")]), Gallery(title: "south")]
            #expect(try await galleries.save(persistence: .memory, cascading: true) == [.inserted, .inserted])
            let keys = galleries.map(\.id)
            #expect(galleries[0].images.map(\.gallery) == [keys[0]])
            #expect(try await store.read { db in try Self.inFile(db) } == 0)
            #expect(try await galleries.save(persistence: .disk, cascading: true) == [.updated, .updated])
            #expect(galleries.map(\.id) == keys && galleries[0].images.map(\.gallery) == [keys[0]])
            #expect(try await store.read { db in try Self.inFile(db) } == 3)
        }
    }

    @Test func theyAreLoadedAndDeletedTogether() async throws {
        try await withStores { store async throws in
            var gallery = Gallery(title: "north")
            try await gallery.save()
            var image = Image(name: "dune", gallery: gallery.id)
            try await image.save(persistence: .memory)
            try await gallery.load(\.$images)
            #expect(gallery.images == [image])
            try await gallery.save(cascading: true)
            #expect(try await store.read { db in try Self.inFile(db) } == 2)
            image.name = "shore"
            try await image.save()
            var second = Image(name: "reef", gallery: gallery.id)
            try await second.save(persistence: .memory)
            #expect(try await gallery.delete(cascading: true))
            #expect(try await Image.count() == 0)
        }
    }

    @Test func orphansInMemoryAreDeletedWithTheirsOrDetached() async throws {
        try await withStores { _ async throws in
            var shelf = Shelf(volumes: [Volume(title: "kept")])
            try await shelf.save(cascading: true)
            var draft = Volume(title: "draft", shelf: shelf.id)
            try await draft.save(persistence: .memory)
            var slips = [Slip(volume: draft.id), Slip(volume: shelf.volumes[0].id)]
            try await slips[0].save()
            try await slips[1].save(persistence: .memory)
            try await shelf.load(\.$volumes)
            #expect(Set(shelf.volumes.map(\.title)) == ["kept", "draft"])
            shelf.volumes.removeAll { $0.title == "draft" }
            try await shelf.volumes[0].load(\.$slips)
            shelf.volumes[0].slips = []
            #expect(try await shelf.save(cascading: true) == .updated)
            #expect(try await Volume.all().map(\.title) == ["kept"])
            #expect(try await Slip.all() == [Slip(id: slips[1].id, volume: nil)])
        }
    }

    @Test func whatHasARowInTheFileIsNotSavedInMemory() async throws {
        try await withStores { store async throws in
            var gallery = Gallery(title: "north", images: [Image(name: "pier")])
            try await gallery.save(cascading: true)
            let draft = Gallery(title: "south", images: gallery.images)
            try await expectFailure(.constraint) { () async throws in
                var copy = draft
                return try await copy.save(persistence: .memory, cascading: true)
            }
            #expect(try await Gallery.count() == 1)
            #expect(try await store.read { db in try Self.inFile(db) } == 2)
        }
    }
}
