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
        var rows: [[Value]] = []
        for id in 0..<50 {
            func maybe(_ value: Value) -> Value { Bool.random(using: &generator) ? value : .null }
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

    private static let kinds: [Value] = [
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
        let value: Value
        let bytes: [UInt8]

        init(_ value: Value) {
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

    @Test func aQueryThatWritesIsRefusedByTheConnection() async throws {
        let shop = try await Shop()
        for sql in [
            "DELETE FROM item", "WITH x AS (SELECT 1) INSERT INTO item (name) SELECT 'a' FROM x", "CREATE TABLE t (a)",
        ] {
            let failure = try await #require(throws: CommandFailure.self) {
                try await shop.exported(.query(sql), .csv)
            }
            #expect(failure.code == "readOnly" && failure.status == .usage)
        }
        let two = try await #require(throws: StrongroomError.self) {
            try await shop.exported(.query("SELECT 1; DELETE FROM item"), .csv)
        }
        #expect(two.message.contains("more than one statement"))
    }

    @Test func decimalsAreDigitsOutsideAndComeBack() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in
            try db.execute("CREATE TABLE bill (id INTEGER PRIMARY KEY, total DECIMAL_TEXT)")
        }
        let text = "id,total\r\n1,12.50\r\n2,-3\r\n3,0\r\n4,\r\n"
        _ = try await shop.bring(text, into: "bill")
        #expect(
            try await shop.rows("SELECT total FROM bill ORDER BY id") == [
                [.text("p002:12.5")], [.text("-n998:6~-3")], [.text("0")], [.null],
            ])
        let written = try await shop.exported(.table("bill"), .csv)
        #expect(written == "id,total\r\n1,12.5\r\n2,-3\r\n3,0\r\n4,\r\n")
        for line in ["5,1e3", "5,1,5", "5,x"] {
            await #expect(throws: (any Error).self) { try await shop.bring("id,total\r\n\(line)\r\n", into: "bill") }
        }
        let lines = try await shop.exported(.table("bill"), .jsonLines)
        #expect(lines.contains(#"{"id":1,"total":"12.5"}"#), "\(lines)")
        _ = try await shop.bring(#"{"id":7,"total":7}"#, into: "bill", .jsonLines)
        await #expect(throws: (any Error).self) {
            try await shop.bring(#"{"id":8,"total":7.5}"#, into: "bill", .jsonLines)
        }
        #expect(try await shop.rows("SELECT total FROM bill WHERE id > 4") == [[.text("p001:7")]])
    }

    @Test func scaledDecimalsAreDigitsOutsideAndComeBack() async throws {
        let shop = try await Shop()
        try await shop.store.write { db in
            try db.execute("CREATE TABLE bill (id INTEGER PRIMARY KEY, total DECIMAL_INTEGER(2))")
        }
        _ = try await shop.bring("id,total\r\n1,12.50\r\n2,-3\r\n3,0\r\n4,\r\n", into: "bill")
        #expect(
            try await shop.rows("SELECT total FROM bill ORDER BY id") == [
                [.integer(1250)], [.integer(-300)], [.integer(0)], [.null],
            ])
        let written = try await shop.exported(.table("bill"), .csv)
        #expect(written == "id,total\r\n1,12.5\r\n2,-3\r\n3,0\r\n4,\r\n")
        let lines = try await shop.exported(.table("bill"), .jsonLines)
        #expect(lines.contains(#"{"id":1,"total":"12.5"}"#), "\(lines)")
        for line in ["5,1.005", "5,x", "5,92233720368547758.08"] {
            await #expect(throws: (any Error).self) { try await shop.bring("id,total\r\n\(line)\r\n", into: "bill") }
        }
        _ = try await shop.bring(#"{"id":7,"total":7}"#, into: "bill", .jsonLines)
        #expect(try await shop.rows("SELECT total FROM bill WHERE id > 4") == [[.integer(700)]])
        let queried = try await shop.exported(.query("SELECT total, total + 1 FROM bill WHERE id = 1"), .csv)
        #expect(queried == "total,total + 1\r\n12.5,1251\r\n")
        let compound = try await shop.exported(
            .query("SELECT total FROM bill WHERE id = 1 UNION SELECT total FROM bill WHERE id = 1"), .csv)
        #expect(compound == "total\r\n1250\r\n")
    }
}
