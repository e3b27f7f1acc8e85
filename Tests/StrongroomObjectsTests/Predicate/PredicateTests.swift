import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// A record with a column of each class, optional and not, whose properties predicates can name.
struct Item: Table, Record, Equatable {
    var id: Int64?
    var word: String
    var note: String?
    var size: Int
    var rank: Int?
    var ratio: Double
    var flag: Bool
    var mark: Bool?
    var made: Date
    var loose = 0

    struct Columns: Sendable {
        let id = Column<Int64?>("id", primaryKey: true)
        let word = Column<String>("a word")
        let note = Column<String?>("note")
        let size = Column<Int>("size")
        let rank = Column<Int?>("rank")
        let ratio = Column<Double>("ratio")
        let flag = Column<Bool>("flag")
        let mark = Column<Bool?>("mark")
        let made = Column<Date>("made")
    }

    static let columns = Columns()
    static let schema = TableSchema(
        "item", columns.id, columns.word, columns.note, columns.size, columns.rank, columns.ratio, columns.flag,
        columns.mark, columns.made)
    static func key(of item: Item) -> Int64? { item.id }
    static func setKey(_ key: Int64, of item: inout Item) { item.id = key }

    static func columnName(of property: PartialKeyPath<Item>) -> String? {
        switch property {
        case \.id: "id"
        case \.word: "a word"
        case \.note: "note"
        case \.size: "size"
        case \.rank: "rank"
        case \.ratio: "ratio"
        case \.flag: "flag"
        case \.mark: "mark"
        case \.made: "made"
        default: nil
        }
    }

    init(row: borrowing Row) throws {
        id = try row[0]
        word = try row[1]
        note = try row[2]
        size = try row[3]
        rank = try row[4]
        ratio = try row[5]
        flag = try row[6]
        mark = try row[7]
        made = try row[8]
    }

    func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(word, at: 1)
        try bindings.set(note, at: 2)
        try bindings.set(size, at: 3)
        try bindings.set(rank, at: 4)
        try bindings.set(ratio, at: 5)
        try bindings.set(flag, at: 6)
        try bindings.set(mark, at: 7)
        try bindings.set(made, at: 8)
    }

    /// A random item whose values come up again in others.
    init(id: Int64, _ generator: inout SeededGenerator) {
        self.id = id
        word = Self.word(&generator)
        note = generator.sometimesNil { Self.word(&$0) }
        size = Int.random(in: -3...3, using: &generator)
        rank = generator.sometimesNil { Int.random(in: -3...3, using: &$0) }
        ratio = generator.smallNumber()
        flag = generator.next().isMultiple(of: 2)
        mark = generator.sometimesNil { $0.next().isMultiple(of: 2) }
        made = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -3...3, using: &generator)))
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
