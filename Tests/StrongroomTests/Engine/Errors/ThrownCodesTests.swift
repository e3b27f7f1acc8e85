import Foundation
import Strongroom
import Testing

/// No code is used for two things: a reader of the list sees what each is used for.
struct ThrownCodesTests {
    private static let list = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ThrownCodes.txt")

    /// `STRONGROOM_RECORD_CODES=1 swift test --filter ThrownCodesTests` writes the list anew.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["STRONGROOM_RECORD_CODES"] != nil,
            "the list is recorded when what throws has changed, and read by somebody then"))
    func record() throws {
        var thrown = ThrownCodes()
        try thrown.readSources()
        try Data((thrown.lines.joined(separator: "\n") + "\n").utf8).write(to: Self.list)
    }

    @Test func `the list has every place that throws a code, and no other`() throws {
        var thrown = ThrownCodes()
        try thrown.readSources()
        let listed = try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n").map(String.init)
        let difference = thrown.lines.difference(from: listed).map { change in
            switch change {
            case .insert(_, let line, _): "not in the list: \(line)"
            case .remove(_, let line, _): "only in the list: \(line)"
            }
        }
        #expect(
            difference.isEmpty,
            """
            \(difference.joined(separator: "\n"))
            Is the code used for one thing? Then STRONGROOM_RECORD_CODES=1 swift test --filter ThrownCodesTests
            """)
    }

    @Test(arguments: [
        (#"throw StrongroomError(.busy, "Try \(again("x")) later.", database: name)"#, "Try … later."),
        (
            """
            throw StrongroomError(
                .busy,
                \"""
                A "long" \\
                text.
                \""")
            """, "A \"long\" text."
        ),
        (#"throw error(isOpen ? .busy : .closed, "Wait.")"#, "Wait."),
        (#"throw error(isOpen ? .closed : .busy, "Wait.")"#, "Wait."),
        (#"throw failure("It was not accepted", .busy, sql: sql)"#, "It was not accepted"),
        ("func find() {\n    StrongroomError(.busy, message)\n}", "in find"),
        ("var kind: StrongroomError.Code {\n    isOpen ? .busy : other\n}", "in kind"),
        ("func map() {\n    let code: StrongroomError.Code =\n        switch n {\n        case 1: .busy\n", "in map"),
        (#"func say() { mistake("No.", at: 1, code: .busy) }"#, "in say"),
    ])
    func `a place is found`(source: String, place: String) {
        var thrown = ThrownCodes()
        thrown.read(source, of: "File")
        #expect(thrown.places["busy"] == ["File: \(place)"])
    }

    @Test(arguments: [
        "catch let error as StrongroomError where error.code == .busy {", "[.busy, .locked].contains(code)",
        "switch code {\ncase .busy, .locked: true", "// StrongroomError(.busy, \"no\")", "state.busy, \"no\"",
    ])
    func `a comparison is no place`(source: String) {
        var thrown = ThrownCodes()
        thrown.read(source, of: "File")
        #expect(thrown.places["busy"] == nil)
    }
}
