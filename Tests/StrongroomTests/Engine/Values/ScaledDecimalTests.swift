import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A decimal by its digits: a literal with a point would be a floating-point number first.
func exactly(_ digits: String) throws -> Decimal {
    try #require(Decimal(string: digits))
}

@Table("voucher")
struct Voucher: Equatable {
    @Column(primaryKey: true) var id: Int64?
    @Column(scale: 2, indexed: true) var price: Decimal
    @Column(scale: 2) var fee: Decimal?
    @Column(scale: 3, default: 1) var rate: Decimal?
    var note: Decimal?
}

@Suite("Decimals that are stored as scaled integers")
struct ScaledDecimalTests {
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
            for digits in Self.digits { try Voucher.insert(Voucher(price: exactly(digits)), in: db) }
        }
        return store
    }

    @Test func theFileHoldsIntegersAndGivesTheNumbersBack() async throws {
        try await TemporaryStore(tables: [Voucher.schema]).store.write { db throws in
            let ticket = Voucher(
                id: 1, price: try exactly("12.34"), fee: try exactly("-0.05"), rate: try exactly("0.125"),
                note: try exactly("1.5"))
            try Voucher.insert(ticket, in: db)
            #expect(try Voucher.find(1, in: db) == ticket)
            try Voucher.insert(Voucher(id: 2, price: 12, fee: nil, rate: nil), in: db)
            let bare = try #require(try Voucher.find(2, in: db))
            #expect(bare.price == 12 && bare.fee == nil && bare.rate == 1)
            let types = try db.columns(of: "voucher").map(\.declaredType).dropFirst(2)
            #expect(types == ["DECIMAL_INTEGER(2)", "DECIMAL_INTEGER(3)", "DECIMAL_TEXT"])
            let stored = try db.texts(
                "SELECT typeof(price) || price || ' ' || fee || ' ' || rate FROM voucher WHERE id = 1")
            #expect(stored == ["integer1234 -5 125"])
            #expect(try db.value("SELECT rate FROM voucher WHERE id = 2", as: Int.self) == 1_000)
        }
    }

    @Test func whatDoesNotFitIsRefusedAndNotRounded() async throws {
        try await filled().write { db throws in
            for digits in ["0.001", "92233720368547758.08", "-92233720368547758.09"] {
                let price = try exactly(digits)
                let error = try expectFailure(.valueNotStorable) { try Voucher.insert(Voucher(price: price), in: db) }
                #expect(error.message.contains("scale") && !error.message.contains(digits))
                try expectFailure(.valueNotStorable) {
                    try Voucher.where { $0.id == 1 }.update(in: db) { [$0.price.set(price)] }
                }
                try expectFailure(.valueNotStorable) { try Voucher.insert(in: db) { [$0.price.set(price)] } }
            }
            try expectFailure(.valueNotStorable) { try Voucher.insert(Voucher(price: .nan), in: db) }
            try expectFailure(.valueNotStorable) { try Voucher.where { $0.price < .nan }.count(in: db) }
            #expect(try Voucher.query.count(in: db) == Self.digits.count)
        }
    }

    private typealias Comparison = (
        name: String, query: @Sendable (Voucher.Columns, Decimal) -> Condition,
        swift: @Sendable (Decimal, Decimal) -> Bool
    )

    private static let comparisons: [Comparison] = [
        ("==", { $0.price == $1 }, { $0 == $1 }),
        ("!=", { $0.price != $1 }, { $0 != $1 }),
        ("<", { $0.price < $1 }, { $0 < $1 }),
        ("<=", { $0.price <= $1 }, { $0 <= $1 }),
        (">", { $0.price > $1 }, { $0 > $1 }),
        (">=", { $0.price >= $1 }, { $0 >= $1 }),
        ("not ==", { !($0.price == $1) }, { $0 != $1 }),
        ("from 0", { $0.price.isBetween(0, and: $1) }, { $0 >= 0 && $0 <= $1 }),
        ("to 0", { $0.price.isBetween($1, and: 0) }, { $0 >= $1 && $0 <= 0 }),
        ("in", { $0.price.isIn([$1, 1]) }, { $0 == $1 || $0 == 1 }),
    ]

    @Test func comparisonsAnswerAsTheNumbersDo() async throws {
        let store = try await filled()
        let prices = try Self.digits.map { try exactly($0) }
        try await store.read { db throws in
            for digits in Self.others {
                let limit = try exactly(digits)
                for comparison in Self.comparisons {
                    let found = try Voucher.where { comparison.query($0, limit) }.count(in: db)
                    let wanted = prices.count { comparison.swift($0, limit) }
                    #expect(found == wanted, "\(comparison.name) \(digits)")
                }
            }
        }
    }

    @Test func longListsAndRangesAreCompared() async throws {
        try await filled().read { db throws in
            let list = try (0..<2_000).map { try exactly("\($0).005") } + [10, 1]
            #expect(try Voucher.where { $0.price.isIn(list) }.count(in: db) == 2)
            #expect(try Voucher.where { $0.price.isIn(0..<1) }.count(in: db) == 2)
            #expect(try Voucher.where { $0.price.isIn(0...1) }.count(in: db) == 3)
            #expect(try Voucher.where { $0.fee == nil }.count(in: db) == Self.digits.count)
            #expect(try Voucher.where { $0.fee.isIn([nil, 1]) }.count(in: db) == Self.digits.count)
        }
    }

    @Test func orderSmallestLargestAndPages() async throws {
        let store = try await filled()
        let prices = try Self.digits.map { try exactly($0) }.sorted()
        try await store.read { db throws in
            let sorted = Voucher.order { $0.price.descending }
            #expect(try sorted.fetch(in: db).map(\.price) == prices.reversed())
            #expect(try Voucher.query.value(in: db) { $0.price.min() } == prices.first)
            #expect(try Voucher.query.value(in: db) { $0.price.max() } == prices.last)
            let first = try Voucher.order { $0.price.ascending }.limit(3).fetch(in: db)
            let last = try #require(first.last)
            let byPrice = Voucher.order { $0.price.ascending }
            #expect(try byPrice.after(last).fetch(in: db).map(\.price) == Array(prices.dropFirst(3)))
            let cursor = try PageCursor(byPrice.cursor(after: last).description)
            #expect(try byPrice.after(cursor).fetch(in: db).count == prices.count - 3)
        }
    }

    @Test func sumsAreExact() async throws {
        try await TemporaryStore(tables: [Voucher.schema]).store.write { db throws in
            #expect(try Voucher.query.value(in: db) { $0.price.sum() } == nil)
            let tenth = try exactly("0.1")
            for index in 0..<100 { try Voucher.insert(Voucher(price: tenth, fee: index < 10 ? tenth : nil), in: db) }
            #expect(try Voucher.query.value(in: db) { $0.price.sum() } == 10)
            #expect(try Voucher.query.value(in: db) { $0.fee.sum() } == 1)
            let rows = try Voucher.group { $0.price }.select { ($0.price, RowCount(), $0.fee.sum()) }.fetch(in: db)
            let row = try #require(rows.first)
            #expect(rows.count == 1 && row.0 == tenth && row.1 == 100 && row.2 == 1)
            let both = try Voucher.query.select { ($0.id, $0.price + $0.fee, $0.fee ?? 0) }.fetch(in: db)
            let fifth = try exactly("0.2")
            #expect(both.count { $0.1 == fifth } == 10 && both.count { $0.1 == nil && $0.2 == 0 } == 90)
            #expect(try Voucher.where { $0.price + $0.fee > 0 }.count(in: db) == 10)
            #expect(try Voucher.where { $0.price + 1 - $0.price == 1 }.count(in: db) == 100)
            #expect(try Voucher.where { 1 - $0.price < 1 }.count(in: db) == 100)
            try Voucher.where { $0.fee != nil }.update(in: db) { [$0.price.set($0.price + 5)] }
            #expect(try Voucher.query.value(in: db) { $0.price.sum() } == 60)
        }
    }

    @Test func aSumBeyond64BitsIsAnError() async throws {
        try await TemporaryStore(tables: [Voucher.schema]).store.write { db throws in
            let largest = try exactly("92233720368547758.07")
            for _ in 0..<2 { try Voucher.insert(Voucher(price: largest, fee: largest), in: db) }
            try expectFailure(.limit) { try Voucher.query.value(in: db) { $0.price.sum() } }
            try expectFailure(.limit) { try Voucher.where { $0.price + $0.fee > 0 }.count(in: db) }
            try expectFailure(.limit) { try Voucher.query.update(in: db) { [$0.price.set($0.price + 1)] } }
            let difference = try Voucher.query.select { $0.price - $0.fee }.fetch(in: db)
            #expect(difference == [0, 0])
        }
    }

    @Test func decimalsOfTwoFormsAreNotMixed() async throws {
        let store = try await filled()
        try await store.read { db throws in
            try expectFailure(.notTranslatable) { try Voucher.where { $0.price == $0.rate }.count(in: db) }
            try expectFailure(.notTranslatable) { try Voucher.where { $0.price < $0.note }.count(in: db) }
            try expectFailure(.notTranslatable) { try Voucher.query.value(in: db) { ($0.price + $0.rate).max() } }
            try expectFailure(.notTranslatable) { try Voucher.query.value(in: db) { $0.note.sum() } }
            try expectFailure(.notTranslatable) { try Voucher.where { $0.note + 1 > 1 }.count(in: db) }
            #expect(try Voucher.where { $0.price != $0.fee }.count(in: db) == 0)
        }
        try await store.write { db throws in
            try expectFailure(.notTranslatable) { try Voucher.query.update(in: db) { [$0.price.set($0.rate)] } }
        }
    }

    @Test func joinsKnowTheScale() async throws {
        try await filled().read { db throws in
            let same = try Voucher.join(Voucher.self) { left, right in left.price == right.price }
            let dear = try same.where { left, right in left.price > 1 && right.price < 10 }.fetch(in: db)
            #expect(try dear.map(\.0.price).sorted() == ["1.01", "9.99"].map { try exactly($0) })
            let prices = try same.select { left, right in (left.price, right.fee) }.fetch(in: db)
            #expect(prices.count == Self.digits.count && prices.allSatisfy { $0.1 == nil })
            let outer = try Voucher.leftJoin(Voucher.self) { left, right in right.price == left.fee }
            let unmatched = try outer.select { _, right in right.price }.fetch(in: db)
            #expect(unmatched == Array(repeating: nil, count: Self.digits.count))
        }
    }

    @Test func sqlOfOnesOwn() async throws {
        let store = try await filled()
        let limit = try exactly("1.01")
        let none: Decimal? = nil
        try await store.write { db throws in
            let count = try db.value("SELECT count(*) FROM voucher WHERE price = \(limit, scale: 2)", as: Int.self)
            #expect(count == 1)
            try db.execute("UPDATE voucher SET fee = \(none, scale: 2), price = \(limit, scale: 2) WHERE id = 1")
            var read: [Decimal?] = []
            try db.forEachRow("SELECT price, fee, price + 1 FROM voucher WHERE id = 1") { row in
                read.append(try row.decimal(at: 0, scale: 2))
                read.append(try row.decimalIfPresent(at: 1, scale: 2))
                read.append(try row.decimal(at: 2, scale: 2))
                try expectFailure(.typeMismatch) { try row.decimal(at: 0, scale: 3) }
                try expectFailure(.typeMismatch) { try row[0] as Decimal }
                try expectFailure(.invalidDeclaration) { try row.decimal(at: 0, scale: 19) }
            }
            #expect(try read == [limit, nil, exactly("1.02")])
            let inexact = try exactly("1.015")
            try expectFailure(.valueNotStorable) {
                try db.execute("DELETE FROM voucher WHERE fee = \(inexact, scale: 2)")
            }
            try expectFailure(.invalidDeclaration) {
                try db.execute("DELETE FROM voucher WHERE fee = \(limit, scale: -1)")
            }
        }
    }

    @Test func jsonAndDictionariesHaveTheDigits() throws {
        let ticket = Voucher(id: 1, price: try exactly("12.30"), fee: try exactly("-0.05"), rate: 2)
        let json = try ticket.json()
        #expect(json.contains(#""price":"12.3""#) && json.contains(#""fee":"-0.05""#), "\(json)")
        #expect(try Voucher(json: json) == ticket)
        #expect(try ticket.dictionary()["price"] == .text("12.3"))
        #expect(try Voucher(dictionary: try ticket.dictionary()) == ticket)
        #expect(try Voucher(dictionary: ["price": 7]).price == 7)
        let number = try Voucher(json: #"{"price":19.99,"fee":7}"#)
        #expect(try number.price == exactly("19.99") && number.fee == 7 && number.rate == 1)
        try expectFailure(.valueNotStorable) { try Voucher(json: #"{"price":"1.005"}"#) }
        try expectFailure(.valueNotStorable) { try Voucher(json: #"{"price":1.005}"#) }
        try expectFailure(.typeMismatch) { try Voucher(json: #"{"price":"1,5"}"#) }
        try expectFailure(.typeMismatch) { try Voucher(dictionary: ["price": 1.5]) }
    }
}
