import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Predicates about decimals, as text and in Swift")
struct DecimalPredicateTests {
    /// A decimal by its digits: a literal with a point would be a floating-point number first.
    private static func exactly(_ digits: String) throws -> Decimal { try #require(Decimal(string: digits)) }

    @Table("receipt")
    struct Receipt: Equatable {
        @Column(primaryKey: true) var id: Int64?
        @Column(indexed: true) var price: Decimal
    }

    private static func prices(_ query: Query<Receipt>, _ db: borrowing WriteTransaction) throws -> [String] {
        try query.order { $0.price.ascending }.fetch(in: db).map { "\($0.price)" }
    }

    @Test func comparisonsAreThoseOfNumbers() async throws {
        try await TemporaryStore(tables: [Receipt.schema]).store.write { db throws in
            for digits in ["9.5", "100", "-1", "-1.5", "0", "0.05", "10", "1.500", "-100"] {
                try Receipt.insert(Receipt(price: Self.exactly(digits)), in: db)
            }
            #expect(try Self.prices(Receipt.where("price > 9.25 AND price <= 100"), db) == ["9.5", "10", "100"])
            #expect(try Self.prices(Receipt.where("price BETWEEN {-1.5, 0}"), db) == ["-1.5", "-1", "0"])
            #expect(try Self.prices(Receipt.where("price == '1.500'"), db) == ["1.5"])
            let nine = Decimal(9)
            #expect(
                try Self.prices(Receipt.where(#Predicate { $0.price > nine && $0.price < 100 }), db) == ["9.5", "10"])
        }
    }

    @Table("voucher")
    struct Voucher: Equatable {
        @Column(primaryKey: true) var id: Int64?
        @Column(scale: 2, indexed: true) var price: Decimal
        @Column(scale: 2) var fee: Decimal?
        @Column(scale: 3, default: 1) var rate: Decimal?
    }

    private static let digits = [
        "-92233720368547758.08", "-45035996273704.97", "-1.01", "-1", "-0.99", "0", "0.01", "1", "1.01", "9.99", "10",
        "45035996273704.97", "92233720368547758.07",
    ]

    /// Some have more digits than the scale, or are beyond all integers.
    private static let others =
        digits + [
            "1.005", "-1.005", "0.001", "-0.001", "100000000000000000000", "-100000000000000000000",
            "92233720368547758.075", "-92233720368547758.085", "92233720368547758.069", "-45035996273704.965",
        ]

    private func filled() async throws -> Store {
        let store = try await TemporaryStore(tables: [Voucher.schema]).store
        try await store.write { db throws in
            for digits in Self.digits { try Voucher.insert(Voucher(price: Self.exactly(digits)), in: db) }
        }
        return store
    }

    @Test func scaledOnesAnswerAsTheNumbersDo() async throws {
        let store = try await filled()
        let prices = try Self.digits.map { try Self.exactly($0) }
        for digits in Self.others {
            let limit = try Self.exactly(digits)
            let texts = try [Voucher.where("price < %@", limit), Voucher.where("price == \(limit)")]
            let found = try await store.read { db in try texts.map { try $0.count(in: db) } }
            #expect(found == [prices.count { $0 < limit }, prices.count { $0 == limit }], "\(digits)")
        }
    }

    @Test func numbersInTheTextHaveTheScale() async throws {
        try await filled().read { db throws in
            #expect(try Voucher.where("price > 1.005 AND price <= 9.990").count(in: db) == 2)
            #expect(try Voucher.where("price IN {1, 1.01, 1.015}").count(in: db) == 2)
            #expect(try Voucher.where("price BETWEEN {0.001, 9.999}").count(in: db) == 4)
        }
    }

    private static func predicates(_ limit: Decimal) -> [(Predicate<Voucher>, (Decimal) -> Bool)] {
        let list = [limit, 1]
        return [
            (#Predicate { $0.price == limit }, { $0 == limit }),
            (#Predicate { $0.price != limit }, { $0 != limit }),
            (#Predicate { $0.price < limit }, { $0 < limit }),
            (#Predicate { limit < $0.price }, { $0 > limit }),
            (#Predicate { $0.price >= limit }, { $0 >= limit }),
            (#Predicate { list.contains($0.price) }, { list.contains($0) }),
        ]
    }

    @Test func predicatesAnswerAsTheNumbersDo() async throws {
        let store = try await filled()
        let prices = try Self.digits.map { try Self.exactly($0) }
        for digits in Self.others {
            let limit = try Self.exactly(digits)
            for (index, (predicate, isWanted)) in Self.predicates(limit).enumerated() {
                let query = try Voucher.where(predicate)
                let found = try await store.read { db in try query.count(in: db) }
                #expect(found == prices.count(where: isWanted), "\(digits), predicate \(index)")
            }
        }
    }

    @Test func partsOfPredicatesKnowTheScale() async throws {
        let store = try await filled()
        let half = try Self.exactly("0.5")
        let missing = try Voucher.where(#Predicate { ($0.fee ?? half) == half })
        let chosen = try Voucher.where(#Predicate { ($0.price > 5 ? $0.price : half) == half })
        try await store.read { db throws in
            #expect(try missing.count(in: db) == Self.digits.count)
            #expect(try chosen.count(in: db) == 9)
        }
        try expectFailure(.notTranslatable) { try Voucher.where(#Predicate { $0.rate == $0.fee }) }
    }
}
