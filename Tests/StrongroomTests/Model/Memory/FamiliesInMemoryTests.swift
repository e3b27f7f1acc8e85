#if Macros
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Records in memory with their children")
struct FamiliesInMemoryTests {
    @Table("trip")
    struct Trip: Equatable {
        var id: Int64?
        var name: String
        @Column(references: Reference("agency")) var agency: UUID?
        @HasMany var stops: [Stop] = []
        @BelongsTo var organizer: Agency? = nil

        static let relations: Relations<Trip>? = Relations()
            .hasMany(\.$stops, by: \.trip, orphans: .delete, position: \.place)
            .belongsTo(\.$organizer, by: \.agency)
    }

    @Table("stop")
    struct Stop: Equatable {
        var id: Int64?
        var town: String
        @Column(references: Reference("trip")) var trip: Int64 = 0
        var place = 0
        @HasMany var photos: [Picture] = []

        static let relations: Relations<Stop>? = Relations().hasMany(\.$photos, by: \.stop)
    }

    @Table("picture")
    struct Picture: Equatable {
        var id: UUID?
        var title: String
        @Column(references: Reference("stop")) var stop: Int64?
    }

    @Table("agency")
    struct Agency: Equatable {
        var id: UUID?
        var name: String
    }

    /// References trips, which do not list it.
    @Table("receipt")
    struct Receipt {
        var id: Int64?
        @Column(references: Reference("trip")) var trip: Int64?
    }

    /// Belongs to its own kind.
    @Table("knot")
    struct Knot: Equatable {
        var id: Int64?
        @Column(references: Reference("knot")) var above: Int64?
        @HasMany var below: [Knot] = []

        static let relations: Relations<Knot>? = Relations().hasMany(\.$below, by: \.above)
    }

    @Table("nest")
    struct Nest: Equatable {
        var id: Int64?
        var name: String
    }

    /// Has a parent of its own besides the wood.
    @Table("bird")
    struct Bird: Equatable {
        var id: Int64?
        @Column(references: Reference("wood")) var wood: Int64?
        @Column(references: Reference("nest")) var nest: Int64?
        @BelongsTo var home: Nest? = nil

        static let relations: Relations<Bird>? = Relations().belongsTo(\.$home, by: \.nest)
    }

    @Table("wood")
    struct Wood: Equatable {
        var id: Int64?
        @HasMany var birds: [Bird] = []

        static let relations: Relations<Wood>? = Relations().hasMany(\.$birds, by: \.wood)
    }

    /// A parent whose key is compared without the case.
    @Table("author")
    struct Author: Equatable {
        @Column(primaryKey: true, collation: .noCase) var name: String
        @HasMany var books: [Book] = []

        static let relations: Relations<Author>? = Relations().hasMany(\.$books, by: \.author)
    }

    @Table("book")
    struct Book: Equatable {
        var id: Int64?
        @Column(references: Reference("author", onDelete: .cascade)) var author: String
    }

    /// References authors, which do not list it.
    @Table("prize")
    struct Prize: Equatable {
        var id: Int64?
        @Column(references: Reference("author", onDelete: .cascade)) var author: String
    }

    private static let tables = [
        Agency.schema, Trip.schema, Stop.schema, Picture.schema, Receipt.schema, Knot.schema, Nest.schema, Wood.schema,
        Bird.schema, Author.schema, Book.schema, Prize.schema,
    ]

    private func withTables(_ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void) async throws {
        let store = try await TemporaryStore(tables: Self.tables).store
        try await store.write(body)
    }

    private static func trip() -> Trip {
        Trip(
            name: "north",
            stops: [Stop(town: "Kiel", photos: [Picture(title: "pier")]), Stop(town: "Ulm")],
            organizer: Agency(name: "Ada's"))
    }

    /// The trip with everything below it, as it is stored.
    private static func stored(_ key: Int64?, _ db: borrowing some Reading & ~Copyable) throws -> Trip {
        let known = try #require(key)
        var trips = [try #require(try Trip.find(known, in: db))]
        try Trip.load(\.$stops, of: &trips, in: db)
        try Stop.load(\.$photos, of: &trips[0].stops, in: db)
        return trips[0]
    }

    /// How many rows the file has in the tables.
    private static func rows(_ db: borrowing some Reading & ~Copyable) throws -> [Int] {
        try ["agency", "trip", "stop", "picture"].map { table in
            try db.value(SQL(verbatim: "SELECT count(*) FROM main.\(table)"), as: Int.self) ?? 0
        }
    }

    @Test func aTreeIsSavedInMemoryAndThenInTheFile() async throws {
        try await withTables { db throws in
            var trip = Self.trip()
            try Trip.save(&trip, persistence: .memory, cascading: true, in: db)
            #expect(try Self.rows(db) == [0, 0, 0, 0])
            #expect(trip.id == -1 && trip.stops.map(\.trip) == [-1, -1] && trip.agency == trip.organizer?.id)
            #expect(try Self.stored(trip.id, db).stops.map(\.town) == ["Kiel", "Ulm"])
            // One is removed, one is new, and one is in memory without having been loaded.
            trip.stops.remove(at: 1)
            trip.stops.append(Stop(town: "Bonn"))
            let unseen = Stop(town: "Jena", trip: -1, place: 9)
            try Stop.insert(unseen, persistence: .memory, in: db)
            #expect(try Trip.save(&trip, persistence: .disk, cascading: true, in: db) == .updated)
            #expect(try Self.rows(db) == [1, 1, 3, 1])
            #expect(trip.id == 1 && trip.stops.map(\.town) == ["Kiel", "Bonn"])
            let stored = try Self.stored(1, db)
            #expect(
                stored.stops.map(\.town) == ["Kiel", "Bonn", "Jena"] && stored.stops[0].photos.map(\.title) == ["pier"])
            #expect(try Trip.keysInMemory(in: db).isEmpty && Stop.keysInMemory(in: db).isEmpty)
            #expect(try Picture.keysInMemory(in: db).isEmpty && Agency.keysInMemory(in: db).isEmpty)
            try expectFailure(.constraint) { try Trip.save(&trip, persistence: .memory, cascading: true, in: db) }
            let error = try expectFailure(.constraint) { try Trip.save(&trip, persistence: .memory, in: db) }
            #expect(error.message.contains("`moveToMemory`"))
        }
    }

    @Test func whatIsInTheFileStaysThere() async throws {
        try await withTables { db throws in
            let agency = Agency(id: UUID(), name: "Ada's")
            try Agency.insert(agency, in: db)
            var trip = Self.trip()
            trip.organizer = agency
            trip.organizer?.name = "Grace's"
            try Trip.save(&trip, persistence: .memory, cascading: true, in: db)
            #expect(try Self.rows(db) == [1, 0, 0, 0])
            #expect(try Agency.all(in: db).map(\.name) == ["Grace's"])
            // A row in the file cannot reference a record in memory.
            let other = try Trip.insert(Trip(name: "south"), in: db)
            let stop = try Stop.insert(Stop(town: "Trier", trip: other), in: db)
            let found = try #require(try Stop.find(stop, in: db))
            trip.stops.append(found)
            try expectFailure(.inMemory) { try Trip.save(&trip, persistence: .memory, cascading: true, in: db) }
            #expect(try Stop.find(stop, in: db)?.trip == other)
        }
    }

    @Test func childrenInMemoryMoveWithTheirParent() async throws {
        try await withTables { db throws in
            var trip = Self.trip()
            try Trip.save(&trip, persistence: .memory, cascading: true, in: db)
            // Its parent is in memory, which no row of the file may reference.
            try expectFailure(.constraint) { try Trip.persist(-1, in: db) }
            #expect(try Self.rows(db) == [0, 0, 0, 0] && Stop.keysInMemory(in: db).count == 2)
            let agency = try #require(trip.agency)
            try Agency.persist(agency, in: db)
            let key = try Trip.persist(-1, in: db)
            #expect(key == 1)
            #expect(try Self.rows(db) == [1, 1, 2, 1])
            let stored = try Self.stored(key, db)
            #expect(stored.stops.map(\.town) == ["Kiel", "Ulm"] && stored.stops.map(\.id) == [2, 1])
            #expect(stored.stops[0].photos.map(\.title) == ["pier"])
            #expect(try Trip.persist(key, in: db) == key)
        }
    }

    @Test func aTreeMovesToMemoryAndBack() async throws {
        let temporary = try await TemporaryStore(tables: Self.tables)
        var trip = Self.trip()
        try await temporary.store.write(&trip) { db, trip in try Trip.save(&trip, cascading: true, in: db) }
        let before = trip
        let draft = try await temporary.store.write { db in try Trip.moveToMemory(1, in: db) }
        #expect(draft < 0)
        try await temporary.store.write { db throws in
            #expect(try Self.rows(db) == [1, 0, 0, 0])
            let stored = try Self.stored(draft, db)
            #expect(stored.stops.map(\.town) == ["Kiel", "Ulm"] && stored.stops.map(\.trip) == [draft, draft])
            #expect(
                stored.stops[0].photos == [
                    Picture(id: before.stops[0].photos[0].id, title: "pier", stop: stored.stops[0].id)
                ])
            #expect(try Trip.moveToMemory(draft, in: db) == draft)
            // The former key is free for another row.
            #expect(try Trip.insert(Trip(name: "other"), in: db) == 1)
        }
        let key = try await temporary.store.write { db in try Trip.persist(draft, in: db) }
        try await temporary.store.read { db throws in
            #expect(try Self.rows(db) == [1, 2, 2, 1])
            #expect(try Self.stored(key, db).stops.map(\.town) == ["Kiel", "Ulm"])
        }
        await #expect(throws: StrongroomError.self) {
            try await temporary.store.write { db in try Trip.moveToMemory(77, in: db) }
        }
        try await temporary.store.close()
    }

    @Test func aRowThatOthersReferenceStaysInTheFile() async throws {
        try await withTables { db throws in
            var trip = Self.trip()
            try Trip.save(&trip, cascading: true, in: db)
            let receipt = try Receipt.insert(Receipt(trip: 1), in: db)
            let error = try expectFailure(.inMemory) { try Trip.moveToMemory(1, in: db) }
            #expect(
                error.message.contains("A row of table \"receipt\" in the file references the row of table \"trip\""))
            #expect(try Self.rows(db) == [1, 1, 2, 1] && Stop.keysInMemory(in: db).isEmpty)
            #expect(try Self.stored(1, db).stops.map(\.town) == ["Kiel", "Ulm"])
            let agency = try #require(trip.agency)
            try expectFailure(.inMemory) { try Agency.moveToMemory(agency, in: db) }
            try Receipt.delete(receipt, in: db)
            try Trip.moveToMemory(1, in: db)
            #expect(try Self.rows(db) == [1, 0, 0, 0])
        }
    }

    @Test func treesOfOneTableMoveAndCyclesAreRefused() async throws {
        try await withTables { db throws in
            var root = Knot(below: [Knot(below: [Knot()]), Knot()])
            try Knot.save(&root, cascading: true, in: db)
            let draft = try Knot.moveToMemory(1, in: db)
            #expect(try Knot.keysInMemory(in: db).count == 4)
            let key = try Knot.persist(draft, in: db)
            #expect(try Knot.keysInMemory(in: db).isEmpty && Knot.count(in: db) == 4)
            #expect(try Knot.where { $0.above == key }.count(in: db) == 2)
            // Below itself.
            let last = try #require(try Knot.all(in: db).compactMap(\.id).last)
            try Knot.update(key, in: db) { [$0.above.set(last)] }
            try Knot.update(last, in: db) { [$0.above.set(key)] }
            try expectFailure(.inMemory) { try Knot.moveToMemory(key, in: db) }
            #expect(try Knot.keysInMemory(in: db).isEmpty && Knot.count(in: db) == 4)
        }
    }

    @Test func whatTheTypeDoesNotDeclareIsNotLost() async throws {
        try await withTables { db throws in
            try Agency.insert(Agency(id: UUID(), name: "Ada's"), in: db)
            try db.execute("ALTER TABLE agency ADD COLUMN phone TEXT DEFAULT '1'")
            let key = try #require(try Agency.all(in: db).first?.id)
            let error = try expectFailure(.tableDiffers) { try Agency.moveToMemory(key, in: db) }
            #expect(error.message.contains("\"phone\""))
            try db.execute("CREATE TRIGGER ignores BEFORE DELETE ON knot BEGIN SELECT RAISE(IGNORE); END")
            try Knot.insert(Knot(), in: db)
            try expectFailure(.writeRefused) { try Knot.moveToMemory(1, in: db) }
            #expect(try Knot.keysInMemory(in: db).isEmpty && Knot.count(in: db) == 1)
            // What the trigger writes itself does not count.
            try db.execute("DROP TRIGGER ignores")
            try db.execute(
                """
                CREATE TRIGGER ignores BEFORE DELETE ON knot
                BEGIN INSERT INTO receipt (trip) VALUES (NULL); SELECT RAISE(IGNORE); END
                """)
            try expectFailure(.writeRefused) { try Knot.moveToMemory(1, in: db) }
            #expect(try Knot.keysInMemory(in: db).isEmpty && Knot.count(in: db) == 1)
        }
    }

    @Test func copiesOfAParentFollowItToTheFile() async throws {
        try await withTables { db throws in
            var nest = Nest(name: "high")
            try Nest.save(&nest, persistence: .memory, in: db)
            let draft = try #require(nest.id)
            #expect(draft < 0)
            var wood = Wood(birds: [Bird(home: nest), Bird(home: nest), Bird(nest: draft)])
            try Wood.save(&wood, persistence: .disk, cascading: true, in: db)
            #expect(wood.birds.map(\.nest) == [1, 1, 1])
            #expect(wood.birds.map(\.home?.id) == [1, 1, nil])
            #expect(try Bird.all(in: db).map(\.nest) == [1, 1, 1])
            #expect(try Nest.keysInMemory(in: db).isEmpty && Nest.count(in: db) == 1)
        }
    }

    @Test func childrenAreFoundAsTheEngineFindsThem() async throws {
        try await withTables { db throws in
            for name in ["Ada", "Grace"] { try Author.insert(Author(name: name), in: db) }
            try Book.insert(Book(author: "ADA"), in: db)
            try Author.moveToMemory("Ada", in: db)
            #expect(try Book.keysInMemory(in: db).count == 1 && Book.count(in: db) == 1)
            try Author.persist("Ada", in: db)
            #expect(try Book.keysInMemory(in: db).isEmpty && Book.count(in: db) == 1)
            try Prize.insert(Prize(author: "GRACE"), in: db)
            try expectFailure(.inMemory) { try Author.moveToMemory("Grace", in: db) }
            #expect(try Prize.count(in: db) == 1)
        }
    }
}
#endif
