@testable import Strongroom
@testable import StrongroomCommands

extension Reader {
    /// What a terminal sends, and the lines of the shell.
    static let shell = Reader("shell", longest: 1 << 11) { input in
        if input.flag() {
            readKeys(input.remainder())
        } else {
            readLines(input.text())
        }
    }

    private static func readKeys(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let decoder = LineKeyDecoder(read: { rest.popFirst() }, isMoreThere: { !rest.isEmpty })
        var line = LineEditing(history: ["SELECT 1", "né"])
        let words = ShellWords(tables: ["note": ["id", "te`xt"]])
        while let key = decoder.next() {
            _ = line.press(key, completer: words.completions)
            require(line.cursor >= 0 && line.cursor <= line.text.count, "the cursor is in the line")
        }
    }

    private static func readLines(_ text: String) {
        var statements = SQLStatements()
        var history = ShellHistory(path: nil)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            _ = (ShellDirective(String(line)), MetricSample(line: line))
            let complete = statements.add(String(line))
            for statement in complete { history.add(statement) }
        }
        let escaped = TerminalText.escaped(text)
        require(!escaped.unicodeScalars.contains(where: TerminalText.isUnsafe), "no control character is displayed")
        require(TerminalText.width(of: escaped) >= 0, "a width is not negative")
    }
}
