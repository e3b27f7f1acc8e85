import Strongroom
import StrongroomTesting
import Testing

/// After any program of writes the index equals one that is made anew.
@Suite("Full-text indexes and writes")
struct FullTextUpkeepTests {
    typealias Note = Library.Note
    typealias Page = Library.Page

    static let words = ["alpha", "beta", "gamma", "delta"]

    struct Maker {
        var random: SeededGenerator

        mutating func text() -> Value {
            guard Bool.random(using: &random) || Bool.random(using: &random) else { return .null }
            let count = Int.random(in: 0...3, using: &random)
            return .text((0..<count).map { _ in word() }.joined(separator: " "))
        }

        mutating func title() -> Value {
            if case .text(let text) = text() { .text(text) } else { .text("") }
        }

        mutating func word() -> String { FullTextUpkeepTests.words.randomElement(using: &random) ?? "" }

        mutating func number(_ most: Int = 6) -> Value { .integer(Int64(Int.random(in: 1...most, using: &random))) }

        mutating func sometimes(_ value: Value) -> Value { Int.random(in: 0..<4, using: &random) == 0 ? .null : value }

        mutating func conflict() -> String {
            ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"].randomElement(using: &random) ?? ""
        }

        mutating func book() -> Value { .text(["a", "A", "b"].randomElement(using: &random) ?? "a") }
    }

    /// One statement, which may fail.
    static func step(_ maker: inout Maker) -> SQL {
        let conflict = SQL(verbatim: maker.conflict())
        let limit = maker.number()
        switch Int.random(in: 0..<12, using: &maker.random) {
        case 0...3:
            let (key, number) = (maker.sometimes(maker.number()), maker.sometimes(maker.number()))
            return """
                INSERT \(conflict) INTO note (id, title, body, number, isDone) \
                VALUES (\(key), \(maker.title()), \(maker.text()), \(number), 0)
                """
        case 4, 5:
            let number = maker.sometimes(maker.number())
            return """
                INSERT \(conflict) INTO page (book, position, title, body, number) \
                VALUES (\(maker.book()), \(maker.number(2)), \(maker.title()), \(maker.text()), \(number))
                """
        case 6:
            return
                "UPDATE \(conflict) note SET title = \(maker.title()), number = \(maker.number()) WHERE id < \(limit)"
        case 7: return "UPDATE \(conflict) note SET id = \(maker.number()), body = \(maker.text()) WHERE id = \(limit)"
        case 8:
            return
                "UPDATE \(conflict) page SET book = \(maker.book()), body = \(maker.text()) WHERE position = \(limit)"
        case 9: return "UPDATE \(conflict) page SET number = \(maker.number()) WHERE position < \(limit)"
        case 10: return "DELETE FROM note WHERE id = \(limit)"
        default: return "DELETE FROM page WHERE number = \(limit)"
        }
    }

    /// Compares answers with the rows, in one snapshot.
    static func expectTrue(_ db: borrowing some Reading & ~Copyable, _ what: String) throws {
        for word in words {
            let question = SearchQuery.all(word)
            let notes = try Note.all(in: db).filter { "\($0.title) \($0.body ?? "")".contains(word) }
            #expect(try Note.search(question).fetch(in: db) == notes, "\(what): \(word)")
            let inTitle = try Note.all(in: db).filter { $0.title.contains(word) }
            #expect(try Note.search(question, on: Note.columns.title).fetch(in: db) == inTitle, "\(what): \(word)")
            let pages = try Page.all(in: db).filter { "\($0.title) \($0.body ?? "")".contains(word) }
            #expect(try Page.search(question).count(in: db) == pages.count, "\(what): \(word)")
        }
    }

    @Test(arguments: [false, true])
    func `random writes leave the index as one made anew`(recursive: Bool) async throws {
        for seed in 0..<8 as Range<UInt64> {
            var settings = StoreSettings()
            settings.recursiveTriggers = recursive
            let temporary = try await Library.store(settings: settings)
            var maker = Maker(random: SeededGenerator(seed))
            for round in 0..<6 {
                let steps = (0..<15).map { _ in Self.step(&maker) }
                let isRolledBack = Bool.random(using: &maker.random)
                try await temporary.store.write { db throws in
                    for step in steps {
                        // A constraint may refuse it, after some of its rows or before.
                        do { try db.execute(step) } catch let error as StrongroomError where error.code == .constraint {
                        }
                    }
                    let more = SQL("INSERT INTO note (title, body, isDone) VALUES ('alpha', 'beta', 0)")
                    struct Undone: Error {}
                    do {
                        try db.savepoint { db throws in
                            try db.execute(more)
                            if isRolledBack { throw Undone() }
                        }
                    } catch is Undone {}
                    try Self.expectTrue(db, "seed \(seed), round \(round)")
                }
                #expect(try await Library.findings(temporary.store) == [], "seed \(seed), round \(round)")
            }
            try await temporary.store.vacuum()
            try await temporary.store.read { db throws in try Self.expectTrue(db, "seed \(seed), after VACUUM") }
            #expect(try await Library.findings(temporary.store) == [])
        }
    }

    @Test func `every door updates the index`() async throws {
        let store = try await Library.store().store
        try await store.write { db throws in
            let key = try Note.insert(Note(title: "one", number: 1), in: db)
            try Note.insert(contentsOf: [Note(title: "two", number: 2), Note(title: "three", number: 3)], in: db)
            try Note.upsert(Note(id: key, title: "uno", number: 1), in: db)
            #expect(try Note.search("one").count(in: db) == 0)
            #expect(try Note.search("uno").fetch(in: db).map(\.id) == [key])
            try Note.update(key, in: db) { [$0.body.set("eins")] }
            #expect(try Note.search("uno eins").count(in: db) == 1)
            try Note.where { $0.number > 1 }.delete(in: db)
            #expect(try Note.search(.any("two three")).count(in: db) == 0)
            try Page.insert(Page(book: "a", position: 1, title: "first", number: nil), in: db)
            try db.execute("INSERT OR REPLACE INTO page (book, position, title) VALUES ('A', 1, 'second')")
            #expect(try Page.search("first").count(in: db) == 0)
            #expect(try Page.search("second").fetch(in: db).map(\.book) == ["A"])
        }
        #expect(try await Library.findings(store) == [])
    }

    @Test func `a default, an expression and a condition decide which row is replaced`() async throws {
        let temporary = try await Library.store()
        try await temporary.store.write { db throws in
            try db.execute(
                """
                CREATE TABLE entry (id INTEGER PRIMARY KEY, title TEXT, \
                code TEXT NOT NULL ON CONFLICT REPLACE DEFAULT 'none' UNIQUE, rank INTEGER)
                """)
            try db.execute("CREATE UNIQUE INDEX by_title ON entry (lower(title) COLLATE NOCASE DESC) WHERE rank > 5")
            let schema = TableSchema(
                "entry", columns: Entry.schema.columns, fullText: [FullTextIndex(on: "title")])
            try db.keepFullText(of: schema)
            try db.execute("INSERT INTO entry VALUES (1, 'first', 'none', 1), (2, 'Second', 'x', 9)")
            try db.execute("INSERT OR REPLACE INTO entry (id, title, code, rank) VALUES (3, 'third', NULL, 1)")
            #expect(try db.value("SELECT count(*) FROM entry", as: Int.self) == 2)
            try db.execute("INSERT OR REPLACE INTO entry VALUES (4, 'SECOND', 'y', 7)")
            #expect(try db.value("SELECT count(*) FROM entry", as: Int.self) == 2)
            #expect(try Entry.search("first").count(in: db) == 0)
            #expect(try Entry.search("second").fetch(in: db).map(\.id) == [4])
        }
        #expect(try await Library.findings(temporary.store) == [])
    }

    @Table("entry", fullText: [FullTextIndex(on: "title")])
    struct Entry {
        var id: Int64?
        var title: String
        var code: String
        var rank: Int
    }
}
