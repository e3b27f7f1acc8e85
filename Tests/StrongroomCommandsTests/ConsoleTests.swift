import StrongroomCommands
import Testing

struct ConsoleTests {
    private let output = TextCapture()
    private let errors = TextCapture()

    private func console(isTerminal: Bool = false, environment: [String: String] = [:]) -> Console {
        Console(
            output: ConsoleStream(capture: output, isTerminal: isTerminal, environment: environment),
            errors: ConsoleStream(capture: errors, isTerminal: isTerminal, environment: environment)
        )
    }

    @Test("Results go to the output and the rest to the errors, in whole lines")
    func channels() {
        let console = console()
        console.write("result \("one", .bold)")
        console.write("warning", to: .errors)
        console.write("")
        #expect(output.text == "result one\n\n")
        #expect(errors.text == "warning\n")
        #expect(output.lines == ["result one", ""])
        #expect(console.failure(of: .output) == nil)
    }

    @Test("Verbatim text is written as it is and ends its line")
    func verbatim() {
        let console = console(isTerminal: true)
        console.write(verbatim: #"{"a":"\t"}"#)
        console.write(verbatim: "CREATE TABLE a(\n\tb\n);\n")
        console.write(verbatim: "")
        #expect(output.text == "{\"a\":\"\\t\"}\nCREATE TABLE a(\n\tb\n);\n")
    }

    @Test("On a terminal a tab in lines for programs is spaces, and what it would act on is spelled out")
    func tabs() throws {
        let sql = "CREATE TABLE a(\n\tb\n);\r\n\u{1B}"
        try console(isTerminal: true).write(lines: sql)
        #expect(output.text == "CREATE TABLE a(\n    b\n);\n\\u{1B}\n")
    }

    @Test(
        "Colours need a terminal, no NO_COLOR and a TERM that is not dumb",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm-256color"], true),
            (false, ["TERM": "xterm-256color"], false), (true, ["NO_COLOR": "0", "TERM": "xterm"], false),
        ] as [(Bool, [String: String], Bool)])
    func colors(isTerminal: Bool, environment: [String: String], usesColors: Bool) {
        let console = console(isTerminal: isTerminal, environment: environment)
        console.write("\("x", .red)")
        #expect(console[.output].usesColors == usesColors)
        #expect(output.text == (usesColors ? "\u{1B}[31mx\u{1B}[0m\n" : "x\n"))
    }

    @Test("Lines are redrawn on a terminal even without colours, and never on a dumb one")
    func redrawing() {
        #expect(console(isTerminal: true, environment: ["NO_COLOR": "1"])[.errors].redrawsLines)
        #expect(!console(isTerminal: true, environment: ["TERM": "dumb"])[.errors].redrawsLines)
        #expect(!console()[.errors].redrawsLines)
    }

    @Test(
        "Without a terminal's answer the width is COLUMNS or 80",
        arguments: [
            ([:], 80), (["COLUMNS": "132"], 132), (["COLUMNS": "0"], 80), (["COLUMNS": "-4"], 80),
            (["COLUMNS": "wide"], 80), (["COLUMNS": ""], 80), (["COLUMNS": "99999999999999999999"], 80),
        ] as [([String: String], Int)])
    func width(environment: [String: String], width: Int) {
        #expect(console(environment: environment)[.output].width == width)
    }

    @Test("A table is fitted to a terminal and complete anywhere else")
    func tables() {
        var table = TextTable([.leading("Name", isFlexible: true)])
        table.append("abcdefghij")
        console(isTerminal: false, environment: ["COLUMNS": "5"]).write(table)
        #expect(output.lines == ["Name", "──────────", "abcdefghij"])
        console(isTerminal: true, environment: ["COLUMNS": "5", "NO_COLOR": "1"]).write(table, to: .errors)
        #expect(errors.lines == ["Name", "─────", "abcd…"])
    }
}
