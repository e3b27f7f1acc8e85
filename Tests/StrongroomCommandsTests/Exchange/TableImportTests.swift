import Strongroom
import StrongroomCommands
import Testing

@Suite("Import", .ending)
struct TableImportTests {
    /// Swift treats the two names as equal, the engine does not.
    @Test func columnsThatDifferInCompositionOnlyAreTold() async throws {
        let shop = try await Shop()
        let (one, two) = ("\u{E9}", "e\u{301}")
        try await shop.store.write { db in
            _ = try db.execute("CREATE TABLE t (\(name: one) TEXT, \(name: two) TEXT)")
        }
        let lines = [(one, "a"), (two, "b"), (one, "c")].map { "{\"\($0)\":\"\($1)\"}\n" }.joined()
        _ = try await shop.bring(lines, into: "t", .jsonLines)
        #expect(
            try await shop.rows("SELECT * FROM t") == [
                [.text("a"), .null], [.null, .text("b")], [.text("c"), .null],
            ])
    }

    @Test func fieldsAreStoredByTheDeclaredType() async throws {
        let shop = try await Shop()
        let report = try await shop.bring(
            """
            id,NAME,price,photo,code,isOld,anything,size
            9007199254740993,007,1e3,AQID,,true,12,12.50
            2,"",.5,"",x,0,,
            """)
        #expect(report.inserted == 2 && report.updated == 0 && report.bad == 0)
        #expect(
            try await shop.rows("SELECT * FROM item ORDER BY id DESC") == [
                [
                    9_007_199_254_740_993, .text("007"), 1000.0, .blob([1, 2, 3]), .null, 1, .text("12"),
                    12.5,
                ],
                [2, .text(""), 0.5, .blob([]), .text("x"), 0, .null, .null],
            ])
    }

    @Test func membersAreStoredByTheDeclaredType() async throws {
        let shop = try await Shop()
        _ = try await shop.bring(
            """
            {"id":1,"name":"a\\u0000b","price":2,"photo":{"base64":"/w=="},"isOld":false,"anything":{"base64":""}}

            {"name":"b","anything":1.5}
            """, .jsonLines)
        #expect(
            try await shop.rows("SELECT id, name, price, photo, isOld, anything FROM item ORDER BY id") == [
                [1, .text("a\0b"), 2.0, .blob([255]), 0, .blob([])],
                [2, .text("b"), .null, .null, .null, 1.5],
            ])
    }

    @Test(
        arguments: [
            (#"{"id":true,"isOld":true,"size":1,"price":2}"#, nil), (#"{"isOld":1.0,"size":0.5,"anything":1.0}"#, nil),
            (#"{"name":true}"#, "\"name\" takes a text; write it in quotation marks"),
            (#"{"name":7}"#, "\"name\" takes a text"),
            (#"{"name":1.0}"#, "\"name\" takes a text"), (#"{"id":1.0}"#, "\"id\" takes an integer"),
            (#"{"id":1e3}"#, "without a point or an exponent"),
            (#"{"price":true}"#, "\"price\" does not take true and false"),
            (#"{"anything":false}"#, "\"anything\" does not take true and false; write 1 or 0"),
            (#"{"size":true}"#, "\"size\" does not take true"), (#"{"photo":true}"#, "\"photo\" takes bytes"),
            (#"{"price":9007199254740993}"#, "\"price\" does not take a number with so many digits"),
            (#"{"price":"9007199254740993"}"#, "\"price\" does not take a number with so many digits"),
            (#"{"size":0.12345678901234567891}"#, "\"size\" does not take a number with so many digits"),
        ] as [(String, String?)])
    func noTypeOfJSONIsTakenForAnother(members: String, words: String?) async throws {
        let shop = try await Shop()
        let line = members.contains("\"name\"") ? members : members.dropLast() + ",\"name\":\"x\"}"
        guard let words else {
            #expect(try await shop.bring(line, .jsonLines).inserted == 1)
            return
        }
        let failure = try await #require(throws: BadLines.self) {
            try await shop.bring("{\"name\":\"good\"}\n" + line, .jsonLines)
        }
        #expect(failure.report.badLines.map(\.line) == [2])
        #expect(failure.report.badLines.first?.reason.contains(words) == true, "\(failure.report.badLines)")
        #expect(try await shop.rows("SELECT * FROM item").isEmpty)
    }

    static let bad: [(line: String, words: String)] = [
        ("x,a,,,", "\"id\" takes an integer"), ("1.5,a,,,", "\"id\" takes an integer"),
        ("9223372036854775808,a,,,", "\"id\" takes an integer"), ("1,,,,", "NOT NULL"),
        ("1,a,x,,", "\"price\" takes a number"),
        ("1,a,nan,,", "NaN"), ("1,a,-inf,,", "infinity"), ("1,a,0x10,,", "takes a number"), ("1,a,-1,,", "CHECK"),
        ("1,a,,*,", "Base64"), ("1,a", "2 fields instead of 5"), ("1,a,,,,", "6 fields instead of 5"),
        ("1,\"a\"b,,,", "closing quotation mark"), ("7,a,,,", "UNIQUE"),
        ("1x\"y,\"first\n9,injected,,,\nend\",,,", "quotation mark is inside"),
    ]

    @Test(arguments: bad)
    func aBadLineIsNamedAndNothingIsWritten(line: String, words: String) async throws {
        let shop = try await Shop()
        let text = "id,name,price,photo,code\n7,good,,,\n\(line)\n8,good,,,\n"
        let failure = try await #require(throws: BadLines.self) { try await shop.bring(text) }
        #expect(failure.report.bad == 1 && failure.lines == 3)
        #expect(failure.report.badLines.map(\.line) == [3])
        #expect(failure.report.badLines.first?.reason.contains(words) == true, "\(failure.report.badLines)")
        #expect(failure.failure.message.contains("line 3"))
        #expect(try await shop.rows("SELECT * FROM item").isEmpty)
        let report = try await shop.bring(text) { $0.skipsBadLines = true }
        #expect(report.inserted == 2 && report.bad == 1 && report.badLines.map(\.line) == [3])
        #expect(try await shop.rows("SELECT id FROM item ORDER BY id") == [[7], [8]])
    }

    @Test func badLinesAreToldUpToANumberAndThenCounted() async throws {
        let shop = try await Shop()
        let text = "id,name\n" + (0..<100).map { "x\($0),a\n" }.joined()
        let failure = try await #require(throws: BadLines.self) {
            try await shop.bring(text) { $0.maxBadLinesReported = 3 }
        }
        #expect(failure.report.bad == 100 && failure.report.badLines.map(\.line) == [2, 3, 4])
        #expect(failure.failure.message.contains("and 97 more"))
        // Nothing of a value is told.
        #expect(!failure.failure.message.contains("x0"))
    }

    /// Of what the engine would keep as a text, or as another number.
    @Test(arguments: [
        "abc", "9e999", "-9e999", "12345678901234567890", "0.12345678901234567891", "nan", "inf", "1,5", "0x1",
        "1.5e-9223372036854775808", "1e-99999999999999999999",
    ])
    func aColumnOfNumbersTakesNumbersThatComeBack(text: String) async throws {
        let shop = try await Shop()
        for (form, format) in [
            ("name,size\na,\"\(text)\"\n", RowFormat.csv), ("{\"name\":\"a\",\"size\":\"\(text)\"}", .jsonLines),
        ] {
            let failure = try await #require(throws: BadLines.self) { try await shop.bring(form, format) }
            let reason = failure.report.badLines.first?.reason ?? ""
            #expect(reason.contains("\"size\" takes") || reason.contains("\"size\" does not take"), "\(failure.report)")
        }
        let flag = try await #require(throws: BadLines.self) { try await shop.bring("name,isOld\na,perhaps\n") }
        #expect(flag.report.badLines.first?.reason.contains("true, false") == true)
    }

    @Test(
        arguments: [
            ("12.50", 12.5), ("1e3", 1000), ("+5", 5), (" 7 ", 7), ("0.1", 0.1), ("-0.0", 0), ("100e-2", 1),
            (".5", 0.5), ("1e20", 1e20),
            ("1.2345678901234567e+19", 1.2345678901234567e+19), ("0.30000000000000004", 0.30000000000000004),
            ("9007199254740993", 9_007_199_254_740_993), ("0e9223372036854775807", 0), ("0.0e-9223372036854775808", 0),
            ("-0e99999999999999999999", 0),
        ] as [(String, SQLValue)])
    func aNumberIsTakenHoweverItIsWritten(text: String, value: SQLValue) async throws {
        let shop = try await Shop()
        _ = try await shop.bring("name,size\na,\(text)\n")
        #expect(try await shop.rows("SELECT name FROM item WHERE size = \(value.literal)") == [[.text("a")]])
    }

    @Test func aDateGetsTheSpellingOfItsColumn() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in _ = try db.execute("CREATE TABLE due (d ISO8601_TEXT, e DATETIME_TEXT)") }
        _ = try await shop.bring("d,e\n2026-11-22 03:00,2026-11-22T04:00:00+01:00\n", into: "due")
        #expect(
            try await shop.rows("SELECT d, e FROM due") == [
                [.text("2026-11-22T03:00:00.000Z"), .text("2026-11-22 03:00:00.000")]
            ])
        await #expect(throws: BadLines.self) { try await shop.bring("d\n2026-11-22x03:00\n", into: "due") }
    }

    @Test func aDateStaysATextAndNoDigitOfANumberIsLost() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in _ = try db.execute("CREATE TABLE day (d DATETIME, u UUID)") }
        _ = try await shop.bring("d,u\n2026-11-22 03:00:00,6f0e\n20261122,inf\n", into: "day")
        #expect(
            try await shop.rows("SELECT d, u FROM day ORDER BY rowid") == [
                [.text("2026-11-22 03:00:00"), .text("6f0e")], [20_261_122, .text("inf")],
            ])
        for text in ["12345678901234567890", "9e999", "1.5e-9223372036854775808"] {
            await #expect(throws: BadLines.self) { try await shop.bring("u\n\(text)\n", into: "day") }
        }
    }

    @Test(arguments: [("TEXT COLLATE NOCASE", "BINARY", 2), ("TEXT", "NOCASE", 1)])
    func anUpsertChangesTheOneRowThatTheIndexMeans(type: String, collation: String, rows: Int) async throws {
        let shop = try await Shop()
        try await shop.store.write { db in
            try db.execute(SQL(stringLiteral: "CREATE TABLE nc (name \(type), v INTEGER)"))
            try db.execute(SQL(stringLiteral: "CREATE UNIQUE INDEX u ON nc (name COLLATE \(collation))"))
            try db.execute("INSERT INTO nc VALUES ('a', 1)")
            if rows == 2 { try db.execute("INSERT INTO nc VALUES ('A', 2)") }
        }
        let key = rows == 2 ? "a" : "A"
        let report = try await shop.bring("name,v\n\(key),9\n", into: "nc") { $0.upsertBy = "name" }
        #expect(report.updated == 1 && report.inserted == 0)
        #expect(try await shop.rows("SELECT v FROM nc ORDER BY rowid") == (rows == 2 ? [[9], [2]] : [[9]]))
    }

    /// Where there is no header the first line is data, and of a wrong file perhaps a key.
    @Test func aHeaderThatIsNoneStandsInNoMessage() async throws {
        let shop = try await Shop()
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.bring("name,raw:257b257b\na,b\n") { $0.skipsBadLines = true }
        }
        #expect(failure.code == "noSuchColumn" && !failure.message.contains("257b"))
        #expect(failure.message.contains("Field 2") && failure.message.contains("price"))
    }

    @Test func anUpsertFindsRowsByAUniqueColumn() async throws {
        let shop = try await Shop()
        _ = try await shop.bring("id,name,code,price\n1,one,a,5\n2,two,b,6\n")
        let report = try await shop.bring("CODE,name\nb,TWO\nc,three\nc,THREE\n") { $0.upsertBy = "code" }
        #expect(report.inserted == 1 && report.updated == 2)
        #expect(
            try await shop.rows("SELECT id, name, code, price FROM item ORDER BY id") == [
                [1, .text("one"), .text("a"), 5.0], [2, .text("TWO"), .text("b"), 6.0],
                [3, .text("THREE"), .text("c"), .null],
            ])
        let again = try await shop.bring("id\n1\n") { $0.upsertBy = "id" }
        #expect(again.updated == 1)
        let failure = try await #require(throws: BadLines.self) {
            try await shop.bring("code,name\n,x\n") { $0.upsertBy = "code" }
        }
        #expect(failure.report.badLines.first?.reason.contains("NULL") == true)
    }

    static let refused: [(text: String, table: String, upsertBy: String?, code: String)] = [
        ("id\n1\n", "nothing", nil, "noSuchTable"), ("id,nope\n1,2\n", "item", nil, "noSuchColumn"),
        ("id,ID\n1,2\n", "item", nil, "twoColumnsOfOneName"), ("", "item", nil, "noHeader"),
        ("\n1\n", "item", nil, "noHeader"), ("name\na\n", "item", "price", "notUnique"),
        ("name\na\n", "item", "nope", "noSuchColumn"), ("name\na\n", "item", "code", "missingKey"),
        ("type\nx\n", "sqlite_master", nil, "noSuchTable"), ("a\nx\n", "strongroom_history", nil, "noSuchTable"),
    ]

    @Test(arguments: refused)
    func whatCannotBeImportedIsRefusedByName(
        text: String, table: String, upsertBy: String?, code: String
    ) async throws {
        let shop = try await Shop()
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.bring(text, into: table) { $0.upsertBy = upsertBy }
        }
        #expect(failure.code == code)
    }

    @Test(arguments: [RowFormat.csv, .jsonLines])
    func namesAndContentsAreNeverSQL(format: RowFormat) async throws {
        let shop = try await Shop()
        let table = "we\"ird`name; DROP TABLE item"
        let attack = "'); DROP TABLE item; --"
        let text =
            format == .csv
            ? "a`b,\"c\"\"d\",select\n\"\(attack)\",5,=cmd()\n"
            : "{\"a`b\":\"\(attack)\",\"c\\\"d\":5,\"select\":\"=cmd()\"}\n"
        #expect(try await shop.bring(text, into: table, format).inserted == 1)
        let rows = try await shop.rows("SELECT * FROM `we\"ird``name; DROP TABLE item`")
        #expect(rows == [[.text(attack), 5, .text("=cmd()")]])
        #expect(try await shop.rows("SELECT count(*) FROM item") == [[0]])
        let failure = try await #require(throws: CommandFailure.self) {
            try await shop.bring("`a) VALUES (1); DROP TABLE item; --`\n1\n")
        }
        #expect(failure.code == "noSuchColumn")
    }

    @Test func aColumnThatIsAlwaysNullIsABlankLine() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in _ = try db.execute("CREATE TABLE one (a)") }
        #expect(try await shop.bring("a\n1\n\n\"\"\n", into: "one").inserted == 3)
        #expect(try await shop.rows("SELECT a FROM one ORDER BY rowid") == [[.text("1")], [.null], [.text("")]])
    }

    @Test func aValueOfMegabytesGoesThrough() async throws {
        let shop = try await Shop()
        let huge = String(repeating: "x\"\n", count: 1 << 20)
        let field = String(repeating: "x\"\"\n", count: 1 << 20)
        var run = TableImport("item", .csv)
        run.upsertBy = "id"
        let bytes = Array("id,name\n1,\"\(field)\"\n".utf8)
        _ = try await run.run(into: shop.store, from: { ByteSource(bytes) })
        #expect(try await shop.rows("SELECT name FROM item") == [[.text(huge)]])
    }
}
