import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Query", .ending)
struct QueryRunTests {
    private func run(
        _ sql: String, on shop: Shop, isTerminal: Bool = false, _ change: (inout QueryRun) -> Void = { _ in }
    ) async throws -> (lines: [String], outcome: QueryRun.Outcome) {
        let capture = TextCapture()
        let stream = ConsoleStream(
            capture: capture, isTerminal: isTerminal, environment: ["NO_COLOR": "1", "COLUMNS": "40"])
        var query = QueryRun(sql)
        change(&query)
        let outcome = try await query.run(on: shop.store, to: Console(output: stream, errors: stream))
        return (capture.lines, outcome)
    }

    @Test func rowsThatTriggersChangeAreNotCounted() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in
            try db.execute("CREATE TABLE log (text TEXT)")
            try db.execute(
                """
                CREATE TRIGGER item_logged AFTER INSERT ON item
                BEGIN INSERT INTO log VALUES (new.name), (new.name); UPDATE log SET text = 'x'; END
                """)
        }
        for (sql, count) in [
            ("INSERT INTO item (name) VALUES ('a')", 1), ("INSERT INTO item (name) VALUES ('b'), ('c')", 2),
            ("UPDATE item SET name = 'd' WHERE name = 'none'", 0), ("CREATE TABLE other (x)", 0),
            ("DELETE FROM log", 6), ("PRAGMA user_version = 3", 0),
        ] {
            #expect(try await run(sql, on: shop) { $0.mayWrite = true }.outcome.changed == count, "\(sql)")
        }
    }

    @Test func rowsStandInAlignedColumns() async throws {
        let shop = try await Shop()
        let sql =
            """
            SELECT 1 AS number, 'text' AS text, NULL AS `nothing`, x'00FF' AS bytes UNION ALL SELECT 1000, '漢字\n', \
            2.5, zeroblob(2000)
            """
        let (lines, outcome) = try await run(sql, on: shop)
        #expect(
            lines == [
                "number  text    nothing  bytes",
                "──────  ──────  ───────  ───────────────────────────────────────────",
                "     1  text       NULL  x'00FF'",
                "  1000  漢字\\n      2.5  x'00000000000000000000000000000000… 2.0 KiB",
            ])
        #expect(outcome == QueryRun.Outcome(rows: 2))
        #expect(try await run("SELECT * FROM item", on: shop).lines.count == 2)
        #expect(try await run(sql, on: shop, isTerminal: true).lines.allSatisfy { TerminalText.width(of: $0) <= 40 })
    }

    /// No digit of a number is missing, also where the first rows have none.
    @Test func numbersAfterTheMeasuredRowsAreWhole() async throws {
        let shop = try await Shop()
        let sql = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1010) \
            SELECT CASE WHEN i > 1000 THEN 1234567890123456789 END AS a, \
            CASE WHEN i > 1000 THEN 1234567890123456788 END AS b, \
            CASE WHEN i > 1005 THEN 'a text that is too long' ELSE i END AS c FROM n
            """
        let (lines, _) = try await run(sql, on: shop, isTerminal: true) { $0.limit = 10_000 }
        let numbers = lines.dropFirst(1_002)
        #expect(numbers.count == 10)
        #expect(numbers.allSatisfy { $0.contains("1234567890123456789") && $0.contains("1234567890123456788") })
        #expect(numbers.suffix(5).allSatisfy { $0.hasSuffix("a text…") || $0.hasSuffix("a text …") })
    }

    @Test func whatIsTooWideForATableStandsOneBelowTheOther() async throws {
        let shop = try await Shop()
        let number = "1234567890123456"
        let sql = "SELECT \(number) AS a, \(number) AS b, \(number) AS `c d`, 'a text' AS t, NULL AS n"
        let (lines, outcome) = try await run(sql, on: shop, isTerminal: true)
        #expect(
            lines == ["row 1", "a    \(number)", "b    \(number)", "c d  \(number)", "t    a text", "n    NULL"])
        #expect(outcome.rows == 1)
        #expect(try await run(sql, on: shop).lines.count == 3)
        let long = try await run(
            "SELECT \(number) AS a, \(number) AS b, hex(zeroblob(50)) AS `\(number)`", on: shop, isTerminal: true)
        #expect(long.lines.count == 4 && long.lines.allSatisfy { TerminalText.width(of: $0) <= 40 })
    }

    static let writes = [
        "DELETE FROM item", "INSERT INTO item (name) VALUES ('x')", "DROP TABLE item", "CREATE TABLE t (a)",
        "WITH x AS (SELECT 1) DELETE FROM item", "REPLACE INTO item (name) SELECT 'x'", "PRAGMA user_version = 5",
        "VACUUM",
        "  /* SELECT */ DELETE FROM item", "ATTACH 'x' AS y", "BEGIN", "COMMIT", "PRAGMA query_only = OFF",
        "SELECT 1; DELETE FROM item",
    ]

    @Test(arguments: writes)
    func withoutLeaveNothingIsWritten(sql: String) async throws {
        let shop = try await Shop()
        _ = try await shop.bring("name\nkept\n")
        await #expect(throws: (any Error).self) { try await run(sql, on: shop) }
        #expect(try await shop.rows("SELECT name FROM item") == [[.text("kept")]])
        #expect(try await shop.rows("PRAGMA user_version") == [[0]])
    }

    @Test func withLeaveRowsAreChangedAndCounted() async throws {
        let shop = try await Shop()
        let (lines, outcome) = try await run("INSERT INTO item (name) VALUES ('a'), ('b')", on: shop) {
            $0.mayWrite = true
        }
        #expect(lines.isEmpty && outcome.changed == 2)
        let two = try await #require(throws: StrongroomError.self) {
            try await run("DELETE FROM item; SELECT 1", on: shop) { $0.mayWrite = true }
        }
        #expect(two.message.contains("more than one statement"))
        #expect(try await shop.rows("SELECT count(*) FROM item") == [[2]])
    }

    @Test(arguments: [QueryRun.Form.table, .rows(.csv), .rows(.jsonLines)])
    func whoeverReadsNoMoreUndoesNoWrite(form: QueryRun.Form) async throws {
        let shop = try await Shop()
        let pipe = try DescriptorPair.pipe()
        pipe.closeReading()
        let stream = ConsoleStream(descriptor: pipe.writing, environment: [:])
        let console = Console(output: stream, errors: stream)
        console.write("nobody reads this")
        // `PRAGMA` gives rows with every engine; RETURNING does not.
        var query = QueryRun("PRAGMA user_version")
        query.form = form
        query.mayWrite = true
        #expect(try await query.run(on: shop.store, to: console).changed == 0)
        query.sql = "INSERT INTO item (name) VALUES ('kept')"
        #expect(try await query.run(on: shop.store, to: console).changed == 1)
        #expect(try await shop.rows("SELECT name FROM item") == [[.text("kept")]])
        query.sql = "SELECT name FROM item"
        query.mayWrite = false
        let reading = query
        await #expect(throws: OutputClosed.self) { _ = try await reading.run(on: shop.store, to: console) }
    }

    @Test func rowsAsJSONAreDecodedExactly() async throws {
        let shop = try await Shop()
        let sql = "SELECT 9007199254740993 AS i, 0.1 AS r, NULL AS n, 'a\"\u{1B}\n' AS t, x'FF' AS b"
        let (lines, _) = try await run(sql, on: shop) { $0.form = .rows(.jsonLines) }
        let line = try #require(lines.first)
        #expect(lines.count == 1 && !line.contains("\u{1B}"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["i"] as? Int64 == 9_007_199_254_740_993)
        #expect(object["r"] as? Double == 0.1)
        #expect(object["n"] is NSNull)
        #expect(object["t"] as? String == "a\"\u{1B}\n")
        #expect(object["b"] as? [String: String] == ["base64": "/w=="])
    }

    @Test func onATerminalWhatItWouldActOnIsSpelledOut() async throws {
        let shop = try await Shop()
        let sql = "SELECT char(27) || '[2J' || char(7) AS t, x'001B' AS b"
        for form in [QueryRun.Form.table, .rows(.csv), .rows(.jsonLines)] {
            let (lines, _) = try await run(sql, on: shop, isTerminal: true) { $0.form = form }
            #expect(lines.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
            #expect(lines.count == (form == .table ? 3 : form == .rows(.csv) ? 2 : 1))
        }
        let (raw, _) = try await run(sql, on: shop) { $0.form = .rows(.csv) }
        #expect(raw.joined().contains("\u{1B}[2J\u{7}"))
    }
}

@Suite("Schema", .ending)
struct SchemaTests {
    private static let statements = [
        "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE)",
        """
        CREATE TABLE book (isbn TEXT PRIMARY KEY, author INTEGER NOT NULL REFERENCES author(id), editor INTEGER \
        REFERENCES author)
        """,
        "CREATE TABLE cover (book TEXT PRIMARY KEY NOT NULL REFERENCES book(isbn), picture BLOB)",
        "CREATE TABLE node (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES node(id))",
        "CREATE TABLE `we\"ird & <b>` (`a b` TEXT, `x\u{1B}` INTEGER, c)",
        "CREATE INDEX book_author ON book (author)", "CREATE VIEW titles AS SELECT isbn FROM book",
        "CREATE TRIGGER no_delete BEFORE DELETE ON author BEGIN SELECT raise(ABORT, 'no; never'); END",
        "CREATE TRIGGER a_title INSTEAD OF INSERT ON titles BEGIN SELECT 1; END",
    ]

    private func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore()
        try await temporary.store.write { db in
            for statement in Self.statements { try db.execute(SQL(stringLiteral: statement)) }
        }
        return temporary
    }

    @Test func theStatementsMakeTheSameSchemaAgain() async throws {
        let entries = try await store().store.read { db in try SchemaText.entries(in: db) }
        #expect(entries.map(\.name).prefix(3) == ["author", "book", "book_author"])
        #expect(entries.map(\.name).suffix(3) == ["titles", "no_delete", "a_title"] && entries.count == 9)
        let other = try await TemporaryStore()
        try await other.store.write { db in
            for entry in entries { try db.execute(SQL(stringLiteral: entry.sql)) }
        }
        #expect(try await other.store.read { db in try SchemaText.entries(in: db) } == entries)
        #expect(SchemaText.sql(entries).contains("no; never'); END;\n"))
    }

    @Test func oneTableIsShownWithWhatBelongsToIt() async throws {
        let temporary = try await store()
        #expect(
            try await temporary.store.read { db in try SchemaText.entries(of: "BOOK", in: db).map(\.name) } == [
                "book", "book_author",
            ])
        await #expect(throws: CommandFailure.self) {
            try await temporary.store.read { db in try SchemaText.entries(of: "'; --", in: db) }
        }
    }

    @Test func mermaidHasEachTableAndEachForeignKey() async throws {
        let model = try await store().store.read { db in try SchemaModel(in: db) }
        #expect(
            SchemaMermaid.text(model) == """
                erDiagram
                    author {
                        INTEGER id PK
                        TEXT name "not null"
                        TEXT email UK
                    }
                    book {
                        TEXT isbn PK
                        INTEGER author FK "not null"
                        INTEGER editor FK
                    }
                    cover {
                        TEXT book PK, FK
                        BLOB picture
                    }
                    node {
                        INTEGER id PK
                        INTEGER parent FK
                    }
                    "we'ird & <b>" {
                        TEXT a_b "a b"
                        INTEGER x_ "x_u{1B}"
                        any c
                    }
                    author ||--o{ book : "author"
                    author |o--o{ book : "editor"
                    book ||--o| cover : "book"
                    node |o--o{ node : "parent"

                """)
    }

    @Test func thePictureIsXMLAndTheSameEachTime() async throws {
        let model = try await store().store.read { db in try SchemaModel(in: db) }
        let picture = SchemaSVG.text(model)
        #expect(picture == SchemaSVG.text(model))
        #expect(picture.contains("prefers-color-scheme: dark"))
        #expect(picture.contains(">we&quot;ird &amp; &lt;b&gt;</text>"))
        #expect(picture.components(separatedBy: "<path class=\"link\"").count == 5)
        #expect(picture.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
        #expect(XML.isWhole(picture))
    }

    @Test func tablesOfAPictureLieApart() {
        var generator = SeededGenerator(3)
        for count in [0, 1, 2, 7, 40] {
            let tables = (0..<count).map { number in
                SchemaModel.Table(
                    name: "table\(number)",
                    columns: (0..<Int.random(in: 1...12, using: &generator)).map { .init(name: "c\($0)", type: "TEXT") }
                )
            }
            let references = (0..<count).map { number in
                SchemaModel.Reference(
                    table: "table\(number)", columns: ["c0"],
                    parent: "table\(Int.random(in: 0..<count, using: &generator))",
                    parentColumns: ["c0"])
            }
            let picture = SchemaSVG.text(SchemaModel(tables: tables, references: references))
            let boxes = XML.boxes(picture)
            #expect(boxes.count == count)
            for (index, box) in boxes.enumerated() {
                #expect(boxes[(index + 1)...].allSatisfy { !$0.intersects(box) })
            }
        }
    }

    @Test func theListOfTablesCountsRows() async throws {
        let temporary = try await store()
        try await temporary.store.write { db in _ = try db.execute("INSERT INTO author (name) VALUES ('a'), ('b')") }
        let list = try await temporary.store.read { db in try TableList(in: db) }
        #expect(list.tables.map(\.name) == ["author", "book", "cover", "node", "we\"ird & <b>", "titles"])
        #expect(list.tables.first == .init(name: "author", kind: "table", columns: 3, rows: 2))
        #expect(list.tables.last == .init(name: "titles", kind: "view", columns: 1))
    }

    @Test func aViewThatCannotBeReadDoesNotHideTheOthers() async throws {
        let temporary = try await store()
        try await temporary.store.write { db in try db.execute("CREATE VIEW broken AS SELECT a FROM nowhere") }
        let list = try await temporary.store.read { db in try TableList(in: db) }
        let broken = list.tables.first { $0.name == "broken" }
        #expect(broken == .init(name: "broken", kind: "view", columns: nil, error: "sql"))
        #expect(list.tables.contains { $0.name == "titles" && $0.columns == 1 })
        let lines = list.table.lines(fitting: nil).map(\.plain)
        #expect(lines.contains { $0.contains("broken") && $0.contains("unreadable") })
    }
}

/// What the tests need to know of a picture.
private enum XML {
    struct Box {
        let x: Int, y: Int, width: Int, height: Int

        func intersects(_ other: Box) -> Bool {
            x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
        }
    }

    static func boxes(_ text: String) -> [Box] {
        text.matches(of: /<rect class="box" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/).compactMap { match in
            guard let x = Int(match.1), let y = Int(match.2), let width = Int(match.3), let height = Int(match.4) else {
                return nil
            }
            return Box(x: x, y: y, width: width, height: height)
        }
    }

    /// Whether each tag is closed in its order.
    static func isWhole(_ text: String) -> Bool {
        var open: [Substring] = []
        for match in text.matches(of: /<(\/?)([a-z]+)[^<>]*?(\/?)>/) {
            if match.1 == "/" {
                guard open.popLast() == match.2 else { return false }
            } else if match.3 != "/" {
                open.append(match.2)
            }
        }
        return open.isEmpty
    }
}
