import Foundation
import StrongroomCommands
import Testing

struct TextTableTests {
    private static func stores() -> TextTable {
        var table = TextTable([.leading("Name", isFlexible: true), .trailing("Rows"), .leading("State")])
        table.append("accounts", "60,123", "open")
        table.append("日本語のストア", "7", "locked")
        return table
    }

    @Test("Columns are aligned by cells, two spaces apart, with no space at the end")
    func alignment() {
        #expect(
            Self.stores().lines(fitting: nil).map(\.plain) == [
                "Name              Rows  State",
                "──────────────  ──────  ──────",
                "accounts        60,123  open",
                "日本語のストア       7  locked",
            ])
    }

    @Test("The flexible column is cut to the width")
    func cutsFlexibleColumn() {
        #expect(
            Self.stores().lines(fitting: 20).map(\.plain) == [
                "Name    Rows  State",
                "────  ──────  ──────",
                "acc…  60,123  open",
                "日…        7  locked",
            ])
    }

    @Test("Data is escaped and counted as it shows")
    func escapesData() {
        var table = TextTable([.leading("Key"), .leading("Value")])
        table.append("\("a\u{1B}[2J\n")", "b\tc")
        table.append("x", "\u{9B}y")
        #expect(
            table.lines(fitting: nil).map(\.plain) == [
                "Key           Value",
                "────────────  ───────",
                #"a\u{1B}[2J\n  b\tc"#,
                #"x             \u{9B}y"#,
            ])
    }

    /// Cell by cell this takes minutes.
    @Test("A row of many long texts is laid out at once", .timeLimit(.minutes(1)))
    func manyColumns() {
        var table = TextTable((0..<600).map { .leading("c\($0)", isFlexible: true) })
        table.append(row: (0..<600).map { _ in StyledText(String(repeating: "x", count: 4_000)) })
        #expect(table.lines(fitting: 200).count == 3)
        #expect(!table.fits(200))
        #expect(table.fits(600 + 2 * 599))
    }
}

struct HumanReadableTests {
    @Test(
        "Counts have a comma between each three digits",
        arguments: [
            (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (60_123, "60,123"), (100_000, "100,000"),
            (1_234_567, "1,234,567"), (-999, "-999"), (-1000, "-1,000"), (.max, "9,223,372,036,854,775,807"),
            (.min, "-9,223,372,036,854,775,808"),
        ] as [(Int64, String)])
    func counts(number: Int64, text: String) {
        #expect(HumanReadable.count(number) == text)
    }

    @Test(
        "Bytes are in the largest unit of which there is one after rounding",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (12_897_485, "12.3 MiB"),
            (1_048_524, "1023.9 KiB"), (1_048_525, "1.0 MiB"), (1_048_576, "1.0 MiB"), (1 << 30, "1.0 GiB"),
            (5 << 40, "5.0 TiB"), (3 << 50, "3.0 PiB"), (-2048, "-2.0 KiB"), (.max, "8.0 EiB"), (.min, "-8.0 EiB"),
        ] as [(Int64, String)])
    func bytes(number: Int64, text: String) {
        #expect(HumanReadable.bytes(number) == text)
    }

    @Test(
        "Durations have about three digits, and no unit overflows by rounding",
        arguments: [
            (.zero, "0 µs"), (.nanoseconds(499), "0 µs"), (.microseconds(850), "850 µs"),
            (.nanoseconds(999_499), "999 µs"), (.nanoseconds(999_500), "1 ms"), (.milliseconds(310), "310 ms"),
            (.microseconds(999_499), "999 ms"), (.microseconds(999_500), "1.00 s"), (.milliseconds(1240), "1.24 s"),
            (.milliseconds(1005), "1.01 s"), (.milliseconds(9994), "9.99 s"), (.milliseconds(9995), "10.0 s"),
            (.milliseconds(59_949), "59.9 s"), (.milliseconds(59_950), "1 min 00 s"), (.seconds(125), "2 min 05 s"),
            (.milliseconds(3_599_499), "59 min 59 s"), (.milliseconds(3_599_500), "1 h 00 min"),
            (.seconds(3720), "1 h 02 min"), (.seconds(86_369), "23 h 59 min"), (.seconds(86_370), "1 d 00 h"),
            (.seconds(273_600), "3 d 04 h"), (.seconds(86_400 * 1200), "1,200 d 00 h"), (.seconds(-2), "-2.00 s"),
        ] as [(Duration, String)])
    func durations(duration: Duration, text: String) {
        #expect(HumanReadable.duration(duration) == text)
    }

    @Test(
        "Estimates are in whole seconds",
        arguments: [
            (.milliseconds(499), "0 s"), (.milliseconds(500), "1 s"), (.milliseconds(4200), "4 s"),
            (.milliseconds(59_499), "59 s"), (.milliseconds(59_500), "1 min 00 s"), (.seconds(125), "2 min 05 s"),
            (.seconds(7380), "2 h 03 min"), (.seconds(-90), "-1 min 30 s"),
        ] as [(Duration, String)])
    func estimates(duration: Duration, text: String) {
        #expect(HumanReadable.wholeSeconds(duration) == text)
    }
}

struct JSONLineTests {
    private struct Store: Encodable {
        var name: String
        var path: String
        var created: Date
        var rows: Int?
        var salt: Data
    }

    @Test("A value is one line, keys in order, slashes as they are, dates in ISO 8601")
    func line() throws {
        let store = Store(
            name: "a \"b\"", path: "/tmp/x", created: Date(timeIntervalSince1970: 0), rows: nil,
            salt: Data([1, 2, 255]))
        #expect(
            try JSONLine.encode(store)
                == #"{"created":"1970-01-01T00:00:00Z","name":"a \"b\"","path":"/tmp/x","salt":"AQL/"}"#)
    }

    @Test("Line ends and what a terminal would act on are escaped, other text is not")
    func escaping() throws {
        let text = "a\n\r\u{1B}\u{7F}\u{85}\u{9B}\u{2028}\u{202E}é漢👍"
        let line = try JSONLine.encode(text)
        #expect(line == #""a\n\r\u001b\u007f\u0085\u009b\u2028\u202eé漢👍""#)
        #expect(try JSONDecoder().decode(String.self, from: Data(line.utf8)) == text)
    }

    @Test("A number that JSON cannot hold is an error")
    func notFinite() {
        #expect(throws: EncodingError.self) { try JSONLine.encode([Double.nan]) }
    }

    @Test("An error has a code and a message")
    func error() {
        #expect(
            JSONLine.error(code: "wrongKey", message: "The key does not open \"/a/b\".\n")
                == #"{"error":{"code":"wrongKey","message":"The key does not open \"/a/b\".\n"}}"#)
    }
}

struct StyledTextTests {
    @Test("Styles are sequences with colours and nothing without")
    func rendering() {
        let text: StyledText = "Opened \("store", .bold) with \("3", [.red, .bold]) \("problems")"
        #expect(
            text.rendered(usesColors: true)
                == "Opened \u{1B}[1mstore\u{1B}[0m with \u{1B}[1;31m3\u{1B}[0m problems")
        #expect(text.rendered(usesColors: false) == "Opened store with 3 problems")
    }

    @Test("Data cannot start a sequence or end the line, styled or not")
    func injection() {
        let data = "\u{1B}[31m\n"
        let text: StyledText = "a\(data)b\(data, .bold)\(StyledText(data))"
        #expect(text.plain == #"a\u{1B}[31m\nb\u{1B}[31m\n\u{1B}[31m\n"#)
        #expect(text.rendered(usesColors: true).filter { $0 == "\u{1B}" }.count == 2)
    }

    @Test(
        "Text that is too wide ends in an ellipsis and is never wider than asked",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
            ("abcdef", -3, ""), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
            ("日本語", 2, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"), ("", 0, ""),
        ])
    func truncation(text: String, cells: Int, result: String) {
        let truncated = StyledText(text).truncated(to: cells)
        #expect(truncated.plain == result)
        #expect(truncated.width <= max(0, cells))
    }
}

struct TerminalTextTests {
    @Test(
        "What a terminal would act on is spelled out",
        arguments: [
            ("plain – Ünïcode 漢字 👩🏽‍🚀", "plain – Ünïcode 漢字 👩🏽‍🚀"),
            ("two\nlines\r\nand\ttab", #"two\nlines\r\nand\ttab"#),
            ("\u{1B}[2J\u{1B}]0;title\u{7}", #"\u{1B}[2J\u{1B}]0;title\u{7}"#),
            ("\u{0}\u{8}\u{7F}", #"\u{0}\u{8}\u{7F}"#),
            ("\u{9B}31m\u{85}", #"\u{9B}31m\u{85}"#),
            ("a\u{2028}b\u{2029}c", #"a\u{2028}b\u{2029}c"#),
            ("user\u{202E}txt.exe\u{2066}", #"user\u{202E}txt.exe\u{2066}"#),
            ("e\u{301}\u{1B}\u{301}", "e\u{301}\\u{1B}\u{301}"),
        ])
    func escaping(text: String, escaped: String) {
        #expect(TerminalText.escaped(text) == escaped)
    }

    @Test(
        "Width is counted in cells",
        arguments: [
            ("", 0), ("abc", 3), ("äöü", 3), ("a\u{308}", 1), ("\u{308}", 0), ("—…─", 3), ("漢字", 4), ("ｱ", 1),
            ("Ａ", 2), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("日本語abc", 9), ("👍", 2), ("👍🏽", 2),
            ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("1\u{FE0F}\u{20E3}", 2), ("✅", 2),
            ("\u{200D}", 0), ("\u{AD}", 1), ("שלום", 4), ("สวัสดี", 4), ("𠮷", 2), ("\u{E000}", 1),
        ])
    func width(text: String, cells: Int) {
        #expect(TerminalText.width(of: text) == cells)
    }
}
