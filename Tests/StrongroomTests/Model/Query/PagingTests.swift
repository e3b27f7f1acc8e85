import Strongroom
import StrongroomTesting
import Testing

/// Pages by `after(_:)` against Swift's own sorting.
@Suite("Pages")
struct PagingTests {
    private static let directions: [(Bool, Bool)] = [(false, false), (false, true), (true, false), (true, true)]

    @Test(
        "give every row once, whatever the order, the NULLs' place and the ties",
        arguments: [1, 2, 3] as [UInt64], [1, 3, 7])
    func everyRowOnce(seed: UInt64, size: Int) async throws {
        let temporary = try await TemporaryStore(tables: [Sample.schema])
        var generator = SeededGenerator(seed)
        let samples = (1...40).map { Sample(id: Int64($0), &generator) }
        try await temporary.store.write { db in _ = try Sample.insert(contentsOf: samples, in: db) }
        for (wordIsDescending, numberIsDescending) in Self.directions {
            for nullsAreFlipped in [false, true] {
                let query = Sample.order {
                    Self.ordering($0.word, wordIsDescending, flipped: nullsAreFlipped)
                    Self.ordering($0.number, numberIsDescending, flipped: nullsAreFlipped)
                }
                let (whole, paged) = try await temporary.store.read { db in
                    var paged: [Sample] = []
                    var page = try query.limit(size).fetch(in: db)
                    while let last = page.last {
                        paged += page
                        page = try query.limit(size).after(last).fetch(in: db)
                    }
                    return (try query.fetch(in: db), paged)
                }
                #expect(whole.count == samples.count)
                #expect(
                    paged == whole, "descending \(wordIsDescending), \(numberIsDescending); flipped \(nullsAreFlipped)")
            }
        }
    }

    private static func ordering(_ column: some SQLExpression, _ descending: Bool, flipped: Bool) -> Ordering {
        let ordering = descending ? column.descending : column.ascending
        guard flipped else { return ordering }
        return descending ? ordering.nullsFirst : ordering.nullsLast
    }

    @Test("do not shift when rows come and go between them")
    func rowsComeAndGo() async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db in
            _ = try Contact.insert(contentsOf: Contact.samples(10), in: db)
            let byScore = Contact.order { $0.score.ascending }.limit(4)
            let first = try byScore.fetch(in: db)
            #expect(first.map(\.id) == [1, 2, 3, 4])
            // The last record of the page is gone, one before it is new.
            try Contact.delete(4, in: db)
            try Contact.insert(Contact(id: 99, email: "new", score: 0), in: db)
            let last = try #require(first.last)
            #expect(try byScore.after(last).fetch(in: db).map(\.id) == [5, 6, 7, 8])
            #expect(try byScore.after(key: 3, in: db).fetch(in: db).map(\.id) == [5, 6, 7, 8])
            // Where it stood is not known any more: neither the beginning nor the end.
            try expectFailure(.noSuchRow) { try byScore.after(key: 4, in: db) }
        }
    }

    @Test("of a table whose key is a text and has several columns")
    func compositeKeys() async throws {
        try await TemporaryStore(tables: [Price.schema]).store.write { db in
            let prices = ["z", "a", "m"].flatMap { shop in
                (1...3).map { Price(shop: shop, article: $0, label: nil, edition: 1, cents: 5) }
            }
            try Price.insert(contentsOf: prices, in: db)
            var seen: [Price] = []
            var page = try Price.order { $0.cents.descending }.limit(2).fetch(in: db)
            while let last = page.last {
                seen += page
                page = try Price.order { $0.cents.descending }.limit(2).after(last).fetch(in: db)
            }
            #expect(seen.map(\.shop) == ["z", "z", "z", "m", "m", "m", "a", "a", "a"])
            #expect(seen.map(\.article) == [3, 2, 1, 3, 2, 1, 3, 2, 1])
        }
    }
}
