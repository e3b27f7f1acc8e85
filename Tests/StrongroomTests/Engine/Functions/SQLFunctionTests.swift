import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("Functions in Swift")
struct SQLFunctionTests {
    private typealias F = SampleFunctions

    private func store(_ functions: [any DatabaseFunction] = F.all) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Article.schema], functions: functions)
        try await temporary.store.write { db in
            for article in [
                Article("First Note", price: 3, rank: 1), Article("bad", subtitle: "Two Words", price: 1, rank: 2),
                Article("Third", price: 2, rank: 3),
            ] {
                try Article.insert(article, in: db)
            }
        }
        return temporary
    }

    @Test func `a function is called in queries and in SQL`() async throws {
        try await store().store.read { db in
            let query = Article.where { F.slug($0.title) == "first-note" }
            #expect(try query.fetch(in: db).map(\.rank) == [1])
            let selected = try Article.order { $0.rank.ascending }
                .select { (F.slug($0.title), F.twice($0.rank)) }.fetch(in: db)
            #expect(selected.map(\.0) == ["first-note", "bad", "third"])
            #expect(selected.map(\.1) == [2, 4, 6])
            #expect(try db.value("SELECT slug('A B') || twice(21)", as: String.self) == "a-b42")
            #expect(try db.value("SELECT answer()", as: Int.self) == 42)
            #expect(try Article.order { F.slug($0.title).descending }.fetch(in: db).map(\.title).first == "Third")
        }
    }

    @Test func `NULL is nil for an optional argument and the result for another`() async throws {
        try await store().store.read { db in
            let slugs = try Article.order { $0.rank.ascending }.select { F.slug($0.subtitle) }.fetch(in: db)
            #expect(slugs == [nil, "two-words", nil])
            let told = try Article.order { $0.rank.ascending }.select { F.told($0.subtitle, $0.rank) }.fetch(in: db)
            #expect(told == ["nil 1", "Two Words 2", "nil 3"])
            #expect(try db.value("SELECT twice(NULL)", as: Int?.self) == .some(nil))
            #expect(try db.value("SELECT told(NULL, NULL)", as: String.self) == "nil nil")
        }
    }

    static let values: [SQLValue] = [
        .null, .integer(.min), .integer(.max), .integer(0), .real(1e300), .real(-.infinity), .text(""),
        .text("a\u{0}b\u{0}"), .text("😀e\u{301}"), .blob([]), .blob([0, 255, 0]),
    ]

    @Test(arguments: values)
    func `every value passes unchanged`(value: SQLValue) async throws {
        let found = try await TemporaryStore(functions: F.all).store.read { db in
            try (
                db.value("SELECT echo(\(value))", as: SQLValue.self),
                db.value("SELECT typeof(echo(\(value)))", as: String.self)
            )
        }
        let (echoed, type) = try (#require(found.0), #require(found.1))
        #expect(echoed.exact == value.exact)
        #expect(type == value.storageClass.rawValue.lowercased())
    }

    @Test func `an argument of another type ends the statement`() async throws {
        let unreal = SQLFunction("unreal") { Double.nan }
        try await TemporaryStore(functions: F.all + [unreal]).store.read { db in
            let error = try expectFailure(.typeMismatch) { try db.value("SELECT twice('x')", as: Int.self) }
            #expect(error.mismatch?.function == "twice")
            #expect(error.message.contains("Argument 1 of the function \"twice\" is text where an integer is expected"))
            #expect(error.sql == "SELECT twice('x')")
            try expectFailure(.valueNotStorable) { try db.value("SELECT unreal()", as: Double.self) }
        }
    }

    @Test func `the error of a function is that of the statement, and undoes it alone`() async throws {
        let store = try await store().store
        await #expect(throws: F.Refusal(text: "bad")) {
            try await store.read { db in try Article.where { F.refuse($0.title) == "x" }.fetch(in: db) }
        }
        try await store.write { db in
            try db.execute("UPDATE article SET rank = 10 WHERE rank = 1")
            do {
                try db.execute("UPDATE article SET title = refuse(title), rank = rank + 100")
                Issue.record("the statement ran")
            } catch let error as F.Refusal {
                #expect(error.text == "bad")
            }
            // The transaction goes on, and the next error is its own.
            try db.execute("UPDATE article SET rank = 30 WHERE rank = 3")
            try expectFailure(.sql) { try db.execute("SELECT * FROM nothing") }
        }
        let ranks = try await store.read { db in
            try Article.order { $0.id.ascending }.fetch(in: db).map(\.rank)
        }
        #expect(ranks == [10, 2, 30])
        await #expect(throws: F.Refusal(text: "bad")) {
            try await store.write { db in
                try db.execute("INSERT INTO article (title, rank) VALUES (refuse('bad'), 1)")
            }
        }
    }

    @Test func `a statement that ends early leaves nothing of a function`() async throws {
        try await store().store.read { db in
            let first = try Article.where { F.refuse($0.title) != "" }.first(in: db)
            #expect(first?.rank == 1)
            #expect(try Article.count(in: db) == 3)
        }
    }

    @Test func `a function that calls the store gets an error instead of waiting for itself`() async throws {
        let box = Locked<Store?>(nil)
        let nested = SQLFunction("nested") { () throws -> Int in
            guard let store = box.withLock({ $0 }) else { return 0 }
            return try store.read { db in try db.value("SELECT 1", as: Int.self) ?? 0 }
        }
        let writing = SQLFunction("writing") { () throws -> Int in
            try box.withLock { $0 }?.write { db in try db.execute("DELETE FROM article") } ?? 0
        }
        let store = try await store([nested, writing]).store
        box.withLock { $0 = store }
        for name in ["nested", "writing"] {
            let sql = SQL(stringLiteral: "SELECT \(name)()")
            try await expectFailure(.nestedAccess) {
                try await store.read { db in try db.value(sql, as: Int.self) }
            }
            try await expectFailure(.nestedAccess) {
                try await store.write { db in try db.value(sql, as: Int.self) }
            }
        }
        #expect(try await store.read { db in try Article.count(in: db) } == 3)
        box.withLock { $0 = nil }
    }

    @Test func `a slow function stops when its task is cancelled`() async throws {
        let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
        let slow = SQLFunction("slow") { (number: Int) -> Int in
            continuation.yield()
            Thread.sleep(forTimeInterval: 0.005)
            return number
        }
        let store = try await store([slow]).store
        // Years, if nothing stopped them.
        let rows: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(slow(i)) FROM n"
        let read = Task { try await store.read { db in try db.value(rows, as: Int.self) } }
        for await _ in calls { break }
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        let write = Task {
            try await store.write { db in
                try db.execute("UPDATE article SET rank = 100")
                try db.execute("UPDATE article SET rank = (\(rows))")
            }
        }
        for await _ in calls { break }
        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.value }
        #expect(try await store.read { db in try Article.all(in: db).map(\.rank) } == [1, 2, 3])
    }

    @Test func `in indexes and checks only a deterministic function`() async throws {
        let store = try await TemporaryStore(functions: F.all).store
        try await store.write { db in
            try db.execute("CREATE TABLE page (title TEXT CHECK (slug(title) <> ''), price)")
            try db.execute("CREATE UNIQUE INDEX page_slug ON page (slug(title))")
            try db.execute("CREATE INDEX page_twice ON page (price) WHERE twice(price) > 4")
            try db.execute("INSERT INTO page VALUES ('A B', 1), ('C', 7)")
            for sql in [
                "INSERT INTO page VALUES ('a b', 2)", "INSERT INTO page VALUES ('', 2)",
            ] as [SQL] {
                try expectFailure(.constraint) { try db.execute(sql) }
            }
            var plan: [String] = []
            try db.forEachRow("EXPLAIN QUERY PLAN SELECT * FROM page WHERE slug(title) = 'c'") { row in
                plan.append(try row.text(at: 3))
            }
            #expect(plan.joined().contains("page_slug"))
            for sql in [
                "CREATE INDEX page_answer ON page (answer())", "CREATE INDEX page_some ON page (price) WHERE answer()",
                "CREATE TABLE other (price CHECK (price < answer ( ) ))",
                "CREATE TABLE other (price, CONSTRAINT low CHECK (\"answer\"() > price))",
            ] as [SQL] {
                try expectFailure(.notDeterministic, saying: "\"answer\"") { try db.execute(sql) }
            }
            // A column of the name, and a check of another table, are none of its calls.
            try db.execute("CREATE TABLE fine (answer INTEGER CHECK (answer > 0))")
            try db.execute("CREATE VIEW answers AS SELECT answer() AS value")
            try db.execute(
                "CREATE TRIGGER later AFTER DELETE ON page BEGIN DELETE FROM page WHERE price = answer(); END")
            try db.execute("INSERT INTO page VALUES ('D', 42)")
            try db.execute("DELETE FROM page WHERE title = 'C'")
            #expect(try db.values("SELECT title FROM page", as: String.self) == ["A B"])
            #expect(try db.value("SELECT value FROM answers", as: Int.self) == 42)
        }
        #expect(try await store.verify().isIntact)
    }

    static let wrong: [([any DatabaseFunction], String)] = [
        ([SQLFunction("lower") { (text: String) in text }], "The engine has a function \"lower\""),
        ([SQLFunction("Count") { 1 }], "The engine has a function \"Count\""),
        ([SQLFunction("") { 1 }], "The name of a function"), ([SQLFunction("a b") { 1 }], "The name of a function"),
        ([SQLFunction("1st") { 1 }], "The name of a function"),
        ([SQLFunction("strongroom_list") { 1 }], "is reserved"),
        ([SQLFunction("same") { (a: Int) in a }, SQLFunction("SAME") { (b: String) in b }], "\"SAME\" twice"),
    ]

    @Test(arguments: wrong.indices)
    func `a name that cannot be used is refused by the opening`(index: Int) async throws {
        let (functions, words) = Self.wrong[index]
        try await expectFailure(.invalidName, saying: words) { try await TemporaryStore(functions: functions) }
    }

    @Test func `one name may have several numbers of arguments, and regexp may be replaced`() async throws {
        let functions: [any DatabaseFunction] = [
            SQLFunction("most") { (a: Int) in a }, SQLFunction("most") { (a: Int, b: Int) in max(a, b) },
            SQLFunction("regexp") { (pattern: String, text: String) in pattern == text },
        ]
        try await TemporaryStore(functions: functions).store.read { db in
            #expect(try db.value("SELECT most(1) + most(2, 3)", as: Int.self) == 4)
            #expect(try db.value("SELECT '(' REGEXP '('", as: Bool.self) == true)
            try expectFailure(.sql) { try db.value("SELECT most(1, 2, 3)", as: Int.self) }
        }
    }

    @Test func `a store in memory has the functions, and so has a dry run of a migration`() async throws {
        let first = Migration("1") { db in
            try db.execute("CREATE TABLE line (text TEXT NOT NULL)")
            try db.execute("CREATE INDEX line_slug ON line (slug(text))")
        }
        var vault = Vault(keys: .numbered(1)).with(\.functions, F.all).with(\.migrator, Migrator { first })
        let memory = try await vault.with(\.settings.storage, .memory).open()
        #expect(try await memory.value("SELECT slug('A B')", as: String.self) == "a-b")
        try await vault.keep("A B")
        vault.migrator = Migrator {
            first
            Migration("2") { db in try db.execute("UPDATE line SET text = slug(text)") }
        }
        vault.settings.migration = .manual
        let next = try await vault.open()
        let dryRun = try await next.dryRun()
        #expect(dryRun.report.steps.map(\.version) == ["2"])
        try await next.migrate()
        #expect(try await next.read { db in try db.values("SELECT text FROM line", as: String.self) } == ["a-b"])
        try await next.close()
    }
}
