import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// A record with a column of each class, optional and not, whose properties predicates can name.
@Table("item")
struct Item: Equatable {
    var id: Int64?
    @Column("a word") var word: String
    var note: String?
    var size: Int
    var rank: Int?
    var ratio: Double
    var flag: Bool
    var mark: Bool?
    var made: Date
    @Ignored var loose = 0
}

extension Item {
    /// A random item whose values come up again in others.
    init(id: Int64, _ generator: inout SeededGenerator) {
        self.init(
            id: id, word: Self.word(&generator), note: generator.sometimesNil { Self.word(&$0) },
            size: Int.random(in: -3...3, using: &generator),
            rank: generator.sometimesNil { Int.random(in: -3...3, using: &$0) }, ratio: generator.smallNumber(),
            flag: generator.next().isMultiple(of: 2), mark: generator.sometimesNil { $0.next().isMultiple(of: 2) },
            made: Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -3...3, using: &generator))))
    }

    static func word(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...3, using: &generator)).reduce(into: "") { text, _ in
            text += ["a", "A", "b", "%", "_", "\0", "é", "漢"][Int.random(in: 0..<8, using: &generator)]
        }
    }
}

/// Predicates find in a store what Swift finds with them in memory.
struct PredicateTests {
    @Test func randomPredicatesFindWhatSwiftFinds() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed of randomPredicatesFindWhatSwiftFinds: \(seed)")
        var generator = SeededGenerator(seed)
        var predicates: [Predicate<Item>] = []
        for _ in 0..<6 { predicates += Self.made(&generator) }
        try await Self.expectSameRows(predicates, &generator)
    }

    private static func expectSameRows(_ predicates: [Predicate<Item>], _ generator: inout SeededGenerator) async throws
    {
        let items = (1...120).map { Item(id: $0, &generator) }
        let store = try await TemporaryStore(tables: [Item.schema]).store
        try await store.write { db in try Item.insert(contentsOf: items, in: db) }
        // Neighbours are combined: nothing may be unknown, or a negation finds too little.
        let found = try await store.read { db in
            try zip(predicates, predicates.reversed()).map { first, second in
                let (one, two) = (try Condition(first), try Condition(second))
                let queries = [
                    try Item.where(first), Item.where { _ in !one }, Item.where { _ in !(one && two) || one },
                ]
                return try queries.map { try $0.order { $0.id.ascending }.fetch(in: db).map(\.id) }
            }
        }
        for ((first, second), found) in zip(zip(predicates, predicates.reversed()), found) {
            let one = try items.map { try first.evaluate($0) }
            let two = try items.map { try second.evaluate($0) }
            let wanted = [one, one.map { !$0 }, zip(one, two).map { !($0 && $1) || $0 }]
            let keys = wanted.map { holds in zip(items, holds).filter(\.1).map(\.0.id) }
            let sql = try Condition(first).sql.text
            #expect(found == keys, "\(sql)")
        }
    }

    private static func made(_ generator: inout SeededGenerator) -> [Predicate<Item>] {
        let item = Item(id: 1, &generator)
        return texts(item) + optionals(item) + numbers(item, Item(id: 2, &generator))
    }

    private static func texts(_ item: Item) -> [Predicate<Item>] {
        let (word, note) = (item.word, item.note)
        let words = [item.word, "a", "b"]
        let notes = [item.note, nil, "A"]
        let many = (0..<100).map { "\($0)" } + [word]
        return [
            #Predicate { $0.word == word }, #Predicate { $0.word != word }, #Predicate { $0.word < word },
            #Predicate { $0.word >= word }, #Predicate { $0.word.contains(word) },
            #Predicate { $0.word.starts(with: word) }, #Predicate { word.contains($0.word) },
            #Predicate { word.starts(with: $0.word) }, #Predicate { $0.word.isEmpty },
            #Predicate { words.contains($0.word) }, #Predicate { many.contains($0.word) },
            #Predicate { notes.contains($0.note) }, #Predicate { !notes.contains($0.note) },
            #Predicate { $0.note == note }, #Predicate { $0.note != note }, #Predicate { !($0.note == note) },
            #Predicate { ($0.note ?? "b") == word }, #Predicate { $0.note?.isEmpty ?? true },
            #Predicate { $0.note?.contains(word) == true }, #Predicate { $0.note?.starts(with: word) != true },
            #Predicate { $0.note.flatMap { $0 > word } ?? false },
            #Predicate { $0.note != nil && ($0.note ?? "") < word },
        ]
    }

    private static func optionals(_ item: Item) -> [Predicate<Item>] {
        let (rank, mark) = (item.rank, item.mark)
        return [
            #Predicate { $0.rank == nil }, #Predicate { $0.rank != nil }, #Predicate { $0.rank == rank },
            #Predicate { !($0.rank != rank) }, #Predicate { $0.mark == mark }, #Predicate { $0.mark ?? false },
            #Predicate { !($0.mark ?? true) }, #Predicate { $0.flag }, #Predicate { !$0.flag },
            #Predicate { $0.flag == ($0.size > 0) }, #Predicate { ($0.rank ?? $0.size) > 0 },
            #Predicate { item in
                if let rank = item.rank { rank > item.size } else { item.flag }
            },
            #Predicate { $0.flag ? $0.size > 0 : $0.rank == nil }, .true, .false,
            #Predicate { $0.rank.flatMap { $0 + 1 } == rank },
        ]
    }

    private static func numbers(_ item: Item, _ other: Item) -> [Predicate<Item>] {
        let (size, ratio, made) = (item.size, item.ratio, item.made)
        let (low, high) = (min(size, other.size), max(size, other.size))
        let range = low...high
        let half = low..<high
        let dates = min(item.made, other.made)...max(item.made, other.made)
        let sizes: Set<Int> = [item.size, other.size]
        return [
            #Predicate { $0.size == size }, #Predicate { $0.size + 1 > size * 2 }, #Predicate { -$0.size <= size },
            #Predicate { $0.size != 0 && 7 / $0.size > size }, #Predicate { $0.size == 0 || 7 % $0.size == size },
            #Predicate { $0.size / 2 == size }, #Predicate { $0.size % 2 == 1 },
            #Predicate { range.contains($0.size) }, #Predicate { half.contains($0.size) },
            #Predicate { (low...high).contains($0.size) }, #Predicate { (low..<high).contains($0.size) },
            #Predicate { sizes.contains($0.size) },
            #Predicate { $0.made < made }, #Predicate { $0.made == made }, #Predicate { dates.contains($0.made) },
            #Predicate { $0.ratio == ratio }, #Predicate { $0.ratio < ratio }, #Predicate { $0.ratio / 2 >= ratio },
            #Predicate { 1 / $0.ratio > ratio }, #Predicate { $0.ratio / $0.ratio == 1 },
            #Predicate { $0.ratio / $0.ratio != 1 }, #Predicate { $0.ratio - $0.ratio == 0 },
            #Predicate { !($0.ratio * 0 <= ratio) }, #Predicate { -($0.ratio + ratio) != $0.ratio },
        ]
    }
}

extension PredicateTests {
    @Test func whatCannotBeTranslatedIsSaidAtOnce() throws {
        func expect(_ construct: String, _ predicate: Predicate<Item>) throws {
            try expectFailure(.notTranslatable, saying: construct) { try Item.where(predicate) }
        }
        try expect("loose", #Predicate { $0.loose == 1 })
        try expect("count", #Predicate { $0.word.count == 1 })
        try expect("Character", #Predicate { $0.word.contains("a" as Character) })
    }

    @Test func textsAreComparedByteByByte() async throws {
        let store = try await TemporaryStore(tables: [Item.schema]).store
        var generator = SeededGenerator(1)
        var item = Item(id: 1, &generator)
        item.word = "e\u{301}"
        let stored = item
        try await store.write { db in try Item.insert(stored, in: db) }
        let composed = #Predicate<Item> { $0.word == "\u{e9}" }
        #expect(try composed.evaluate(stored))
        let count = try await store.read { db in try Item.where(composed).count(in: db) }
        #expect(count == 0)
    }
}

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

    @Test func numbersInTheTextHaveTheScale() async throws {
        try await filled().read { db throws in
            #expect(try Voucher.where("price > 1.005 AND price <= 9.990").count(in: db) == 2)
            #expect(try Voucher.where("price IN {1, 1.01, 1.015}").count(in: db) == 2)
            #expect(try Voucher.where("price BETWEEN {0.001, 9.999}").count(in: db) == 4)
        }
    }

    private static func queries(_ limit: Decimal) throws -> [(Query<Voucher>, (Decimal) -> Bool)] {
        let list = [limit, 1]
        return try [
            (Voucher.where("price < %@", limit), { $0 < limit }),
            (Voucher.where("price == \(limit)"), { $0 == limit }),
            (Voucher.where(#Predicate { $0.price == limit }), { $0 == limit }),
            (Voucher.where(#Predicate { $0.price != limit }), { $0 != limit }),
            (Voucher.where(#Predicate { $0.price < limit }), { $0 < limit }),
            (Voucher.where(#Predicate { limit < $0.price }), { $0 > limit }),
            (Voucher.where(#Predicate { $0.price >= limit }), { $0 >= limit }),
            (Voucher.where(#Predicate { list.contains($0.price) }), { list.contains($0) }),
        ]
    }

    @Test func predicatesAnswerAsTheNumbersDo() async throws {
        let store = try await filled()
        let prices = try Self.digits.map { try Self.exactly($0) }
        for digits in Self.others {
            let limit = try Self.exactly(digits)
            for (index, (query, isWanted)) in try Self.queries(limit).enumerated() {
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

struct DatePredicateTests {
    @Table("task")
    struct Task {
        var id: Int64?
        @Column(as: .since1970(.seconds)) var seconds: Date
        @Column(as: .since1970(.wholeSeconds)) var whole: Date
        @Column(as: .since1970(.milliseconds)) var milliseconds: Date
        @Column(as: .iso8601) var iso: Date
        @Column(as: .iso8601WithBlank) var plain: Date
        @Column(as: .iso8601) var due: Date?
        var own: Date

        init(_ date: Date) {
            (seconds, whole, milliseconds, iso, plain, own) = (date, date, date, date, date, date)
        }
    }

    /// 2026-11-21T20:15:00.250Z
    private static let moment = Date(timeIntervalSince1970: 1_795_292_100.25)

    @Test func predicatesTakeTheFormOfTheColumn() async throws {
        try await TemporaryStore(tables: [Task.schema]).store.write { db in
            let dates = [-1, 0, 1].map { Self.moment + $0 * 86_400 }
            try Task.insert(contentsOf: dates.map { Task($0) }, in: db)
            let moment = Self.moment
            #expect(try Task.where(#Predicate { $0.seconds > moment }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.whole > moment }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.milliseconds == moment }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { moment > $0.iso }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.plain <= moment }).count(in: db) == 2)
            #expect(try Task.where(#Predicate { ($0.due ?? moment) == $0.iso }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.due == nil }).count(in: db) == 3)
        }
    }

    @Test func twoFormsAreNotCompared() throws {
        try expectFailure(.notTranslatable) { try Task.where(#Predicate { $0.seconds == $0.own }) }
    }
}
