import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("Collations in Swift and of locales")
struct CollationTests {
    static let byLength = Collation("by_length") { left, right in
        left.count == right.count ? .orderedSame : left.count < right.count ? .orderedAscending : .orderedDescending
    }

    private func store(_ titles: [String], _ collations: [Collation] = []) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Article.schema], collations: collations)
        try await temporary.store.write { db in
            for title in titles { try Article.insert(Article(title), in: db) }
        }
        return temporary
    }

    static let orders: [(Collation, [String])] = [
        (.locale("sv"), ["a", "A", "é", "o", "z", "Z", "å", "ä", "ö"]),
        (.locale("de"), ["a", "A", "å", "ä", "é", "o", "ö", "z", "Z"]),
        (.locale("de_CH"), ["a", "A", "å", "ä", "é", "o", "ö", "z", "Z"]),
        (.locale("cs"), ["cihla", "hora", "chata", "jaro"]),
        (.locale("en"), ["item 10", "item 9"]), (.locale("en", numeric: true), ["item 9", "item 10"]),
    ]

    @Test(arguments: orders.indices)
    func `a query sorts as the locale does`(index: Int) async throws {
        let (collation, sorted) = Self.orders[index]
        try await store(sorted.reversed()).store.read { db in
            let found = try Article.order { $0.title.collated(collation).ascending }.fetch(in: db).map(\.title)
            #expect(found == sorted)
            let sql = SQL(stringLiteral: "SELECT title FROM article ORDER BY title COLLATE \(collation.name) DESC")
            let reversed = try db.values(sql, as: String.self)
            #expect(reversed == sorted.reversed())
        }
    }

    @Test func `texts that a locale sorts alike are equal only if their bytes are`() async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db in
            try db.execute("CREATE TABLE word (text TEXT COLLATE locale_sv UNIQUE)")
            for word in ["é", "e\u{301}", "a\u{0}", "a", "", "😀"] {
                try db.execute("INSERT INTO word VALUES (\(word))")
                try expectFailure(.constraint) { try db.execute("INSERT INTO word VALUES (\(word))") }
            }
            let found = try db.values("SELECT text FROM word WHERE text = \("e\u{301}")", as: SQLValue.self)
            #expect(found.map(\.exact) == [SQLValue.text("e\u{301}").exact])
        }
        #expect(try await temporary.store.verify().isIntact)
    }

    @Test func `a collation in Swift decides order, equality and uniqueness`() async throws {
        let temporary = try await store(["ccc", "a", "bb"], [Self.byLength])
        try await temporary.store.write { db in
            let sorted = try Article.order { $0.title.collated(Self.byLength).descending }.fetch(in: db).map(\.title)
            #expect(sorted == ["ccc", "bb", "a"])
            #expect(try Article.where { $0.title.collated(Self.byLength) == "xx" }.fetch(in: db).map(\.title) == ["bb"])
            try db.execute("CREATE UNIQUE INDEX article_length ON article (title COLLATE by_length)")
            try expectFailure(.constraint) { try Article.insert(Article("zz"), in: db) }
        }
        #expect(try await temporary.store.verify().isIntact)
    }

    @Test(arguments: ["nothing", "locale_", "locale_xyzzy", "locale_sv;", "locale_numeric_", "locale_12"])
    func `a missing collation is named`(name: String) async throws {
        try await store(["a", "b"]).store.write { db in
            try expectFailure(.missingCollation, saying: "the collation \"\(name)\"", "collations(for:)") {
                try Article.order { $0.title.collated(Collation(name)).ascending }.fetch(in: db)
            }
            try expectFailure(.missingCollation) {
                try db.execute("CREATE TABLE word (text TEXT COLLATE \(name: name) PRIMARY KEY)")
            }
        }
    }

    static let wrong: [([Collation], String)] = [
        ([Collation("NoCase") { _, _ in .orderedSame }], "the engine"),
        ([Collation("locale_sv") { _, _ in .orderedSame }], "of a locale"),
        ([Collation("a-b") { _, _ in .orderedSame }], "The name of a collation"),
        ([byLength, Collation("BY_LENGTH") { _, _ in .orderedSame }], "twice"),
    ]

    @Test(arguments: wrong.indices)
    func `a name that cannot be used is refused by the opening`(index: Int) async throws {
        let (collations, words) = Self.wrong[index]
        try await expectFailure(.invalidName, saying: words) { try await TemporaryStore(collations: collations) }
    }

    @Test func `after a change of its order, verify reports the index, and reindex repairs it`() async throws {
        let directory = try TemporaryDirectory()
        var vault = Vault(directory.path(""), keys: .numbered(1))
        vault.collations = [Self.byLength]
        try await vault.using { store in
            try await store.write { db in
                try db.execute("CREATE INDEX line_length ON line (text COLLATE by_length)")
                for length in 1...20 {
                    try db.execute("INSERT INTO line VALUES (\(String(repeating: "x", count: length)))")
                }
            }
            #expect(try await store.verify().isIntact)
        }
        let changed = Collation("by_length") { left, right in
            left.count == right.count ? .orderedSame : left.count > right.count ? .orderedAscending : .orderedDescending
        }
        vault.collations = [changed]
        try await vault.using { store in
            let report = try await store.verify()
            #expect(!report.isIntact && report.unchecked.isEmpty)
            #expect(report.objections.contains { $0.contains("line_length") })
            try await store.write { db in try db.reindex(changed) }
            #expect(try await store.verify().isIntact)
            let first = try await store.value(
                "SELECT length(text) FROM line ORDER BY text COLLATE by_length LIMIT 1", as: Int.self)
            #expect(first == 20)
            try await expectFailure(.missingCollation) {
                try await store.write { db in try db.reindex(Collation("nothing")) }
            }
        }
    }

    @Test func `a collation that calls the store gets an error`() async throws {
        let box = Locked<(store: Store?, code: StrongroomError.Code?)>((nil, nil))
        let asking = Collation("asking") { left, right in
            do {
                _ = try box.withLock { $0.store }?.read { db in try db.value("SELECT 1", as: Int.self) }
            } catch {
                box.withLock { $0.code = (error as? StrongroomError)?.code }
            }
            return left < right ? .orderedAscending : .orderedDescending
        }
        let store = try await store(["b", "a"], [asking]).store
        box.withLock { $0.store = store }
        let sorted = try await store.read { db in
            try Article.order { $0.title.collated(asking).ascending }.fetch(in: db).map(\.title)
        }
        box.withLock { $0.store = nil }
        #expect(sorted == ["a", "b"] && box.withLock { $0.code } == .nestedAccess)
    }
}
