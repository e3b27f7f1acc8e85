import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
        let store = try await TemporaryStore(tables: [Cell<Value>.schema]).store
        let values: [Value] = [
            .null, .integer(.min), .integer(.max), .real(-0.1), .text(""), .text("a\0é\u{301}"),
            .blob([]), .blob([0, 255]),
        ]
        try await store.write { db in
            for value in values { try Cell<Value>.insert(Cell(value), in: db) }
            let query = Cell<Value>.order { $0.content.ascending }
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
