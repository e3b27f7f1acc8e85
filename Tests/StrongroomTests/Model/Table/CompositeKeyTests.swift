import Strongroom
import StrongroomTesting
import Testing

@Suite("Keys and unique columns of several columns")
struct CompositeKeyTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Price.schema])
        try await temporary.store.write { db in
            try Price.insert(Price(shop: "a", article: 1, label: "x", edition: 1, cents: 10), in: db)
            try Price.insert(Price(shop: "a", article: 2, label: "x", edition: 2, cents: 20), in: db)
        }
    }

    private static func key(_ shop: String, _ article: Int64) -> Price.Key { Price.Key(shop: shop, article: article) }

    @Test func findUpdateAndDelete() async throws {
        try await temporary.store.write { db in
            #expect(try Price.find(Self.key("a", 2), in: db)?.cents == 20)
            #expect(try Price.find(Self.key("b", 2), in: db) == nil)
            let some = [Self.key("a", 2), Self.key("z", 1), Self.key("a", 1), Self.key("a", 2)]
            #expect(try Price.find(some, in: db).map(\.cents) == [20, 10])
            try Price.update(Price(shop: "a", article: 2, label: "y", edition: 3, cents: nil), in: db)
            #expect(try Price.find(Self.key("a", 2), in: db)?.label == "y")
            #expect(try Price.update(Self.key("a", 2), in: db) { [$0.cents.set(5)] })
            #expect(try Price.update(Self.key("q", 2), in: db) { [$0.cents.set(5)] } == false)
            for key in Set(some) { try Price.update(key, in: db) { [$0.cents.set($0.cents + 1)] } }
            #expect(try Price.all(in: db).map(\.cents) == [11, 6])
            #expect(try Price.order { $0.cents.descending }.limit(1).delete(in: db) == 1)
            #expect(try Price.delete(Self.key("a", 2), in: db))
            #expect(try Price.count(in: db) == 0)
        }
    }

    @Test func noPartMayBeMissing() async throws {
        try await temporary.store.write { db in
            try expectFailure(.constraint) { try db.execute("INSERT INTO price VALUES (NULL, 1, 'l', 1, 1)") }
            try expectFailure(.constraint) { try db.execute("INSERT INTO price VALUES ('b', NULL, 'l', 1, 1)") }
        }
    }

    @Test("Upsert by the key")
    func byTheKey() async throws {
        try await temporary.store.write { db in
            let there = try Price.upsert(
                Price(shop: "a", article: 1, label: "x", edition: 1, cents: nil), .key(nils: .keep), in: db)
            #expect(there.outcome == .updated)
            #expect(try Price.find(Self.key("a", 1), in: db)?.cents == 10)
            let new = try Price.upsert(
                Price(shop: "b", article: 1, label: nil, edition: 9, cents: 7), .by(\.shop, \.article), in: db)
            #expect(new.outcome == .inserted)
            #expect(new.key == Self.key("b", 1))
        }
    }

    @Test("Upsert by two unique columns keeps the row's key")
    func byTwoUniqueColumns() async throws {
        try await temporary.store.write { db in
            let found = try Price.upsert(
                Price(shop: "other", article: 77, label: "x", edition: 2, cents: 21), .by(\.label, \.edition), in: db)
            #expect(found == Upserted(.updated, Self.key("a", 2)))
            #expect(try Price.find(Self.key("a", 2), in: db)?.cents == 21)
            // The row with the key, where the unique columns find none.
            let byKey = try Price.upsert(
                Price(shop: "a", article: 1, label: "new", edition: 5, cents: nil),
                .by(\.label, \.edition, nils: .keep), in: db)
            #expect(byKey.outcome == .updated)
            #expect(
                try Price.find(Self.key("a", 1), in: db)
                    == Price(shop: "a", article: 1, label: "new", edition: 5, cents: 10))
            try expectFailure(.missingKey, saying: "label") {
                try Price.upsert(
                    Price(shop: "c", article: 1, label: nil, edition: 5, cents: 1), .by(\.label, \.edition), in: db)
            }
            try expectFailure(.notDeclared) {
                try Price.upsert(Price(shop: "c", article: 1, label: "l", edition: 5, cents: 1), .by(\.label), in: db)
            }
        }
    }

    @Test("Upsert of a list, of which one finds the row of another")
    func aList() async throws {
        try await temporary.store.write { db in
            let prices = [
                Price(shop: "n", article: 1, label: "n", edition: 1, cents: 1),
                Price(shop: "m", article: 1, label: "n", edition: 1, cents: 2),
                Price(shop: "a", article: 1, label: "x", edition: 1, cents: 3),
            ]
            let done = try Price.upsert(contentsOf: prices, .by(\.label, \.edition), in: db)
            #expect(done.map(\.outcome) == [.inserted, .updated, .updated])
            #expect(done.map(\.key) == [Self.key("n", 1), Self.key("n", 1), Self.key("a", 1)])
            #expect(try Price.find(Self.key("n", 1), in: db)?.cents == 2)
            // One that fails undoes all.
            let bad = [
                Price(shop: "p", article: 1, label: "p", edition: 1, cents: 1),
                Price(shop: "q", article: 1, label: nil, edition: 1, cents: 1),
            ]
            try expectFailure(.missingKey) { try Price.upsert(contentsOf: bad, .by(\.label, \.edition), in: db) }
            #expect(try Price.count(in: db) == 3)
        }
    }
}
