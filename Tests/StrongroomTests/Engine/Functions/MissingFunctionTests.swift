import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("A file whose functions and collations are missing")
struct MissingFunctionTests {
    private let directory = TemporaryDirectory.ofSuite()
    /// With the functions that the file needs.
    private var complete: Vault {
        without.with(\.functions, SampleFunctions.all).with(\.collations, [CollationTests.byLength])
    }
    /// Without them.
    private var without: Vault { Vault(directory.path(""), keys: .numbered(1)).with(\.migrator, nil) }

    private func make(_ more: SQL...) async throws {
        try await complete.write { db in
            let statements: [SQL] = [
                "CREATE TABLE page (title TEXT COLLATE by_length, price INTEGER CHECK (twice(price) > 0))",
                "CREATE INDEX page_title ON page (title)", "CREATE INDEX page_slug ON page (slug(title))",
                "CREATE INDEX page_price ON page (price)",
                "CREATE VIEW slugs AS SELECT slug(title) AS slug FROM page",
                "CREATE TABLE note (text TEXT)", "CREATE TABLE priced (price INTEGER CHECK (twice(price) > 0))",
                "CREATE TRIGGER noted AFTER INSERT ON note BEGIN DELETE FROM note WHERE text = slug(new.text); END",
            ]
            for sql in statements + more { try db.execute(sql) }
            for number in 1...200 {
                let title = String(repeating: "Xy ", count: number % 17 + 1)
                try db.execute("INSERT INTO page VALUES (\(title), \(number))")
            }
        }
    }

    private func expectComplete(_ vault: Vault? = nil) async throws {
        try await (vault ?? complete).using { store in
            let report = try await store.verify()
            #expect(report.isIntact && report.unchecked.isEmpty, "\(report)")
            #expect(try await store.value("SELECT count(*) FROM page", as: Int.self) == 200)
        }
    }

    @Test func `statements that need them name them, and others run`() async throws {
        try await make()
        try await without.using { store in
            #expect(try await store.value("SELECT sum(price) FROM page", as: Int.self) == 20_100)
            let wrong: [(SQL, String)] = [
                ("SELECT slug(title) FROM page", "slug"), ("SELECT * FROM slugs", "slug"),
                ("INSERT INTO note VALUES ('a')", "slug"), ("DELETE FROM page WHERE price = 1", "slug"),
                ("INSERT INTO priced VALUES (3)", "twice"),
            ]
            for (sql, name) in wrong {
                let error = try await expectFailure(.missingFunction, saying: "the function \"\(name)\"") {
                    try await store.write { db in try db.execute(sql) }
                }
                #expect(error.message.contains("`functions(for:)`") && error.sql == sql.text)
            }
            for sql in ["SELECT title FROM page ORDER BY title", "SELECT 1 FROM page WHERE title = 'a'"] as [SQL] {
                try await expectFailure(.missingCollation, saying: "the collation \"by_length\"") {
                    try await store.write { db in try db.execute(sql) }
                }
            }
        }
        try await expectComplete()
    }

    @Test func `verify checks the rest and says what it has left out`() async throws {
        try await make()
        try await without.using { store in
            let report = try await store.verify()
            #expect(report.isIntact, "\(report)")
            let expected = [
                "index \"page_slug\" of table \"page\": the function \"slug\" is missing",
                "index \"page_title\" of table \"page\": the collation \"by_length\" is missing",
            ]
            #expect(Set(report.unchecked).isSuperset(of: expected), "\(report)")
            #expect(report.description.contains("not checked: index \"page_title\""))
            // The stand-ins are gone.
            try await expectFailure(.missingFunction) {
                try await store.write { db in try db.execute("DELETE FROM page WHERE price = 1") }
            }
            try await expectFailure(.missingCollation) {
                try await store.read { db in try db.values("SELECT title FROM page ORDER BY title", as: String.self) }
            }
        }
    }

    @Test func `verify still finds what another function has left in an index`() async throws {
        try await make()
        var other = complete
        other.functions[0] = SQLFunction("slug", deterministic: true) { (title: String) in "other \(title)" }
        try await other.using { store in
            let report = try await store.verify()
            #expect(!report.isIntact && report.objections.contains { $0.contains("page_slug") }, "\(report)")
        }
    }

    @Test func `verify still finds a wrong index beside one that cannot be compared`() async throws {
        try await make()
        func vault(_ base: Vault, _ sign: String) -> Vault {
            var vault = base
            vault.functions.append(SQLFunction("shout", deterministic: true) { (text: String) in text + sign })
            return vault
        }
        try await vault(complete, "!").write { db in
            try db.execute("CREATE TABLE word (text TEXT)")
            try db.execute("INSERT INTO word VALUES ('a')")
            try db.execute("CREATE INDEX word_shout ON word (shout(text))")
        }
        try await vault(without, "?").using { store in
            let report = try await store.verify()
            #expect(report.objections.contains { $0.contains("word_shout") }, "\(report)")
            #expect(report.unchecked.contains { $0.contains("page_slug") }, "\(report)")
        }
    }

    @Test func `rotate, backup and restore work without them`() async throws {
        try await make()
        let chain = try KeyChain(.numbered(1), .numbered(2))
        var rotated = without
        rotated.keyChain = { _ in chain }
        rotated.settings.rotation = .manual
        let backup = directory.path("backup.sqlite")
        try await rotated.using { store in
            let report = try await store.backup(to: backup)
            #expect(report.defect == nil && report.rows >= 200)
            #expect(try await store.rotate().method != .unchanged)
        }
        var after = complete
        after.keyChain = { _ in try KeyChain(.numbered(2)) }
        try await expectComplete(after)
        let stores = try Stores(rotated)
        _ = try await stores.restore("vault.sqlite", from: backup)
        after.keyChain = { _ in chain }
        try await expectComplete(after)
    }

    @Test func `copies row by row name what they need, and change nothing`() async throws {
        try await make()
        let text = directory.path("plain.sqlite")
        try await without.using { store in
            let error = try await #require(throws: StrongroomError.self) { try await store.exportPlaintext(to: text) }
            #expect([.missingFunction, .missingCollation].contains(error.code))
        }
        #expect(!FileManager.default.fileExists(atPath: text))
        try await complete.using { store in try await store.exportPlaintext(to: text) }
        try await expectComplete()
    }

    @Test func `an export needs none of those that checks, views and unindexed columns need`() async throws {
        try await complete.write { db in
            for sql in [
                "CREATE TABLE page (title TEXT COLLATE by_length, price INTEGER CHECK (twice(price) > 0))",
                "CREATE INDEX page_price ON page (price)",
                "CREATE VIEW slugs AS SELECT slug(title) AS slug FROM page",
            ] as [SQL] { try db.execute(sql) }
            for number in 1...200 { try db.execute("INSERT INTO page VALUES ('a', \(number))") }
        }
        let text = directory.path("vault_plain.sqlite")
        try await without.using { store in try await store.exportPlaintext(to: text) }
        let plain = try await Stores(complete.with(\.keyChain, { @Sendable _ in .plaintext })).open(
            "vault_plain.sqlite")
        let report = try await plain.verify()
        #expect(report.isIntact && report.unchecked.isEmpty, "\(report)")
        try await plain.write { db in
            #expect(try db.values("SELECT DISTINCT slug FROM slugs", as: String.self) == ["a"])
            try expectFailure(.constraint) { try db.execute("INSERT INTO page VALUES ('a', 0)") }
        }
        try await plain.close()
    }

    /// A column without an index needs no collation; an index of another table, whose entries it orders, does.
    @Test func `an export without a collation builds no index with it`() async throws {
        try await complete.write { db in
            try db.execute("CREATE TABLE page (title TEXT COLLATE by_length)")
            try db.execute("CREATE TABLE name (id INTEGER PRIMARY KEY, name TEXT)")
            try db.execute("CREATE INDEX name_name ON name (name COLLATE by_length)")
            try db.execute("INSERT INTO name (name) VALUES ('ccc'), ('a'), ('bb')")
        }
        let text = directory.path("plain.sqlite")
        try await without.using { store in
            try await expectFailure(.missingCollation) { try await store.exportPlaintext(to: text) }
        }
        #expect(!FileManager.default.fileExists(atPath: text))
    }

    @Test func `salvage makes what it can and lists the rest`() async throws {
        try await make("CREATE TABLE word (text TEXT COLLATE by_length UNIQUE)")
        let copy = directory.path("vault_salvaged.sqlite")
        let report = try await Stores(without).salvage("vault.sqlite", to: copy)
        #expect(report.tables.first { $0.name == "page" }?.rowsCopied == 200)
        let names = report.missingObjects.map(\.name)
        #expect(names == ["sqlite_autoindex_word_1", "page_title", "page_slug"], "\(report.missingObjects)")
        let whole = directory.path("vault_whole.sqlite")
        let complete = try await Stores(self.complete).salvage("vault.sqlite", to: whole)
        #expect(complete.missingObjects.isEmpty, "\(complete.missingObjects)")
    }

    @Test func `a diagnosis and the tool's survey need none`() async throws {
        try await make()
        let stores = try Stores(without)
        #expect(try await stores.diagnose("vault.sqlite").finding == .intact)
        let survey = try await stores.survey(DatabaseName("vault.sqlite"))
        #expect(try #require(survey.tables).contains { $0.name == "page" && $0.rows == 200 })
    }

    @Test func `the entries of a partial index whose condition needs one are not counted`() async throws {
        try await make("CREATE INDEX page_part ON page (price) WHERE slug(title) <> 'x'")
        try await without.using { store in
            let report = try await store.verify()
            #expect(report.isIntact, "\(report)")
            #expect(report.unchecked.contains { $0.contains("page_part") && $0.contains("slug") }, "\(report)")
        }
        try await expectComplete()
    }

    @Test func `a name in a message is not taken for its words`() async throws {
        try await make()
        try await without.using { store in
            try await expectFailure(.sql) {
                try await store.read { db in try db.values("SELECT [non-deterministic] FROM note", as: String.self) }
            }
        }
    }

    @Test(.enabled { try EngineFeatures.current().hasGeneratedColumns })
    func `salvage names generated columns whose function is missing`() async throws {
        try await make(
            "CREATE TABLE named (title TEXT, slug TEXT AS (slug(title)) STORED)",
            "CREATE TABLE strict (title TEXT, slug TEXT NOT NULL AS (slug(title)) VIRTUAL)",
            "CREATE TABLE free (title TEXT, slug TEXT AS (slug(title)) VIRTUAL)",
            "INSERT INTO named (title) VALUES ('A B')", "INSERT INTO strict (title) VALUES ('A B')",
            "INSERT INTO free (title) VALUES ('A B')")
        let copy = directory.path("vault_salvaged.sqlite")
        let report = try await Stores(without).salvage("vault.sqlite", to: copy)
        let notes = report.missingObjects.filter { $0.reason.contains("generated columns") }
        #expect(notes.map(\.name) == ["named", "strict"], "\(report.missingObjects)")
        #expect(notes.allSatisfy { $0.reason.contains("\"slug\"") })
        #expect(report.tables.first { $0.name == "free" }?.rowsCopied == 1)
    }
}
