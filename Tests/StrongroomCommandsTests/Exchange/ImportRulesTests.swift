import Strongroom
import StrongroomCommands
import Testing

/// What a table's own rules make of lines.
@Suite("Import into a table with rules of its own", .ending)
struct ImportRulesTests {
    private func shop(_ statements: SQL...) async throws -> Shop {
        let shop = try await Shop()
        try await shop.store.write { db in
            for statement in statements { try db.execute(statement) }
        }
        return shop
    }

    @Test(arguments: [false, true])
    func aRuleThatIsLookedAtAtTheEndIsNamed(isSkipping: Bool) async throws {
        let shop = try await shop(
            """
            CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)
            """
        )
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.bring("id,item\n1,7\n", into: "part") { $0.skipsBadLines = isSkipping }
        }
        #expect(failure.code == "constraint" && failure.status == .dataError)
        #expect(failure.message.contains("\"part\"") && failure.message.contains("\"item\""), "\(failure.message)")
        #expect(failure.message.contains("Nothing was imported"))
        #expect(try await shop.rows("SELECT * FROM part").isEmpty)
    }

    @Test(arguments: [false, true], ["1,a\n2,a\n3,c\n", "1,a\n2,b\n3,a\n"])
    func aRuleThatUndoesEverythingIsNamed(isSkipping: Bool, lines: String) async throws {
        let shop = try await shop("CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT ROLLBACK)")
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.bring("id,name\n\(lines)", into: "tag") { $0.skipsBadLines = isSkipping }
        }
        #expect(failure.code == "rolledBack" && failure.status == .dataError)
        #expect(failure.message.contains("line \(lines.contains("2,a") ? 3 : 4)"), "\(failure.message)")
        #expect(failure.message.contains("UNIQUE"))
        #expect(try await shop.rows("SELECT * FROM tag").isEmpty)
        // The connection goes on.
        #expect(try await shop.bring("id,name\n1,a\n", into: "tag").inserted == 1)
    }

    @Test func aLineThatTheTablePassesOverIsNotCountedAsAdded() async throws {
        let shop = try await shop("CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT IGNORE)")
        let report = try await shop.bring("name\na\nb\na\nb\nc\n", into: "tag")
        #expect(report.inserted == 3 && report.unchanged == 2 && report.updated == 0 && report.bad == 0)
        #expect(try await shop.rows("SELECT name FROM tag ORDER BY id") == [[.text("a")], [.text("b")], [.text("c")]])
    }

    @Test func anUpdateThatTheTablePassesOverIsNotABadLine() async throws {
        let shop = try await shop("CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT IGNORE)")
        try await shop.store.write { db in _ = try db.execute("INSERT INTO tag VALUES (1, 'a'), (2, 'b')") }
        let report = try await shop.bring("id,name\n2,a\n3,c\n1,d\n", into: "tag") { $0.upsertBy = "id" }
        #expect(report.unchanged == 1 && report.inserted == 1 && report.updated == 1 && report.bad == 0)
        #expect(try await shop.rows("SELECT name FROM tag ORDER BY id") == [[.text("d")], [.text("b")], [.text("c")]])
    }

    @Test func aRowThatATriggerFollowsIsOneRow() async throws {
        let shop = try await shop(
            "CREATE TABLE tag (name TEXT)", "CREATE TABLE log (name TEXT)",
            """
            CREATE TRIGGER tag_log AFTER INSERT ON tag BEGIN INSERT INTO log VALUES (new.name), (new.name); END
            """)
        let report = try await shop.bring("name\na\nb\n", into: "tag")
        #expect(report.inserted == 2 && report.unchanged == 0)
        #expect(try await shop.rows("SELECT count(*) FROM log") == [[4]])
    }

    @Test(.enabled(if: try EngineFeatures.current().hasGeneratedColumns), arguments: [RowFormat.csv, .jsonLines])
    func aGeneratedColumnIsPassedOverAndComputedAnew(format: RowFormat) async throws {
        let table: SQL = """
            CREATE TABLE box (width INTEGER UNIQUE, area INTEGER GENERATED ALWAYS AS (width * height) STORED, height \
            INTEGER,
                twice INTEGER AS (width * 2))
            """
        let (one, other) = (try await shop(table), try await shop(table))
        try await one.store.write { db in
            _ = try db.execute("INSERT INTO box (width, height) VALUES (2, 3), (4, 5)")
        }
        let text = try await one.exported(.table("box"), format)
        #expect(text.contains("area") && text.contains("20"))
        #expect(try await other.bring(text, into: "box", format).inserted == 2)
        #expect(try await other.rows("SELECT * FROM box ORDER BY width") == [[2, 6, 3, 4], [4, 20, 5, 8]])
        // What a file says of it does not count.
        let changed = text.replacing("20", with: "999")
        #expect(try await other.bring(changed, into: "box", format) { $0.upsertBy = "width" }.updated == 2)
        #expect(try await other.exported(.table("box"), format) == text)
    }

    @Test(.enabled(if: try EngineFeatures.current().hasGeneratedColumns))
    func generatedColumnsAloneAreNothingToImport() async throws {
        let shop = try await shop("CREATE TABLE box (width INTEGER, twice INTEGER AS (width * 2))")
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.bring("twice\n8\n", into: "box")
        }
        #expect(failure.code == "noSuchColumn")
        let lines = try await #require(throws: BadLines.self) {
            try await shop.bring("{\"twice\":8}\n", into: "box", .jsonLines)
        }
        #expect(lines.report.badLines.map(\.line) == [1])
    }
}
