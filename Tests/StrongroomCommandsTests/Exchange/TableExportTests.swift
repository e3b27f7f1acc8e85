import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Export", .ending)
struct TableExportTests {
    @Test func aTableIsWrittenWithItsHeader() async throws {
        let shop = try await Shop()
        #expect(try await shop.exported(.query("SELECT id, name FROM item"), .csv) == "id,name\r\n")
        #expect(try await shop.exported(.table("item"), .jsonLines) == "")
        _ = try await shop.bring("id,name,price,photo\n1,\"a,\"\"b\"\"\nc\",1,AQID\n2,\"\",,\n")
        #expect(
            try await shop.exported(.query("SELECT id, name, price, photo, code FROM item"), .csv)
                == "id,name,price,photo,code\r\n1,\"a,\"\"b\"\"\nc\",1.0,AQID,\r\n2,\"\",,,\r\n")
        #expect(
            try await shop.exported(.query("SELECT id, name, price, photo, code FROM item"), .jsonLines) == """
                {"id":1,"name":"a,\\"b\\"\\nc","price":1.0,"photo":{"base64":"AQID"},"code":null}
                {"id":2,"name":"","price":null,"photo":null,"code":null}

                """)
    }

    /// JSON Lines keep each value with its type, whatever the column's; CSV keeps what the declared type tells.
    @Test(arguments: [RowFormat.csv, .jsonLines], 0..<6)
    func whatIsExportedCanBeImportedAgain(format: RowFormat, seed: UInt64) async throws {
        var generator = SeededGenerator(seed)
        let shop = try await Shop()
        let texts = ["", "a,b", "\"", "\r\n", "\0", "é漢", "\u{202E}x", "NULL", " x "]
        var rows: [[SQLValue]] = []
        for id in 0..<50 {
            func maybe(_ value: SQLValue) -> SQLValue { Bool.random(using: &generator) ? value : .null }
            rows.append([
                .integer(id == 0 ? .max : Int64(id)), .text(texts.randomElement(using: &generator) ?? ""),
                maybe(.real(Double.random(in: 0...1e18, using: &generator))), maybe(.blob([0, 255, UInt8(id)])),
                maybe(.text("c\(id)")), maybe(.integer(Int64(id % 2))),
                format == .csv
                    ? maybe(.text("t\(id)"))
                    : maybe([.integer(9_007_199_254_740_993), .real(0.1), .blob([7])][id % 3]),
                maybe(.real(0.25)),
            ])
        }
        try await shop.store.write { [rows] db in
            for row in rows {
                try db.execute(
                    """
                    INSERT INTO item VALUES (\(row[0]), \(row[1]), \(row[2]), \(row[3]), \(row[4]), \(row[5]), \
                    \(row[6]), \(row[7]))
                    """)
            }
        }
        let before = try await shop.rows("SELECT * FROM item ORDER BY id")
        let text = try await shop.exported(.table("item"), format)
        let other = try await Shop()
        #expect(try await other.bring(text, format).inserted == 50)
        #expect(try await other.rows("SELECT * FROM item ORDER BY id") == before)
        // A second time over it changes nothing.
        #expect(try await other.bring(text, format) { $0.upsertBy = "id" }.updated == 50)
        #expect(try await other.exported(.table("item"), format) == text)
    }

    private static let kinds: [SQLValue] = [
        1, 0, .integer(.max), 1.5, 1.0, 1e300, 0.1, .real(-0.0), .text(""), .text("n/a"), .text("true"), .text("FALSE"),
        .text("AQID"), .text("1x"), .text("inf"), .text("12"), .text("1.0"), .text("007"), .text("\u{E9}"),
        .text("e\u{301}"), .blob([]), .blob([49]), .blob([0xD7, 0x6D, 0xF8]), .null,
    ]

    /// The engine keeps a value against its column's declared type. It comes back as it was, or is refused, by the
    /// export or by the import.
    @Test(
        arguments: ["id", "name", "price", "photo", "code", "isOld", "anything", "size", "day"],
        [RowFormat.csv, .jsonLines])
    func everyKindOfValueInEveryColumnComesBackOrIsRefused(column: String, format: RowFormat) async throws {
        let (shop, other) = (try await Shop(), try await Shop())
        for shop in [shop, other] {
            try await shop.store.write { db in _ = try db.execute("ALTER TABLE item ADD COLUMN day DATE") }
        }
        var kept = 0
        for value in Self.kinds {
            for shop in [shop, other] {
                try await shop.store.write { db in _ = try db.execute("DELETE FROM item") }
            }
            do {
                try await shop.store.write { db in
                    _ = try db.execute("INSERT INTO item (name) VALUES ('x')")
                    _ = try db.execute("UPDATE item SET \(name: column) = \(value)")
                }
            } catch is StrongroomError {
                continue
            }
            let before = try await shop.rows("SELECT * FROM item").map { $0.map(Exact.init) }
            do {
                let text = try await shop.exported(.table("item"), format)
                _ = try await other.bring(text, format)
                let after = try await other.rows("SELECT * FROM item").map { $0.map(Exact.init) }
                #expect(after == before, "\(text)")
                kept += 1
            } catch let failure as BadLines {
                #expect(failure.report.badLines.first?.reason.contains("\"\(column)\"") == true, "\(failure.report)")
            } catch let failure as CommandFailure {
                #expect(failure.code == "notExact" && format == .csv, "\(failure)")
                #expect(failure.message.contains("Row 1") && failure.message.contains("\"\(column)\""))
            }
        }
        #expect(kept > 2)
    }

    /// A value whose texts are compared byte by byte.
    private struct Exact: Equatable {
        let value: SQLValue
        let bytes: [UInt8]

        init(_ value: SQLValue) {
            self.value = value
            bytes = if case .text(let text) = value { Array(text.utf8) } else { [] }
        }
    }

    @Test func whatCSVCannotBringBackIsExportedByAQuery() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in
            _ = try db.execute("INSERT INTO item (name, photo) VALUES ('a', x'01'), ('b', 'AQID')")
        }
        let failure = try await #require(throws: CommandFailure.self) { try await shop.exported(.table("item"), .csv) }
        #expect(failure.message.contains("Row 2 has a text in the column \"photo\"") && failure.status == .dataError)
        #expect(failure.message.contains("--format jsonl"))
        let query = "SELECT name, photo FROM item"
        #expect(try await shop.exported(.query(query), .csv) == "name,photo\r\na,AQ==\r\nb,AQID\r\n")
    }

    @Test func aViewAndAHardNameCanBeExported() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in _ = try db.execute("CREATE VIEW `v'iew` AS SELECT 1 AS `a b`") }
        #expect(try await shop.exported(.table("v'iew"), .csv) == "a b\r\n1\r\n")
        #expect(try await shop.exported(.table("we\"ird`name; DROP TABLE item"), .csv) == "a`b,\"c\"\"d\",select\r\n")
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.exported(.table("item; DROP TABLE item"), .csv)
        }
        #expect(failure.code == "noSuchTable" && failure.status == .usage)
    }

    @Test func whatCannotBeWrittenIsNamed() async throws {
        let shop = try await Shop()
        for format in RowFormat.allCases {
            let failure = try await #require(throws: CommandFailure.self) {
                try await shop.exported(.query("SELECT 9e999 AS big"), format)
            }
            #expect(failure.code == "notFinite" && failure.message.contains("\"big\""))
        }
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.exported(.query("SELECT 1 AS a, 2 AS a"), .jsonLines)
        }
        #expect(failure.code == "twoColumnsOfOneName")
        #expect(try await shop.exported(.query("SELECT 1 AS a, 2 AS a"), .csv) == "a,a\r\n1,2\r\n")
    }

    @Test(
        arguments: [
            (
                "DECIMAL_TEXT", [.text("p002:12.5"), .text("-n998:6~-3"), .text("0"), .null, .text("p001:7")],
                ["1e3", "1,5", "x"]
            ),
            ("DECIMAL_INTEGER(2)", [1250, -300, 0, .null, 700], ["1.005", "x", "92233720368547758.08"]),
        ] as [(String, [SQLValue], [String])])
    func decimalsAreDigitsOutsideAndComeBack(type: String, stored: [SQLValue], refused: [String]) async throws {
        let shop = try await Shop()
        try await shop.store.write { db in
            try db.execute(SQL(stringLiteral: "CREATE TABLE bill (id INTEGER PRIMARY KEY, total \(type))"))
        }
        let text = "id,total\r\n1,12.50\r\n2,-3\r\n3,0\r\n4,\r\n"
        _ = try await shop.bring(text, into: "bill")
        #expect(try await shop.rows("SELECT total FROM bill ORDER BY id") == stored.prefix(4).map { [$0] })
        let written = try await shop.exported(.table("bill"), .csv)
        #expect(written == "id,total\r\n1,12.5\r\n2,-3\r\n3,0\r\n4,\r\n")
        for total in refused {
            await #expect(throws: (any Error).self) { try await shop.bring("id,total\r\n5,\(total)\r\n", into: "bill") }
        }
        let lines = try await shop.exported(.table("bill"), .jsonLines)
        #expect(lines.contains(#"{"id":1,"total":"12.5"}"#), "\(lines)")
        _ = try await shop.bring(#"{"id":7,"total":7}"#, into: "bill", .jsonLines)
        #expect(try await shop.rows("SELECT total FROM bill WHERE id > 4") == stored.suffix(1).map { [$0] })
        guard type == "DECIMAL_TEXT" else {
            let queried = try await shop.exported(.query("SELECT total, total + 1 FROM bill WHERE id = 1"), .csv)
            #expect(queried == "total,total + 1\r\n12.5,1251\r\n")
            return
        }
        await #expect(throws: (any Error).self) {
            try await shop.bring(#"{"id":8,"total":7.5}"#, into: "bill", .jsonLines)
        }
    }
}

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

extension SQLValue {
    /// The number as SQL has it.
    var literal: String {
        switch self {
        case .integer(let number): String(number)
        case .real(let number): String(number)
        default: "NULL"
        }
    }
}

/// A store with a table of each kind of column, and names that are hard to quote.
struct Shop {
    let temporary: TemporaryStore
    var store: Store { temporary.store }

    init() async throws {
        temporary = try await TemporaryStore()
        try await store.write { db in
            try db.execute(
                """
                CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, photo BLOB, code TEXT UNIQUE,
                    isOld BOOLEAN, anything, size DECIMAL(9,2), CHECK (price IS NULL OR price >= 0))
                """)
            try db.execute("CREATE TABLE `we\"ird``name; DROP TABLE item` (`a``b` TEXT, `c\"d` INTEGER, `select` TEXT)")
        }
    }

    /// Runs an import.
    func bring(
        _ text: String, into table: String = "item", _ format: RowFormat = .csv,
        _ change: (inout TableImport) -> Void = { _ in }
    ) async throws -> TableImport.Report {
        try await bring(Array(text.utf8), into: table, format, change)
    }

    /// Runs an import.
    func bring(
        _ bytes: [UInt8], into table: String = "item", _ format: RowFormat = .csv,
        _ change: (inout TableImport) -> Void = { _ in }
    ) async throws -> TableImport.Report {
        var run = TableImport(table, format)
        change(&run)
        return try await run.run(into: store, from: { ByteSource(bytes, portion: 7) })
    }

    /// What an export writes.
    func exported(_ source: TableExport.Source, _ format: RowFormat) async throws -> String {
        let text = Locked("")
        _ = try await TableExport(source, format).run(from: store, write: { part in text.withLock { $0 += part } })
        return text.withLock { $0 }
    }

    /// The rows of a query.
    func rows(_ sql: String) async throws -> [[SQLValue]] {
        try await store.read { db in
            var rows: [[SQLValue]] = []
            try db.forEachRow(SQL(stringLiteral: sql)) { row in
                var values: [SQLValue] = []
                for index in 0..<row.count { values.append(try row.value(at: index)) }
                rows.append(values)
            }
            return rows
        }
    }
}
