import Strongroom
import StrongroomTesting
import Testing

@Suite("Groups and single values")
struct AggregateTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Contact.schema, Purchase.schema])
    }

    private func fill() async throws {
        try await temporary.store.write { db in
            try Contact.insert(contentsOf: Contact.samples(2), in: db)
            for (buyer, article, total) in [(1, "pen", 3), (1, "ink", 8), (2, "pen", 4), (2, "cup", 9), (2, "pen", 4)] {
                try Purchase.insert(Purchase(buyer: Int64(buyer), article: article, total: total), in: db)
            }
        }
    }

    @Test func ofAllRowsOfAQuery() async throws {
        try await fill()
        try await temporary.store.read { (db) throws in
            #expect(try Purchase.query.value(in: db) { $0.total.sum() } == 28)
            #expect(try Purchase.where { $0.article == "pen" }.value(in: db) { $0.total.max() } == 4)
            #expect(try Purchase.query.value(in: db) { $0.total.min() } == 3)
            #expect(try Purchase.query.value(in: db) { $0.total.average() } == 5.6)
            #expect(try Purchase.query.value(in: db) { $0.article.countDistinct() } == 3)
            #expect(try Contact.query.value(in: db) { $0.phone.count() } == 1)
            // The rows of the limit alone.
            #expect(try Purchase.order { $0.total.descending }.limit(2).value(in: db) { $0.total.sum() } == 17)
            #expect(try Purchase.query.limit(2, offset: 1).count(in: db) == 2)
            let groups = Purchase.order { $0.id.ascending }.limit(2).group { $0.buyer }
            #expect(try groups.select { ($0.buyer, RowCount()) }.fetch(in: db).map(\.1) == [2])
            #expect(try Purchase.where { $0.total > 100 }.exists(in: db) == false)
            #expect(try Purchase.where { $0.total > 8 }.exists(in: db))
            #expect(try Purchase.query.value(in: db) { ($0.total + 2).max() } == 11)
        }
    }

    @Test func ofNoRowsAreNil() async throws {
        try await temporary.store.read { (db) throws in
            #expect(try Purchase.query.value(in: db) { $0.total.sum() } == nil)
            #expect(try Purchase.query.value(in: db) { $0.total.max() } == nil)
            #expect(try Purchase.query.count(in: db) == 0)
            #expect(try Purchase.query.latest(in: db) == nil)
            #expect(try Purchase.query.first(in: db) == nil)
        }
    }

    @Test func aSumBeyondTheIntegersIsAnError() async throws {
        try await fill()
        try await temporary.store.write { db in
            try Purchase.where { $0.id <= 2 }.update(in: db) { [$0.total.set(.max)] }
            #expect(throws: StrongroomError.self) { try Purchase.query.value(in: db) { $0.total.sum() } }
            try expectFailure(.typeMismatch, saying: "floating-point") {
                try Purchase.query.value(in: db) { ($0.total + 1).max() }
            }
        }
    }

    @Test func selectedValues() async throws {
        try await fill()
        try await temporary.store.read { (db) throws in
            let names = try Contact.query.select { ($0.id, $0.phone) }.fetch(in: db)
            #expect(names.map(\.0) == [1, 2])
            #expect(names.map(\.1) == [nil, "+49 30 2"])
            #expect(try Purchase.query.select { $0.article }.distinct().count(in: db) == 3)
            let last: String? = try Purchase.order { $0.id.descending }.select { $0.article }.first(in: db)
            #expect(last == "pen")
        }
    }

    @Test func theLatestIsThatOfTheQuery() async throws {
        try await fill()
        try await temporary.store.read { (db) throws in
            #expect(try Purchase.query.latest(in: db)?.id == 5)
            #expect(try Purchase.where { $0.buyer == 1 }.latest(in: db)?.id == 2)
            // Of the two with the least total, and not of all.
            #expect(try Purchase.order { $0.total.ascending }.limit(2).latest(in: db)?.id == 3)
        }
    }

    @Test func conditionsThatCalculate() async throws {
        try await fill()
        try await temporary.store.read { (db) throws in
            #expect(try ids(db) { $0.total * 2 + 1 > 9 } == [2, 4])
            #expect(try ids(db) { $0.total % 2 == 1 } == [1, 4])
            #expect(try ids(db) { 10 - $0.total < 3 } == [2, 4])
            #expect(try ids(db) { $0.total / 4 == 1 } == [3, 5])
            #expect(try ids(db) { -$0.total == -8 } == [2])
            #expect(try ids(db) { $0.total.isBetween(4, and: 8) } == [2, 3, 5])
            #expect(try ids(db) { $0.total.isIn(4...8) } == [2, 3, 5])
            #expect(try ids(db) { $0.total.isIn(4..<8) } == [3, 5])
            #expect(try ids(db) { $0.article.length() == 3 && $0.article.uppercased() == "INK" } == [2])
            #expect(try ids(db) { _ in Computed<Int>("total + 1") * 2 == 8 } == [1])
            #expect(try Contact.where { ($0.phone ?? "none") == "none" }.count(in: db) == 1)
        }
    }

    @Test func rangesOfOptionalColumnsHaveNoNULL() async throws {
        try await TemporaryStore(tables: [Cell<Int?>.schema]).store.write { db in
            try Cell<Int?>.insert(contentsOf: [17, 18, 30, nil].map { Cell($0) }, in: db)
            #expect(try Cell<Int?>.where { $0.content.isIn(18..<30) }.fetch(in: db).map(\.content) == [18])
            #expect(try Cell<Int?>.where { $0.content.isIn(18...30) }.fetch(in: db).map(\.content) == [18, 30])
            #expect(try Cell<Int?>.where { $0.content.isIn([17, nil]) }.count(in: db) == 2)
        }
    }

    @Test func aCalculatedNumberThatItsTypeCannotHoldIsAMismatch() async throws {
        try await TemporaryStore(tables: [Cell<UInt>.schema]).store.write { db in
            try Cell<UInt>.insert(contentsOf: [Cell(4), Cell(3)], in: db)
            let differences = try Cell<UInt>.order { $0.id.ascending }.select { $0.content - 4 }
            #expect(try differences.first(in: db) == 0)
            let error = try expectFailure(.typeMismatch) { try differences.fetch(in: db) }
            #expect(error.mismatch?.found == "an integer" && error.mismatch?.wanted == "UInt")
            let signed = try Cell<UInt>.order { $0.id.ascending }.select { Computed("\($0.content - 4)", as: Int.self) }
            #expect(try signed.fetch(in: db) == [0, -1])
            try Cell<UInt>.insert(Cell(UInt(Int64.max)), in: db)
            let sums = try Cell<UInt>.where { $0.id == 3 }.select { $0.content + 1 }
            let overflow = try expectFailure(.typeMismatch) { try sums.fetch(in: db) }
            #expect(overflow.mismatch?.found == "a floating-point number")
        }
    }

    private func ids(
        _ db: borrowing some Reading & ~Copyable, _ condition: (Purchase.Columns) -> Condition
    ) throws -> [Int64?] {
        try Purchase.where(condition).order { $0.id.ascending }.fetch(in: db).map(\.id)
    }
}
