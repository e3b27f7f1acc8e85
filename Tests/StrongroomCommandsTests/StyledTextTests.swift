import StrongroomCommands
import Testing

struct StyledTextTests {
    @Test("Styles are sequences with colours and nothing without")
    func rendering() {
        let text: StyledText = "Opened \("store", .bold) with \("3", [.red, .bold]) \("problems")"
        #expect(
            text.rendered(usesColors: true)
                == "Opened \u{1B}[1mstore\u{1B}[0m with \u{1B}[1;31m3\u{1B}[0m problems")
        #expect(text.rendered(usesColors: false) == "Opened store with 3 problems")
    }

    @Test(
        "Each style has its sequence",
        arguments: [
            (.bold, "1"), (.dim, "2"), (.underlined, "4"), (.red, "31"), (.green, "32"), (.yellow, "33"),
            (.blue, "34"), (.cyan, "36"), ([.cyan, .dim, .bold], "1;2;36"),
        ] as [(TextStyle, String)])
    func sequences(style: TextStyle, code: String) {
        #expect(StyledText("x", style).rendered(usesColors: true) == "\u{1B}[\(code)mx\u{1B}[0m")
    }

    @Test("Empty text has no sequences")
    func empty() {
        #expect(StyledText("", .bold).rendered(usesColors: true).isEmpty)
        #expect(("\("", .bold)" as StyledText).rendered(usesColors: true).isEmpty)
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

    @Test("Truncation keeps the styles of what is left")
    func truncationKeepsStyles() {
        let text: StyledText = "\("ab", .red)\("cdef", .dim)gh"
        #expect(text.truncated(to: 4).rendered(usesColors: true) == "\u{1B}[31mab\u{1B}[0m\u{1B}[2mc…\u{1B}[0m")
    }
}
