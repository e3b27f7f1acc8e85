#if Macros
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
            #expect(gallery.id == -1 && gallery.images.map(\.gallery) == [-1, -1])
            #expect(try await store.read { db in try Self.inFile(db) } == 0)
            #expect(try await gallery.save(persistence: .disk, cascading: true) == .updated)
            #expect(gallery.id == 1 && gallery.images.map(\.gallery) == [1, 1])
            #expect(try await store.read { db in try Self.inFile(db) } == 3)
        }
    }

    @Test func listsMoveToTheFileTogether() async throws {
        try await withStores { store async throws in
            var galleries = [Gallery(title: "north", images: [Image(name: "pier")]), Gallery(title: "south")]
            #expect(try await galleries.save(persistence: .memory, cascading: true) == [.inserted, .inserted])
            #expect(galleries.map(\.id) == [-1, -2] && galleries[0].images.map(\.gallery) == [-1])
            #expect(try await store.read { db in try Self.inFile(db) } == 0)
            #expect(try await galleries.save(persistence: .disk, cascading: true) == [.updated, .updated])
            #expect(galleries.map(\.id) == [1, 2] && galleries[0].images.map(\.gallery) == [1])
            #expect(try await store.read { db in try Self.inFile(db) } == 3)
        }
    }

    @Test func insideATransactionTheyAreSavedInMemoryToo() async throws {
        try await withStores { store in
            try await store.table(Gallery.self).prepare()
            try await store.table(Image.self).prepare()
            let gallery = try await store.write { db in
                var gallery = Gallery(title: "south", images: [Image(name: "dune")])
                try Gallery.save(&gallery, persistence: .memory, cascading: true, in: db)
                return gallery
            }
            #expect(gallery.images.map(\.gallery) == [gallery.id])
            #expect(try await store.read { db in try Self.inFile(db) } == 0)
            #expect(try await Image.all() == gallery.images)
        }
    }
}
#endif
