// Testable: the editor is the shell's own, and a terminal is needed to see it from outside.
@testable import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Editing a line")
struct LineEditingTests {
    private func keys(_ bytes: [UInt8]) -> [LineKey] {
        var rest = bytes[...]
        let decoder = LineKeyDecoder(read: { rest.popFirst() }, isMoreThere: { !rest.isEmpty })
        var keys: [LineKey] = []
        while let key = decoder.next() { keys.append(key) }
        return keys
    }

    private func edited(
        _ keys: [LineKey], history: [String] = [], completer: LineEditing.Completer = { _ in (0, []) }
    ) -> (text: String, cursor: Int, last: LineEditing.Action) {
        var editing = LineEditing(history: history)
        var last = LineEditing.Action.nothing
        for key in keys { last = editing.press(key, completer: completer) }
        return (String(editing.text), editing.cursor, last)
    }

    @Test func bytesOfATerminalAreKeys() {
        #expect(keys(Array("aé😀".utf8)) == [.text("a"), .text("é"), .text("😀")])
        #expect(keys([0x0D, 0x09, 0x7F, 0x03, 0x04]) == [.enter, .tab, .backspace, .interrupt, .endOfInput])
        #expect(
            keys(Array("\u{1B}[A\u{1B}OB\u{1B}[1;5C\u{1B}[3~\u{1B}[H\u{1B}b".utf8)) == [
                .up, .down, .wordRight, .delete, .home, .wordLeft,
            ])
        #expect(keys([0x1B]) == [.other])
        #expect(keys([0xC3]) == [])
        #expect(keys([0xFF, 0x61]) == [.other, .text("a")])
        #expect(keys(Array("\u{1B}[99;99Xa".utf8)) == [.other, .text("a")])
    }

    @Test func aLineIsTypedAndChanged() {
        #expect(edited([.text("ac"), .left, .text("b"), .end, .text("d")]).text == "abcd")
        #expect(edited([.text("e"), .text("\u{301}")]).text == "e\u{301}")
        #expect(edited([.text("e"), .text("\u{301}")]).cursor == 1)
        #expect(edited([.text("one two three"), .eraseWord]).text == "one two ")
        #expect(edited([.text("one two"), .wordLeft, .eraseToStart]).text == "two")
        #expect(edited([.text("one two"), .home, .wordRight, .eraseToEnd]).text == "one")
        #expect(edited([.text("ab"), .home, .delete, .backspace]).text == "b")
        #expect(edited([.text("ab"), .enter]).last == .submit("ab"))
        #expect(edited([.endOfInput]).last == .end)
        #expect(edited([.text("a"), .home, .endOfInput, .endOfInput]).last == .end)
        #expect(edited([.text("a"), .interrupt]).last == .interrupt)
    }

    @Test func earlierLinesAreFoundAndTheDraftComesBack() {
        let history = ["first", "second"]
        #expect(edited([.text("draft"), .up], history: history).text == "second")
        #expect(edited([.text("draft"), .up, .up, .up], history: history).text == "first")
        #expect(edited([.text("draft"), .up, .up, .down, .down, .down], history: history).text == "draft")
    }

    @Test func aWordIsCompleted() {
        let words = ShellWords(tables: ["contact": ["id", "name", "full name"], "contract": ["id"]])
        func tab(_ text: String) -> (text: String, last: LineEditing.Action) {
            let result = edited([.text(text), .tab], completer: words.completions)
            return (result.text, result.last)
        }
        #expect(tab("sel").text == "select ")
        #expect(tab("SEL").text == "SELECT ")
        #expect(tab("select * from cont").last == .show(["contact", "contract"]))
        #expect(tab("select * from conta").text == "select * from contact ")
        #expect(tab("select contact.na").text == "select contact.name ")
        #expect(tab("select contact.").last == .show(["`full name`", "id", "name"]))
        #expect(tab(".ta").text == ".tables ")
        #expect(tab("zzz").last == .nothing)
        #expect(tab("").last == .nothing)
    }

    /// Whatever is pressed, the cursor stays in the text.
    @Test(arguments: 0..<30)
    func anyKeysLeaveALine(seed: UInt64) {
        var generator = SeededGenerator(seed)
        let some: [LineKey] = [
            .text("a"), .text("é"), .text("\u{301}"), .text("👩‍👩‍👧"), .text(" "), .tab, .backspace, .delete,
            .left, .right, .wordLeft, .wordRight,
            .home, .end, .up, .down, .eraseToStart, .eraseToEnd, .eraseWord, .other,
        ]
        var editing = LineEditing(history: ["select 1", "漢字 x"])
        let words = ShellWords(tables: ["able": ["aéb"], "abc": []])
        for _ in 0..<400 {
            _ = editing.press(some.randomElement(using: &generator) ?? .other, completer: words.completions)
            #expect((0...editing.text.count).contains(editing.cursor))
        }
    }
}
