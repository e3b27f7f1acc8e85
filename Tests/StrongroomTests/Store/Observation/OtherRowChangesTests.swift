import Foundation
import StrongroomTesting
import Testing

// Internal: whether rows are recorded.
@testable import Strongroom

@Suite("Keys of changed rows that are no integers", .ending)
struct OtherRowChangesTests {
    @Table("person", in: "items.sqlite")
    struct Person {
        @Column(primaryKey: true) var name: String
        var age = 0
    }

    @Table("place", in: "items.sqlite")
    struct Place {
        @Column(primaryKey: true) var row: Int
        @Column(primaryKey: true) var column: String
        @Column(references: Reference("person", onDelete: .cascade)) var person: String?
    }

    @Table("token", in: "items.sqlite")
    struct Token {
        var id: UUID?
        var text: String
    }

    @Table("price", in: "items.sqlite")
    struct Price {
        @Column(scale: 2, primaryKey: true) var amount: Decimal
    }

    private func fixture() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Person.schema, Place.schema, Token.schema, Price.schema])
        try await temporary.store.write { db in
            for name in ["a", "b", "c"] {
                try Person.insert(Person(name: name), in: db)
                try Place.insert(Place(row: 1, column: name, person: name), in: db)
            }
        }
        return temporary
    }

    @Test func eachWayOfWritingReportsItsRows() async throws {
        let store = try await fixture().store
        var persons = store.rowChanges(in: Person.self).makeAsyncIterator()
        var places = store.rowChanges(in: Place.self).makeAsyncIterator()
        try await store.write { db in try Person.insert(Person(name: "d"), in: db) }
        #expect(try await persons.next() == .keys(["d"]))
        try await store.write { db in
            try Person.update(Person(name: "a", age: 1), in: db)
            _ = try Person.upsert(Person(name: "b", age: 1), in: db)
        }
        #expect(try await persons.next() == .keys(["a", "b"]))
        let returned = try await store.write { db in
            try Person.where { $0.age == 1 }.update(in: db, returning: Person.self) { [$0.age.set(2)] }
        }
        #expect(returned.map(\.name).sorted() == ["a", "b"])
        #expect(try await persons.next() == .keys(["a", "b"]))
        // A key that changes, with a reference; and a cascade.
        try await store.write { db in
            try db.execute("UPDATE place SET person = NULL WHERE person = 'c'")
            try db.execute("UPDATE person SET name = 'x' WHERE name = 'c'")
            try Person.delete("a", in: db)
        }
        #expect(try await persons.next() == .keys(["a", "c", "x"]))
        #expect(
            try await places.next() == .keys([Place.Key(row: 1, column: "a"), Place.Key(row: 1, column: "c")]))
        // All rows at once.
        try await store.write { db in _ = try Place.truncate(in: db) }
        #expect(
            try await places.next() == .keys([Place.Key(row: 1, column: "b"), Place.Key(row: 1, column: "c")]))
        // A part that was rolled back, and a transaction.
        try await store.write { db in
            try? db.savepoint { db in
                try Person.delete("b", in: db)
                throw Refusal(number: 1)
            }
            try Person.insert(Person(name: "e"), in: db)
        }
        #expect(try await persons.next() == .keys(["e"]))
    }

    /// SQLite 3.15 reports the first use of a virtual table in a connection as if it had changed the schema.
    @Test func theFirstUseOfAListIsNoChangeOfTheSchema() async throws {
        let store = try await fixture().store
        var persons = store.rowChanges(in: Person.self).makeAsyncIterator()
        let returned = try await store.write { db in
            try Person.where { $0.name < "c" }.update(in: db, returning: Person.self) { [$0.age.set(1)] }
        }
        #expect(returned.map(\.age) == [1, 1])
        #expect(try await persons.next() == .keys(["a", "b"]))
        let writes = try await store.pool.perform(.ungroupedWrite) { $0.transaction.tables.writes }
        #expect(!writes.contains("sqlite_master"))
    }

    /// A full-text index is connected again after each rollback of a change of the schema.
    @Test func theFirstUseOfAFullTextIndexIsNoChangeOfTheSchema() async throws {
        let store = try await fixture().store
        try await store.write { db throws in
            try db.execute("CREATE VIRTUAL TABLE words USING fts4(text)")
            try db.execute(
                "CREATE TRIGGER words AFTER UPDATE ON person BEGIN INSERT INTO words VALUES (new.name); END")
        }
        var persons = store.rowChanges(in: Person.self).makeAsyncIterator()
        for age in 1...2 {
            try await store.write { db in
                try? db.savepoint { db in
                    try db.execute("CREATE TABLE other (id INTEGER)")
                    throw Refusal(number: 1)
                }
                try Person.update(Person(name: "a", age: age), in: db)
            }
            #expect(try await persons.next() == .keys(["a"]))
        }
        try await store.write { db throws in
            try db.execute("CREATE TABLE other (id INTEGER)")
            try Person.update(Person(name: "a", age: 3), in: db)
        }
        #expect(try await persons.next() == .unknown)
    }

    @Test func keysAreReadAsTheirTypes() async throws {
        let store = try await fixture().store
        var tokens = store.rowChanges(in: Token.self).makeAsyncIterator()
        var prices = store.rowChanges(in: Price.self).makeAsyncIterator()
        let key = try await store.write { db in
            try Price.insert(Price(amount: Decimal(string: "12.34")!), in: db)
            return try Token.insert(Token(text: "a"), in: db)
        }
        #expect(try await tokens.next() == .keys([key]))
        #expect(try await prices.next() == .keys([Decimal(string: "12.34")!]))
    }

    @Test(arguments: ["INSERT OR REPLACE INTO person VALUES ('a', 3)", "CREATE INDEX ages ON person (age)"])
    func rowsThatAreNotReportedAreUnknown(_ sql: String) async throws {
        let store = try await fixture().store
        var persons = store.rowChanges(in: Person.self).makeAsyncIterator()
        try await store.write { db in
            try db.execute("UPDATE person SET age = 5 WHERE name = 'b'")
            try db.execute(SQL(verbatim: sql))
        }
        #expect(try await persons.next() == .unknown)
        try await store.write { db in try Person.insert(Person(name: "f"), in: db) }
        #expect(try await persons.next() == .keys(["f"]))
    }

    /// The triggers are in nobody's way, and follow the schema.
    @Test func aSchemaThatChangesIsFollowed() async throws {
        let store = try await fixture().store
        var persons = store.rowChanges(in: Person.self).makeAsyncIterator()
        try await store.write { db in try Person.insert(Person(name: "d"), in: db) }
        #expect(try await persons.next() == .keys(["d"]))
        try await store.write { db in
            try db.renameColumn("name", to: "title", in: "person")
            try db.renameTable("person", to: "human")
            try db.renameTable("human", to: "person")
            try db.renameColumn("title", to: "name", in: "person")
        }
        try await store.write { db in
            try db.execute("DROP TABLE place")
            try db.execute("ALTER TABLE person RENAME TO former")
            try db.execute("CREATE TABLE person (name TEXT PRIMARY KEY, age INTEGER NOT NULL) WITHOUT ROWID")
            try db.execute("INSERT INTO person SELECT * FROM former")
            try db.execute("DROP TABLE former")
        }
        #expect(try await persons.next() == .unknown)
        try await store.write { db in try Person.update(Person(name: "b", age: 9), in: db) }
        #expect(try await persons.next() == .keys(["b"]))
    }

    @Test func nothingIsLeftWhenNobodyAsks() async throws {
        let store = try await fixture().store
        let triggers: SQL = "SELECT count(*) FROM sqlite_temp_master WHERE name LIKE 'strongroom_rows%'"
        do {
            let persons = store.rowChanges(in: Person.self).makeAsyncIterator()
            try await store.write { db in try Person.insert(Person(name: "d"), in: db) }
            let count = try await store.write { db in try db.value(triggers, as: Int.self) }
            #expect(count == 3)
            withExtendedLifetime(persons) {}
        }
        let count = try await store.write { db in
            try Person.insert(Person(name: "e"), in: db)
            return try db.value(triggers, as: Int.self)
        }
        #expect(count == 0)
        #expect(try await store.pool.perform(.ungroupedWrite) { $0.rowRecorder == nil })
    }
}
