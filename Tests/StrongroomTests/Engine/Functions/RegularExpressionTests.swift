import Strongroom
import StrongroomTesting
import Testing

@Suite("Regular expressions")
struct RegularExpressionTests {
    private func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(tables: [Article.schema])
        try await temporary.store.write { db in
            for (title, subtitle) in [("Ada 1815", "x"), ("ÉMILE 1706", nil), ("Grace", "^A")] as [(String, String?)] {
                try Article.insert(Article(title, subtitle: subtitle), in: db)
            }
        }
        return temporary
    }

    @Test func `a pattern is matched in queries and in SQL`() async throws {
        try await store().store.read { db in
            let columns = "`id`, `title`, `subtitle`, `price`, `rank`"
            try db.expectSQL("SELECT \(columns) FROM `article` WHERE (`title` REGEXP ?)") {
                let found = try Article.where { $0.title.matches("[0-9]{4}$") }.fetch(in: db).map(\.title)
                #expect(found == ["Ada 1815", "ÉMILE 1706"])
            }
            let cases = try Article.where { $0.title.matches("^émile", ignoringCase: true) }.fetch(in: db)
            #expect(cases.map(\.title) == ["ÉMILE 1706"])
            let optional = try Article.where { !$0.subtitle.matches("^x") }.fetch(in: db).map(\.title)
            #expect(optional == ["Grace"])
            // A pattern for each row.
            let rows = try db.values(
                "SELECT title FROM article WHERE title REGEXP ifnull(subtitle, 'É')", as: String.self)
            #expect(rows == ["ÉMILE 1706"])
            let numbers = try db.values("SELECT 125 REGEXP '^1.5$' UNION ALL SELECT NULL REGEXP 'a'", as: Int?.self)
            #expect(numbers == [1, nil])
            let texts = try db.value("SELECT 'a' || char(0) || 'b' REGEXP 'a.b'", as: Bool.self)
            #expect(texts == true)
        }
    }

    @Test func `an invalid pattern and bytes are named errors`() async throws {
        try await store().store.read { db in
            let error = try expectFailure(.invalidPredicate) {
                try Article.where { $0.title.matches("secret(") }.fetch(in: db)
            }
            #expect(!error.description.contains("secret"))
            try expectFailure(.invalidPredicate) {
                try db.values("SELECT title REGEXP '(' FROM article", as: Bool.self)
            }
            let mismatch = try expectFailure(.typeMismatch) { try db.value("SELECT x'00' REGEXP 'a'", as: Bool.self) }
            #expect(mismatch.mismatch?.function == "regexp")
        }
    }

    /// Its time doubles with each letter of the text.
    @Test(.ending) func `a search that backtracks ends at the timeout and by cancellation`() async throws {
        let store = try await store().store
        let (pattern, text) = ("(a+)+$", String(repeating: "a", count: 60) + "b")
        try await store.write { db throws in try Article.insert(Article(text), in: db) }
        // On a machine that is busy it may not even have begun.
        var (message, limit) = ("was not begun", Duration.milliseconds(50))
        while message.contains("was not begun") {
            message = try await expectFailure(.timedOut) { [limit] in
                try await store.read(timeout: limit) { db in
                    try Article.where { $0.title.matches(pattern) }.fetch(in: db)
                }
            }.message
            limit *= 2
        }
        #expect(message.contains("took longer than"))
        let isInside = Moment()
        let task = Task {
            try await store.read { db in
                isInside.come()
                return try Article.where { $0.title.matches(pattern) }.fetch(in: db).count
            }
        }
        try await isInside.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a search without enough memory is an error`() async throws {
        try await store().store.read { db in
            let text = String(repeating: "a", count: 3_000_000)
            try expectFailure(.limit, saying: "needs too much memory") {
                try db.value("SELECT \(text) REGEXP '(a|b)*c'", as: Bool.self)
            }
            #expect(try db.value("SELECT \(text) REGEXP '^[ab]*c'", as: Bool.self) == false)
        }
    }

    @Test func `a check may call it`() async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db in
            try db.execute("CREATE TABLE code (text TEXT CHECK (text REGEXP '^[A-Z]{3}$'))")
            try db.execute("INSERT INTO code VALUES ('ABC')")
            try expectFailure(.constraint) { try db.execute("INSERT INTO code VALUES ('abc')") }
        }
        #expect(try await temporary.store.verify().isIntact)
    }
}
