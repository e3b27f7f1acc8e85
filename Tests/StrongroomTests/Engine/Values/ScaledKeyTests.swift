import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Scaled decimals as keys, in unique columns and declared by hand")
struct ScaledKeyTests {
    @Table("band")
    struct Band: Equatable {
        @Column(scale: 2, primaryKey: true) var limit: Decimal
        @Column("rate", scale: 4, unique: true) var rate: Decimal?
        var name: String
    }

    @Table("step")
    struct Step: Equatable {
        @Column(primaryKey: true) var tariff: Int64
        @Column(scale: 1, primaryKey: true) var from: Decimal
        @Column(scale: 2) var fee: Decimal
    }

    /// A table without macros.
    struct Offer: Table, Record, Equatable {
        struct Columns: Sendable {
            let id = Column<Int64?>("id", primaryKey: true)
            let price = Column<Decimal>("price", scale: 2, unique: true, check: "price >= 0")
        }

        static let columns = Columns()
        static let schema = TableSchema("offer", columns.id, columns.price)
        static let columnNames = ["id", "price"]

        var id: Int64?
        var price: Decimal

        init(id: Int64?, price: Decimal) {
            self.id = id
            self.price = price
        }

        init(row: borrowing Row) throws {
            id = try row[0]
            price = try row.decimal(at: 1, scale: 2)
        }

        func encode(to bindings: borrowing Bindings) throws {
            try bindings.set(id, at: 0)
            try bindings.set(price, at: 1, scale: 2)
        }

        static func key(of record: Offer) -> Int64? { record.id }
        static func setKey(_ key: Int64, of record: inout Offer) { record.id = key }
    }

    @Test func aDecimalIsAKeyOfItsOwn() async throws {
        let store = try await TemporaryStore(tables: [Band.schema]).store
        let half = try exactly("0.5")
        try await store.write { db throws in
            #expect(Band.schema.primaryKeys.first?.isNullable == false)
            let key = try Band.insert(Band(limit: half, rate: try exactly("0.0125"), name: "a"), in: db)
            #expect(key == half)
            try Band.insert(contentsOf: (1...40).map { Band(limit: Decimal($0), rate: nil, name: "b") }, in: db)
            #expect(try Band.find(half, in: db)?.name == "a")
            #expect(try Band.find([half, 7, 99], in: db).map(\.name) == ["a", "b"])
            try Band.update(Band(limit: half, rate: nil, name: "c"), in: db)
            #expect(try Band.update(half, in: db) { [$0.rate.set(1)] })
            #expect(try Band.find(half, in: db) == Band(limit: half, rate: 1, name: "c"))
            let upserted = try Band.upsert(Band(limit: half, rate: 2, name: "d"), in: db)
            #expect(upserted.key == half)
            let byRate = try Band.upsert(Band(limit: 3, rate: 2, name: "e"), .by(\.rate), in: db)
            #expect(byRate.key == half || byRate.key == 3)
            #expect(try Band.delete(7, in: db))
            #expect(try db.value("SELECT count(*) FROM band WHERE typeof(\"limit\") <> 'integer'", as: Int.self) == 0)
            try expectFailure(.constraint) { try db.execute("INSERT INTO band (\"limit\", name) VALUES (NULL, 'x')") }
            let fine = try exactly("0.505")
            try expectFailure(.valueNotStorable) { try Band.find(fine, in: db) }
        }
    }

    @Test func aPartOfAKey() async throws {
        let store = try await TemporaryStore(tables: [Step.schema]).store
        let half = try exactly("0.5")
        try await store.write { db throws in
            try Step.insert(Step(tariff: 1, from: half, fee: 2), in: db)
            try Step.insert(Step(tariff: 1, from: 0, fee: 1), in: db)
            #expect(try Step.find(Step.Key(tariff: 1, from: half), in: db)?.fee == 2)
            let first = try #require(try Step.query.first(in: db))
            let page = try Step.query.after(first).fetch(in: db)
            #expect(page.map(\.from) == [half])
            #expect(try Step.delete(Step.Key(tariff: 1, from: half), in: db))
            #expect(try Step.query.count(in: db) == 1)
        }
    }

    @Test func aTableByHand() async throws {
        let store = try await TemporaryStore(tables: [Offer.schema]).store
        let price = try exactly("19.99")
        try await store.write { db throws in
            let id = try Offer.insert(Offer(id: nil, price: price), in: db)
            let again = try Offer.upsert(Offer(id: nil, price: price), .by(\.price), in: db)
            #expect(again.key == id)
            #expect(try Offer.where { $0.price == price }.fetch(in: db) == [Offer(id: id, price: price)])
            try expectFailure(.constraint) { try Offer.insert(Offer(id: nil, price: -1), in: db) }
        }
    }

    @Test(arguments: [-1, 19, 1_000])
    func anotherScaleIsRefused(scale: Int) async throws {
        let store = try await TemporaryStore().store
        let id = Column<Int64?>("id", primaryKey: true)
        let price = Column<Decimal>("price", scale: scale)
        try await store.write { db throws in
            let error = try expectFailure(.invalidDeclaration) { try db.createTable(TableSchema("offer", id, price)) }
            #expect(error.message.contains("Column \"price\"") && error.message.contains("0 to 18"))
        }
    }

    @Test func aDefaultMustFit() async throws {
        let store = try await TemporaryStore().store
        let price = Column<Decimal>("price", scale: 2, default: try exactly("0.001"))
        try await store.write { db throws in
            try expectFailure(.valueNotStorable) { try db.createTable(TableSchema("offer", price)) }
        }
    }

    @Table("voucher")
    struct Coarse {
        var id: Int64?
        @Column(scale: 1) var price: Decimal
    }

    @Record
    struct Price {
        @Column(scale: 2) var price: Decimal
    }

    @Record
    struct Plain {
        var price: Decimal
    }

    @Test func aFileOfAnotherScaleIsRefused() async throws {
        let store = try await TemporaryStore(tables: [Voucher.schema]).store
        let price = try exactly("1.50")
        try await store.write { db throws in
            try Voucher.insert(Voucher(price: price), in: db)
            try expectFailure(.tableDiffers) { try Coarse.query.fetch(in: db) }
            try expectFailure(.tableDiffers) { try Coarse.insert(Coarse(price: 1), in: db) }
            #expect(try Voucher.query.fetch(as: Price.self, in: db).map(\.price) == [price])
            try expectFailure(.typeMismatch, saying: "scale") { try Voucher.query.fetch(as: Plain.self, in: db) }
        }
    }
}

@Suite("Relations by a scaled decimal")
struct ScaledRelationTests {
    @Table("bracket")
    struct Bracket {
        @Column(scale: 2, primaryKey: true) var limit: Decimal
        @HasMany var fees: [Fee] = []

        static let relations: Relations<Bracket>? = Relations().hasMany(\.$fees, by: \.bracket, orphans: .delete)
    }

    @Table("fee")
    struct Fee {
        @Column(primaryKey: true) var id: Int64?
        @Column(scale: 2, references: Reference("bracket")) var bracket: Decimal
        @BelongsTo var parent: Bracket? = nil

        static let relations: Relations<Fee>? = Relations().belongsTo(\.$parent, by: \.bracket)
    }

    @Test func childrenAndParentsAreFound() async throws {
        let store = try await TemporaryStore(tables: [Bracket.schema, Fee.schema]).store
        let half = try exactly("0.5")
        try await store.write { db throws in
            try Bracket.insert(Bracket(limit: half), in: db)
            try Bracket.insert(Bracket(limit: 1), in: db)
            try Fee.insert(contentsOf: [Fee(id: 1, bracket: half), Fee(id: 2, bracket: 1)], in: db)
            var brackets = try Bracket.order { $0.limit.ascending }.fetch(in: db)
            try Bracket.load(\.$fees, of: &brackets, in: db)
            #expect(brackets.map { $0.fees.compactMap(\.id) } == [[1], [2]])
            var fees = try Fee.query.fetch(in: db)
            try Fee.load(\.$parent, of: &fees, in: db)
            #expect(fees.map { $0.parent?.limit } == [half, 1])
            #expect(try Bracket.delete(brackets[0], cascading: true, in: db))
            #expect(try Fee.query.fetch(in: db).map(\.id) == [2])
        }
    }
}
