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

        mutating func text() -> SQLValue {
            guard Bool.random(using: &random) || Bool.random(using: &random) else { return .null }
            let count = Int.random(in: 0...3, using: &random)
            return .text((0..<count).map { _ in word() }.joined(separator: " "))
        }

        mutating func title() -> SQLValue {
            if case .text(let text) = text() { .text(text) } else { .text("") }
        }

        mutating func word() -> String { FullTextUpkeepTests.words.randomElement(using: &random) ?? "" }

        mutating func number(_ most: Int = 6) -> SQLValue { .integer(Int64(Int.random(in: 1...most, using: &random))) }

        mutating func sometimes(_ value: SQLValue) -> SQLValue {
            Int.random(in: 0..<4, using: &random) == 0 ? .null : value
        }

        mutating func conflict() -> String {
            ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"].randomElement(using: &random) ?? ""
        }

        mutating func book() -> SQLValue { .text(["a", "A", "b"].randomElement(using: &random) ?? "a") }
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

/// Triggers of the program, which change the searched table while those of the index are under way.
@Suite("Full-text indexes and other triggers")
struct FullTextTriggerTests {
    private static let triggers = [
        "AFTER UPDATE ON row BEGIN UPDATE row SET upd = upd + 1 WHERE id = new.id AND upd < 3; END",
        "BEFORE UPDATE ON row BEGIN UPDATE row SET upd = 1 WHERE id = old.id; END",
        "AFTER INSERT ON row BEGIN UPDATE row SET body = 'd' WHERE id = new.id; END",
        "AFTER UPDATE OF title ON row BEGIN UPDATE row SET body = new.title || ' e' WHERE id = new.id; END",
        "BEFORE INSERT ON row BEGIN UPDATE row SET body = 'f' WHERE u = new.u; END",
        "BEFORE INSERT ON row BEGIN UPDATE row SET upd = 9 WHERE u = new.u; END",
        "BEFORE DELETE ON row BEGIN UPDATE row SET title = 'a d' WHERE u = old.u + 1; END",
        """
        AFTER DELETE ON row WHEN old.u < 4 BEGIN
        INSERT OR IGNORE INTO row (id, title, body, u, upd) VALUES (old.id, 'e', 'f', old.u + 20, 9); END
        """,
        "AFTER INSERT ON row WHEN new.u = 2 BEGIN DELETE FROM row WHERE id = new.id; END",
        """
        BEFORE DELETE ON row WHEN old.u = 3 BEGIN
        UPDATE row SET body = 'c c' WHERE id = old.id; SELECT RAISE(IGNORE); END
        """,
        "AFTER UPDATE ON row WHEN new.u = 5 BEGIN DELETE FROM row WHERE u = 6; END",
        """
        AFTER UPDATE OF u ON row BEGIN
        INSERT OR REPLACE INTO row (id, title, body, u, upd) VALUES (new.id + 1, 'b', 'c', new.u + 1, 0); END
        """,
    ]

    /// Of another integer type, `id` is no alias of the row id.
    private static func schema(_ isMapped: Bool) -> TableSchema {
        TableSchema(
            "row",
            columns: [
                Column<Int64>("id", primaryKey: true).definition, Column<String?>("title").definition,
                Column<String?>("body").definition, Column<Int?>("u").definition, Column<Int?>("upd").definition,
            ], fullText: [FullTextIndex(on: "title", "body")])
    }

    private static func words(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in ["a", "b", "c", "d"].randomElement(using: &random) ?? ""
        }
        .joined(separator: " ")
    }

    private static func statement(_ random: inout SeededGenerator) -> SQL {
        let conflict = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"].randomElement(using: &random) ?? ""
        func number(_ most: Int) -> Int { Int.random(in: 1...most, using: &random) }
        let texts = (words(&random), words(&random))
        let update = SQL(stringLiteral: "UPDATE \(conflict) row SET")
        switch number(6) {
        case 1...3:
            return """
                INSERT \(SQL(stringLiteral: conflict)) INTO row (id, title, body, u, upd) \
                VALUES (\(number(6)), \(texts.0), \(texts.1), \(number(8)), 0)
                """
        case 4:
            return
                "\(update) title = \(texts.0), u = \(number(8)) WHERE id < \(number(6))"
        case 5:
            return
                "\(update) id = \(number(6)), body = \(texts.1) WHERE u < \(number(8))"
        default: return "DELETE FROM row WHERE id = \(number(6))"
        }
    }

    @Test(arguments: [false, true], triggers.indices)
    func `a trigger changes the table`(isMapped: Bool, position: Int) async throws {
        for seed in 0..<4 as Range<UInt64> {
            let store = try await TemporaryStore().store
            var random = SeededGenerator(seed)
            let isEarlier = seed.isMultiple(of: 2)
            try await store.write { db throws in
                try db.execute(
                    """
                    CREATE TABLE row (id \(SQL(stringLiteral: isMapped ? "INT" : "INTEGER")) PRIMARY KEY NOT NULL, \
                    title TEXT, body TEXT, u INTEGER UNIQUE, upd INTEGER)
                    """)
                let trigger = SQL(stringLiteral: "CREATE TRIGGER own \(Self.triggers[position])")
                if isEarlier { try db.execute(trigger) }
                try db.keepFullText(of: Self.schema(isMapped))
                if !isEarlier { try db.execute(trigger) }
                for _ in 0..<40 {
                    let sql = Self.statement(&random)
                    do {
                        try db.execute(sql)
                    } catch let error as StrongroomError where error.code == .constraint || error.code == .sql {
                        #expect(!error.message.contains("strongroom"), "seed \(seed): \(error)")
                    }
                }
            }
            #expect(try await Library.findings(store) == [], "seed \(seed)")
        }
    }

    @Test func `a parent's key is updated and cascades to the same table`() async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db throws in
            try db.execute(
                """
                CREATE TABLE row (id TEXT PRIMARY KEY NOT NULL, title TEXT, body TEXT, \
                parent TEXT REFERENCES row (id) ON UPDATE CASCADE)
                """)
            let schema = TableSchema(
                "row", columns: [Column<String>("id", primaryKey: true).definition],
                fullText: [FullTextIndex(on: "title")])
            try db.keepFullText(of: schema)
            try db.execute("INSERT INTO row VALUES ('p', 'a', NULL, NULL), ('q', 'b', NULL, 'p')")
            try db.execute("UPDATE row SET id = 'r' WHERE id = 'p'")
        }
        #expect(try await Library.findings(temporary.store) == [])
    }

    @Test func `rows that an insert ignores leave nothing behind`() async throws {
        let temporary = try await Library.store()
        try await temporary.store.write { db throws in
            for number in 1...20 { _ = try Library.Note.insert(Library.Note(title: "a", number: number), in: db) }
            for number in 1...20 {
                try db.execute("INSERT OR IGNORE INTO note (title, number, isDone) VALUES ('b', \(number), 0)")
            }
            let left = try db.value("SELECT count(*) FROM `strongroom_search_note.text_pending`", as: Int.self)
            #expect(left ?? 0 <= 1)
        }
        #expect(try await Library.findings(temporary.store) == [])
    }

    @Test func `rows that are written without the triggers are indexed again`() async throws {
        let temporary = try await Library.store()
        try await temporary.store.write { db throws in
            _ = try Library.Note.insert(Library.Note(title: "alpha"), in: db)
            try db.execute("DROP TRIGGER `strongroom_search_note.text_after_insert`")
            _ = try Library.Note.insert(Library.Note(title: "beta"), in: db)
            try db.keepFullText(of: Library.Note.schema)
            #expect(try Library.Note.search("beta").count(in: db) == 1)
            try db.execute("DROP TABLE note")
            try db.createTable(Library.Note.schema)
            _ = try Library.Note.insert(Library.Note(title: "gamma"), in: db)
            #expect(try Library.Note.search("alpha").count(in: db) == 0)
            #expect(try Library.Note.search("gamma").count(in: db) == 1)
        }
        #expect(try await Library.findings(temporary.store) == [])
    }

    @Test func `numbers, defaults that are words, comments, rows without a key`() async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db throws in
            try db.execute(
                "CREATE TABLE row (id TEXT PRIMARY KEY, title, v TEXT NOT NULL DEFAULT draft UNIQUE, u INTEGER)")
            try db.execute("CREATE UNIQUE INDEX big ON row (u) WHERE u > 5 -- only big")
            let schema = TableSchema(
                "row", columns: [Column<String>("id", primaryKey: true).definition],
                fullText: [FullTextIndex(on: "title")])
            try db.keepFullText(of: schema)
            try db.execute("INSERT INTO row VALUES ('a', 1, 'x', 7), (NULL, 'b', 'y', 8), (NULL, 'b', 'z', 9)")
            try db.execute("INSERT OR REPLACE INTO row (id, title, u) VALUES ('c', 'third', 7)")
            try db.execute("UPDATE row SET title = 2.0 WHERE id = 'c'")
            try db.execute("DELETE FROM row WHERE v = 'y'")
            try db.renameColumn("u", to: "number", in: "row")
        }
        #expect(try await Library.findings(temporary.store) == [])
    }
}
