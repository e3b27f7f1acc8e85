import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

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
