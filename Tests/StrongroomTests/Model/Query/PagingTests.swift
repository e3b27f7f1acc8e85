import Foundation
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

@Suite("Cursors of pages")
struct PageCursorTests {
    private static func makeStore(_ seed: UInt64 = 1) async throws -> Store {
        let store = try await TemporaryStore(tables: [Sample.schema, Contact.schema]).store
        var generator = SeededGenerator(seed)
        let samples = (1...40).map { Sample(id: Int64($0), &generator) }
        try await store.write { db in _ = try Sample.insert(contentsOf: samples, in: db) }
        return store
    }

    @Test(
        "give every row once, through text and JSON, although the last row is deleted", arguments: [1, 2] as [UInt64])
    func everyRowOnce(seed: UInt64) async throws {
        let store = try await Self.makeStore(seed)
        let query = Sample.order { ($0.word.ascending, $0.number.descending) }.limit(3)
        let whole = try await store.read { db in
            try Sample.order { ($0.word.ascending, $0.number.descending) }.fetch(in: db)
        }
        var paged: [Sample] = []
        var text: String?
        while true {
            let asked = try text.map { query.after(try PageCursor($0)) } ?? query
            let page = try await store.read { db in try asked.fetch(in: db) }
            guard let last = page.last, let key = last.id else { break }
            paged += page
            let cursor = try query.cursor(after: last)
            text = cursor.description
            #expect(
                text?.utf8.allSatisfy {
                    "-_".utf8.contains($0) || Character(UnicodeScalar($0)).isLetter
                        || Character(UnicodeScalar($0)).isNumber
                } == true)
            #expect(try JSONDecoder().decode([PageCursor].self, from: JSONEncoder().encode([cursor])) == [cursor])
            _ = try await store.write { db in try Sample.delete(key, in: db) }
        }
        #expect(paged == whole)
    }

    @Test("hold every kind of value exactly")
    func everyValue() async throws {
        let store = try await TemporaryStore(tables: [Cell<SQLValue>.schema]).store
        let values: [SQLValue] = [
            .null, .integer(.min), .integer(.max), .real(-0.1), .text(""), .text("a\0é\u{301}"),
            .blob([]), .blob([0, 255]),
        ]
        try await store.write { db in
            for value in values { try Cell<SQLValue>.insert(Cell(value), in: db) }
            let query = Cell<SQLValue>.order { $0.content.ascending }
            let all = try query.fetch(in: db)
            for (index, cell) in all.enumerated() {
                let cursor = try PageCursor(query.cursor(after: cell).description)
                #expect(try query.after(cursor).fetch(in: db).map(\.id) == all.dropFirst(index + 1).map(\.id))
            }
        }
    }

    @Test("are the same in every process")
    func theText() throws {
        let cursor = try Contact.order { $0.name.ascending }.cursor(after: Contact(id: 7, name: "Ada"))
        #expect(cursor.description == Self.text)
        #expect(try PageCursor(Self.text) == cursor)
    }

    private static let text = "AcXcJcx4-72vAnQAAAAAAAAAA0FkYWkAAAAAAAAABw"

    @Test("of another table or another order are refused")
    func anotherOrder() async throws {
        try await Self.makeStore().read { db in
            let query = Sample.order { $0.word.ascending }
            let record = try #require(try query.first(in: db))
            let cursor = try query.cursor(after: record)
            // Other conditions, and another limit: the same place.
            #expect(try query.where { $0.size >= .min }.limit(2).after(cursor).fetch(in: db).count == 2)
            #expect(try query.after(cursor).where { $0.size >= .min }.fetch(in: db).count == 39)
            let others = [
                Sample.query, Sample.order { $0.word.descending }, Sample.order { $0.word.ascending.nullsLast },
                Sample.order { $0.note.ascending },
                Sample.order { ($0.word.ascending, $0.size.ascending) },
            ]
            for other in others {
                try expectFailure(.pageCursor, saying: "\"sample\"") { try other.after(cursor).fetch(in: db) }
                try expectFailure(.pageCursor) { try other.after(cursor).count(in: db) }
            }
            try expectFailure(.pageCursor) { try Contact.order { $0.name.ascending }.after(cursor).fetch(in: db) }
        }
    }

    @Test("that are none are refused, whatever the client sends")
    func texts() throws {
        let good = try Contact.order { $0.name.ascending }.cursor(after: Contact(id: 7)).description
        var broken = ["", "=", "A", "é", good + "=", good + " ", good + "AAAA", "Ag", String(good.dropLast(4)), "null"]
        for length in 0..<good.count { broken.append(String(good.prefix(length))) }
        for text in broken where text != good {
            try expectFailure(.pageCursor, "\(text)") { try PageCursor(text) }
        }
        var generator = SeededGenerator(7)
        for _ in 1...500 {
            let bytes =
                [1]
                + (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    UInt8.random(in: .min ... .max, using: &generator)
                }
            let text = Data(bytes).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
            do { _ = try PageCursor(text) } catch let error as StrongroomError { #expect(error.code == .pageCursor) }
        }
    }

    @Test("are not made where pages have no order")
    func noOrder() async throws {
        try await Self.makeStore().read { db in
            let record = try #require(try Sample.query.first(in: db))
            let byLength = Sample.order { $0.note.length().ascending }
            try expectFailure(.notTranslatable) { try byLength.cursor(after: record) }
            let distinct = Sample.order { $0.word.ascending }.distinct()
            try expectFailure(.notTranslatable) { try distinct.cursor(after: record) }
            // It began again without a word.
            try expectFailure(.notTranslatable) { try distinct.after(record).fetch(in: db) }
        }
    }
}

@Suite("Records one at a time")
struct CursorTests {
    private let temporary: TemporaryStore

    init() async throws {
        temporary = try await TemporaryStore(tables: [Contact.schema])
        try await temporary.store.write { db in _ = try Contact.insert(contentsOf: Contact.samples(5), in: db) }
    }

    @Test func anErrorEndsItAndLeavesTheTransactionUsable() async throws {
        struct Enough: Error {}
        try await temporary.store.write { db in
            var seen = 0
            #expect(throws: Enough.self) {
                try Contact.query.forEach(in: db) { _ in
                    seen += 1
                    if seen == 2 { throw Enough() }
                }
            }
            #expect(seen == 2)
            try Contact.delete(1, in: db)
            #expect(try Contact.count(in: db) == 4)
        }
    }

    @Test("A mismatch names table, column, row id, what was there and what was wanted")
    func theRowThatDoesNotFitIsNamed() async throws {
        try await temporary.store.write { db in
            try db.execute("UPDATE contact SET score = 'high' WHERE id = 4")
            let query = Contact.where { $0.id > 1 }.order { $0.id.descending }
            for form in 0..<6 {
                let error = try expectFailure(.typeMismatch) { try read(query, form, db) }
                #expect(error.mismatch?.table == "contact")
                #expect(error.mismatch?.column == "score")
                #expect(error.mismatch?.rowID == 4)
                #expect(error.mismatch?.found == "text")
                #expect(error.mismatch?.wanted == "a number")
                #expect(!"\(error)".contains("high"))
            }
        }
    }

    /// Reads the query's records in one of the ways in which there are.
    private func read(_ query: Query<Contact>, _ form: Int, _ db: borrowing WriteTransaction) throws {
        switch form {
        case 0: _ = try query.fetch(in: db)
        case 1: _ = try query.limit(2, offset: 1).fetch(in: db)
        case 2: try query.forEach(in: db) { _ in }
        case 3: _ = try Contact.find(4, in: db)
        case 4: _ = try Contact.find([1, 4], in: db)
        default: _ = try Contact.all(in: db)
        }
    }
}

/// Numbers of a query that a request to a service may contain.
@Suite("Negative limits")
struct NegativeLimitTests {
    @Test(arguments: [(-1, 0), (2, -1), (.min, .min), (0, -1)])
    func aNegativeLimitOrOffsetFailsWhenTheQueryRuns(limit: Int, offset: Int) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            try Contact.insert(contentsOf: Contact.samples(5), in: db)
            let query = Contact.query.limit(limit, offset: offset)
            try expectFailure(.invalidArgument) { try query.fetch(in: db) }
            try expectFailure(.invalidArgument) { try query.first(in: db) }
            try expectFailure(.invalidArgument) { try query.count(in: db) }
            try expectFailure(.invalidArgument) { try query.delete(in: db) }
            try expectFailure(.invalidArgument) { try query.select { $0.name }.fetch(in: db) }
            #expect(try Contact.count(in: db) == 5)
        }
    }

    /// Also of `AND`, and where the loop puts each condition before the others.
    @Test(arguments: [87, 88, 300], [false, true])
    func manyConditionsAreOneQuery(count: Int, isBefore: Bool) async throws {
        try await TemporaryStore(tables: [Contact.schema]).store.write { db throws in
            try Contact.insert(contentsOf: Contact.samples(400), in: db)
            let keys = 1..<Int64(count)
            let any = Contact.where { columns in
                keys.reduce(columns.id == 0) { isBefore ? columns.id == $1 || $0 : $0 || columns.id == $1 }
            }
            #expect(try any.count(in: db) == count - 1)
            let all = Contact.where { columns in
                keys.reduce(columns.id != 0) { isBefore ? columns.id != $1 && $0 : $0 && columns.id != $1 }
            }
            #expect(try all.count(in: db) == 401 - count)
            let mixed = Contact.where { columns in
                let any = keys.reduce(columns.id == 0) { $0 || (columns.id == $1 && columns.id > 1) }
                return any && columns.id < 10
            }
            #expect(try mixed.count(in: db) == 8)
        }
    }
}

/// Is stored as JSON.
struct CodedOptions: Codable, Sendable, Equatable {
    var a: Int
    var b: Int
}

/// What has several stored forms has no place in an order that Swift can name.
@Suite("Orders of coded columns")
struct CodedOrderTests {
    @Table("profile")
    struct Profile: Equatable {
        var id: Int64?
        @Column(as: .json) var options: CodedOptions
    }

    @Test("no page follows a record by them")
    func pages() async throws {
        try await TemporaryStore(tables: [Profile.schema]).store.write { db throws in
            // As another program writes it: read as it is, and written by the library in another form.
            for number in 1...4 {
                try db.execute("INSERT INTO profile (options) VALUES (\(#"{ "b": \#(number), "a": 1 }"#))")
            }
            let query = Profile.order { $0.options.ascending }.limit(2)
            let last = try #require(try query.fetch(in: db).last)
            try expectFailure(.notTranslatable, saying: "stored") { try query.after(last).fetch(in: db) }
            try expectFailure(.notTranslatable) { try query.cursor(after: last) }
            // Sorted it can be, and by the key it is paged.
            let byKey = Profile.order { $0.id.ascending }.limit(2)
            #expect(try byKey.after(#require(try byKey.fetch(in: db).last)).fetch(in: db).map(\.options.b) == [3, 4])
        }
    }

    @Test(
        "a comma after the last value is refused",
        arguments: [
            #"{"id": 1, "options": {"a": 1, "b": 2},}"#, #"{"id": 1, "options": {"a": 1, "b": 2 , } }"#,
        ])
    func trailingComma(json: String) async throws {
        try expectFailure(.notARecord, saying: "comma") { try Profile(json: json) }
        try expectFailure(.notARecord) { try Profile.records(json: "[\(json)]") }
        let whole = #"{"id": 1, "options": {"a": 1, "b": 2}}"#
        try expectFailure(.notARecord) { try Profile.records(json: "[\(whole),\n]") }
        #expect(try Profile.records(json: "[\(whole), \(whole)]").count == 2)
    }

    @Test(
        "a key that stands twice in an object is refused",
        arguments: [
            #"{"id": 1, "options": {"a": 1, "b": 2}, "id": 2}"#, #"{"id": 1, "options": {"a": 1, "b": 2, "a": 3}}"#,
            #"{"id": 1, "\u0069d": 2, "options": {"a": 1, "b": 2}}"#,
        ])
    func twice(json: String) async throws {
        try expectFailure(.notARecord, saying: "twice") { try Profile(json: json) }
        try expectFailure(.notARecord) { try Profile.records(json: "[\(json)]") }
        var profile = Profile(id: 7, options: CodedOptions(a: 1, b: 2))
        try expectFailure(.notARecord) { try profile.apply(json: json) }
        #expect(profile.id == 7)
        try await TemporaryStore(tables: [Profile.schema]).store.write { db throws in
            try expectFailure(.notARecord) { try Profile.upsert(json: json, in: db) }
            #expect(try Profile.count(in: db) == 0)
        }
    }

    @Test("keys that stand once in each object are read, whatever their texts hold")
    func once() throws {
        let json = #"[{"id": 1, "options": {"a": 1, "b": 2}}, {"id": 2, "options": {"b": 1, "a": 2}}]"#
        #expect(try Profile.records(json: json).map(\.options.a) == [1, 2])
        let odd = #"{"name": "a\"{,\"name\":\\", "size": 3}"#
        #expect(try Named(json: odd).name == #"a"{,"name":\"#)
    }
}
