import StrongroomCommands
import Testing

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
