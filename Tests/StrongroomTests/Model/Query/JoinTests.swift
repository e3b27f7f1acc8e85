import Strongroom
import StrongroomTesting
import Testing

/// A record that comes from two tables.
@Record
private struct Line: Equatable {
    var name: String
    var article: String
    var total: Int
}

/// A record whose column two of the tables have.
private struct Ambiguous: Record {
    static let columnNames = ["id"]
    init(row: borrowing Row) throws {}
    func encode(to bindings: borrowing Bindings) throws {}
}

@Suite("Joins")
struct JoinTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Contact.schema, Purchase.schema])
        try await temporary.store.write { db in
            try Contact.insert(contentsOf: Contact.samples(4), in: db)
            for (buyer, article, total) in [(1, "pen", 3), (1, "ink", 8), (2, "pen", 4), (4, "cup", 9)] {
                try Purchase.insert(Purchase(buyer: Int64(buyer), article: article, total: total), in: db)
            }
        }
    }

    @Test func aPairOfRecordsForEachMatch() async throws {
        try await temporary.store.read { db in
            let join = try Contact.join(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
            let pairs = try join.order { _, purchase in purchase.total.descending }.fetch(in: db)
            #expect(pairs.map(\.0.id) == [4, 1, 2, 1])
            #expect(pairs.map(\.1.article) == ["cup", "ink", "pen", "pen"])
            #expect(pairs.first?.0 == (try Contact.find(4, in: db)))
            #expect(try join.count(in: db) == 4)
            #expect(try join.distinct().count(in: db) == 4)
            let narrow = join.where { contact, purchase in contact.name == "Contact 1" && purchase.total < 5 }
            #expect(try narrow.first(in: db)?.1.article == "pen")
            #expect(try narrow.count(in: db) == 1)
            let last = try join.order { contact, _ in contact.id.ascending }.limit(1, offset: 3).fetch(in: db)
            #expect(last.map(\.0.id) == [4])
        }
    }

    @Test func aLeftJoinHasNilWhereThereIsNone() async throws {
        try await temporary.store.read { db in
            let pairs = try Contact.leftJoin(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
                .order { contact, _ in contact.id.ascending }.fetch(in: db)
            #expect(pairs.map(\.0.id) == [1, 1, 2, 3, 4])
            #expect(pairs.map { $0.1?.article } == ["pen", "ink", "pen", nil, "cup"])
        }
    }

    @Test("The columns of a left join's other table are nil where it found none")
    func columnsOfAnOuterPartAreOptional() async throws {
        try await temporary.store.read { db in
            let join = try Contact.leftJoin(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
                .order { contact, purchase in contact.id.ascending }
            let rows: [(Int64?, String?, Int?, Int64?)] = try join.select { contact, purchase in
                (contact.id, purchase.article, purchase.total, purchase.id)
            }
            .fetch(in: db)
            #expect(rows.map(\.1) == ["pen", "ink", "pen", nil, "cup"])
            #expect(rows.map(\.2) == [3, 8, 4, nil, 9])
            #expect(rows.map { $0.3 == nil } == [false, false, false, true, false])

            #expect(try join.where { _, purchase in purchase.total == nil }.fetch(in: db).map(\.0.id) == [3])
            #expect(try join.where { _, purchase in purchase.total != nil }.count(in: db) == 4)
            #expect(try join.where { _, purchase in purchase.total == 4 }.fetch(in: db).map(\.0.id) == [2])
            #expect(try join.where { _, purchase in purchase.total > 3 }.fetch(in: db).map(\.0.id) == [1, 2, 4])
            // As in SQL: nothing is known of the row without a purchase.
            #expect(try join.where { _, purchase in purchase.total != 4 }.fetch(in: db).map(\.0.id) == [1, 1, 4])
            #expect(
                try join.where { _, purchase in purchase.total.isIn([8, nil]) }.fetch(in: db).map(\.0.id) == [1, 3])
            #expect(try join.where { _, purchase in purchase.article.hasPrefix("c") }.fetch(in: db).map(\.0.id) == [4])
            let byTotal = try Contact.leftJoin(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
                .order { _, purchase in purchase.total.ascending.nullsLast }
            #expect(try byTotal.fetch(in: db).map(\.0.id) == [1, 2, 1, 4, 3])

            let computed: [(Int64?, Int, Int?, String?, Int?)] = try join.select { contact, purchase in
                (
                    contact.id, purchase.total ?? 0, purchase.total * 10 + purchase.total,
                    purchase.article.uppercased(),
                    purchase.total % 3
                )
            }
            .fetch(in: db)
            #expect(computed.map(\.1) == [3, 8, 4, 0, 9])
            #expect(computed.map(\.2) == [33, 88, 44, nil, 99])
            #expect(computed.map(\.3) == ["PEN", "INK", "PEN", nil, "CUP"])
            #expect(computed.map(\.4) == [0, 2, 1, nil, 0])
            let sums = try join.select { contact, purchase in
                (contact.id, purchase.total.sum(), purchase.id.count())
            } groupedBy: { contact, _ in
                contact.id
            }
            .fetch(in: db)
            #expect(sums.map(\.1) == [11, 4, nil, 9])
            #expect(sums.map(\.2) == [2, 1, 0, 1])
        }
    }

    @Test("Outer parts of joins of three and four tables, and calculations with inner parts")
    func outerPartsOfLargerJoins() async throws {
        try await temporary.store.read { db in
            let three = try Purchase.join(Contact.self) { purchase, contact in purchase.buyer == contact.id }
                .leftJoin(Purchase.self) { purchase, _, cheaper in
                    cheaper.buyer == purchase.buyer && cheaper.total < purchase.total
                }
                .order { purchase, _, _ in purchase.id.ascending }
            let rows: [(String, Int?, Int?)] = try three.select { purchase, _, cheaper in
                (purchase.article, purchase.total - cheaper.total, cheaper.total + purchase.total)
            }
            .fetch(in: db)
            #expect(rows.map(\.0) == ["pen", "ink", "pen", "cup"])
            #expect(rows.map(\.1) == [nil, 5, nil, nil])
            #expect(rows.map(\.2) == [nil, 11, nil, nil])
            #expect(try three.where { _, _, cheaper in cheaper.id == nil }.count(in: db) == 3)

            let four = three.leftJoin(Contact.self) { _, _, cheaper, other in cheaper.buyer == other.id }
            let names: [(String, String?)] = try four.select { purchase, _, _, other in
                (purchase.article, other.email)
            }
            .fetch(in: db)
            #expect(names.map(\.1) == [nil, "contact1@example.org", nil, nil])
            #expect(try four.where { _, _, cheaper, other in cheaper.id == nil && other.id == nil }.count(in: db) == 3)
        }
    }

    @Test func aQueryIsJoinedAsItIs() async throws {
        try await temporary.store.read { db in
            let rich = try Purchase.order { $0.total.descending }.limit(2)
                .join(Contact.self) { purchase, contact in purchase.buyer == contact.id }
            #expect(Set(try rich.fetch(in: db).map(\.1.id)) == [1, 4])
        }
    }

    @Test("Records across tables: a record filled from two tables")
    func aRecordFromTwoTables() async throws {
        try await temporary.store.read { db in
            let join = try Contact.join(Purchase.self) { contact, purchase in contact.id == purchase.buyer }
                .order { _, purchase in purchase.id.ascending }.limit(1)
            #expect(try join.fetch(as: Line.self, in: db) == [Line(name: "Contact 1", article: "pen", total: 3)])
            let chosen = try join.fetch(as: Line.self, in: db) { contact, purchase in
                [contact.email, purchase.article.uppercased(), purchase.total * 100]
            }
            #expect(chosen == [Line(name: "contact1@example.org", article: "PEN", total: 300)])
            let ambiguous = try expectFailure(.sql) { try join.fetch(as: Ambiguous.self, in: db) }
            #expect(ambiguous.message.contains("\"contact\", \"purchase\" all have a column \"id\""))
            try expectFailure(.invalidArgument, saying: "3 columns; chosen for them: 1") {
                try join.fetch(as: Line.self, in: db) { contact, _ in [contact.name] }
            }
        }
    }
}
