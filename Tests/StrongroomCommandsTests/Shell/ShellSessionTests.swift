import Foundation
import Strongroom
import StrongroomTesting
import Testing

// Testable: how statements are split is the shell's own.
// Testable: the editor is the shell's own, and a terminal is needed to see it from outside.
@testable import StrongroomCommands

@Suite("Shell", .ending)
struct ShellSessionTests {
    private func session(
        _ shop: Shop, mayWrite: Bool = false, stopsAtErrors: Bool = false
    ) -> (ShellSession, TextCapture) {
        let capture = TextCapture()
        let stream = ConsoleStream(capture: capture)
        let console = Console(output: stream, errors: stream)
        return (ShellSession(shop.store, console, mayWrite: mayWrite, stopsAtErrors: stopsAtErrors), capture)
    }

    @Test(arguments: [
        ("select 1;", ["select 1"], ""), ("select 1; select 2;x", ["select 1", " select 2"], "x"),
        ("select ';' ; -- ;", ["select ';' "], " -- ;"), ("select 1", [], "select 1"), (";;", [], ""),
        (
            "create trigger t after insert on a begin select 1; end;",
            ["create trigger t after insert on a begin select 1; end"], ""
        ),
        (
            "create temp trigger t after insert on a begin select 1; end;select 2",
            ["create temp trigger t after insert on a begin select 1; end"], "select 2"
        ),
        (
            "create trigger t after insert on a begin update a set b = case when 1 then 2 end; end; select 3;",
            ["create trigger t after insert on a begin update a set b = case when 1 then 2 end; end", " select 3"], ""
        ),
        ("explain select 1; select 2;", ["explain select 1", " select 2"], ""),
        ("select \"a;b\", `c;d`, [e;f]; /* ; */", ["select \"a;b\", `c;d`, [e;f]"], " /* ; */"),
    ])
    func statementsEndWithASemicolon(text: String, complete: [String], rest: String) {
        let found = SQLStatements.split(text)
        #expect(found.complete == complete)
        #expect(found.rest == rest)
    }

    @Test(arguments: [
        "select 1; select 'a\n;b''\n;' ;\nselect 2", "/* a;\n; */ select `\n;``\n`, [;\n;], \"\n;\"\"\"; x'\n00';",
        "-- it's\nselect 1;\n-- '\n;", "create trigger t after insert on a begin\nselect 1; \n end\n;select 3\n;",
        "a /*\n*/;\nb '",
    ])
    func aLineAtATimeTheStatementsAreTheSame(text: String) {
        var statements = SQLStatements()
        var complete: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            complete += statements.add(String(line))
        }
        let whole = SQLStatements.split(text)
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
        #expect(complete.map(trimmed) == whole.complete.map(trimmed))
        #expect(trimmed(statements.rest) == trimmed(whole.rest))
    }

    /// Each line is looked at once, or this would take hours.
    @Test func aStatementOfManyLinesIsReadAtOnce() {
        var statements = SQLStatements()
        #expect(statements.add("create trigger t after insert on a begin").isEmpty)
        for number in 0..<20_000 { #expect(statements.add("insert into b values ('\(number)', 'it''s');").isEmpty) }
        #expect(statements.add("select '").isEmpty)
        for _ in 0..<20_000 { #expect(statements.add("a line of a text;").isEmpty) }
        #expect(statements.add("'; end;").count == 1)
        #expect(statements.isBlank)
    }

    @Test func aStatementMayHaveManyLines() async throws {
        var (session, capture) = session(try await Shop())
        #expect(try await session.accept("SELECT 1 AS a,") == .more)
        #expect(try await session.accept(" 2 AS b") == .more)
        #expect(try await session.accept("; SELECT 3 AS c;") == .statement)
        #expect(capture.lines == ["a  b", "─  ─", "1  2", "c", "─", "3"])
        #expect(try await session.accept("SELECT") == .more)
        session.interrupt()
        #expect(try await session.accept(".mode csv") == .statement)
        #expect(try await session.accept("SELECT 4 AS d;") == .statement)
        #expect(capture.text.hasSuffix("3\nd\r\n4\r\n"))
        #expect(try await session.accept(".quit") == .quit)
    }

    @Test func errorsAreToldAndTheSessionGoesOn() async throws {
        var (session, capture) = session(try await Shop())
        #expect(try await session.accept("SELEC 1; SELECT 2;") == .statement)
        #expect(capture.lines.count == 1 && capture.text.hasPrefix("error:"))
        #expect(try await session.accept("DELETE FROM item;") == .statement)
        #expect(try await session.accept(".schema nothing") == .statement)
        #expect(try await session.accept(".nothing") == .statement)
        #expect(capture.lines.count == 4)
        var (strict, _) = self.session(try await Shop(), stopsAtErrors: true)
        await #expect(throws: StrongroomError.self) { try await strict.accept("SELEC 1;") }
        for line in [".nothing", ".mode bogus", ".schema nothing"] {
            let failure = try await #require(throws: CommandFailure.self) { try await strict.accept(line) }
            #expect(failure.status == .usage, "\(line)")
        }
    }

    @Test func aCommentMayBeginAStatement() async throws {
        var (session, capture) = session(try await Shop())
        #expect(try await session.accept("/* one;") == .more)
        #expect(try await session.accept(".tables */ SELECT 1 AS a;") == .statement)
        #expect(capture.lines == ["a", "─", "1"])
    }

    @Test func withLeaveStatementsWrite() async throws {
        let shop = try await Shop()
        var (session, capture) = session(shop, mayWrite: true)
        _ = try await session.accept("INSERT INTO item (name) VALUES ('a;b'), ('c');")
        #expect(capture.lines == ["2 rows changed"])
        _ = try await session.accept(".tables")
        #expect(capture.lines.contains { $0.hasPrefix("item") && $0.hasSuffix("2") })
        _ = try await session.accept("DELETE FROM item")
        try await session.finish()
        #expect(try await shop.rows("SELECT count(*) FROM item") == [[0]])
    }

    @Test func theHistoryIsItsOwnersAlone() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("state/strongroom/history")
        #expect(ShellHistory.defaultPath(["XDG_STATE_HOME": directory.path("state")]) == path)
        #expect(ShellHistory.defaultPath(["HOME": "/home/a"]) == "/home/a/.local/state/strongroom/history")
        var history = ShellHistory(path: path)
        for line in ["one", " secret", "one", "two", "", "  "] { history.add(line) }
        #expect(history.lines == ["one", "two"])
        #expect(ShellHistory(path: path).lines == ["one", "two"])
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o600)
        #expect(try mode(directory.path("state/strongroom")) == 0o700)
        // Made wider by somebody, it is made narrow again.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        history.add("three")
        #expect(try mode(path) == 0o600)
        var none = ShellHistory(path: nil)
        none.add("x")
        #expect(none.lines == ["x"])
    }

    @Test(arguments: [
        "PRAGMA key = 'secret'", "pragma hexrekey='00'", "PRAGMA main.rekey = 'secret'",
        "select 1; PRAGMA \"key\" = 'x'", "ATTACH 'a' AS b KEY 'secret'",
    ])
    func aLineWithAKeyIsNotKept(line: String) throws {
        let directory = try TemporaryDirectory()
        var history = ShellHistory(path: directory.path("history"))
        let kept = ["PRAGMA foreign_keys", "SELECT key FROM item", "ATTACH 'a' AS b"]
        for line in kept + [line] { history.add(line) }
        #expect(history.lines == kept)
        #expect(try !String(contentsOf: URL(filePath: directory.path("history")), encoding: .utf8).contains(line))
    }

    @Test(arguments: [
        ["ATTACH 'x.db' AS y", "KEY 'hunter2 secret';"], ["PRAGMA", "rekey='second secret';"],
        ["SELECT 1; pragma", " -- nothing", "hexkey = 'secret';"],
        ["rekey = 'secret of a statement that was given up';"],
    ])
    func aStatementWithAKeyIsNotKept(lines: [String]) throws {
        let directory = try TemporaryDirectory()
        var history = ShellHistory(path: directory.path("history"))
        history.add(["SELECT key", "FROM item;"])
        history.add(lines)
        #expect(history.lines == ["SELECT key", "FROM item;"])
        #expect(ShellHistory(path: directory.path("history")).lines == history.lines)
    }

    @Test func theHistoryDoesNotGrowForEver() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("history")
        try Data((0..<5_000).map { "line \($0)\n" }.joined().utf8).write(to: URL(filePath: path))
        let history = ShellHistory(path: path)
        #expect(history.lines.count == 1_000 && history.lines.last == "line 4999")
        #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n").count == 1_000)
    }
}

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

    @Test func ofALongLineTheEndBeforeTheCursorIsDisplayed() {
        var editing = LineEditing(history: [])
        func press(_ keys: LineKey...) { for key in keys { _ = editing.press(key, completer: { _ in (0, []) }) } }
        func shown() -> String { editing.visible(8).text + "|\(editing.visible(8).column)" }
        for number in 0..<5_000 { press(.text(String(number % 10))) }
        #expect(shown() == "23456789|8")
        press(.left, .left, .text("字"))
        #expect(shown() == "234567字|8")
        press(.home)
        #expect(shown() == "01234567|0")
        press(.right, .text("\u{301}"))
        #expect(shown() == "0\u{301}1234567|1" && editing.cursor == 1)
        press(.text("\t"))
        #expect(shown() == "0\u{301}\\t12345|3")
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
