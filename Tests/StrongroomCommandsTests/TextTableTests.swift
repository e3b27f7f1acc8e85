import StrongroomCommands
import Testing

struct TextTableTests {
    private static func stores(flexible: Bool = true) -> TextTable {
        var table = TextTable([.leading("Name", isFlexible: flexible), .trailing("Rows"), .leading("State")])
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

    @Test("A table that fits is not cut", arguments: [30, 31, 80])
    func fits(width: Int) {
        #expect(Self.stores().lines(fitting: width) == Self.stores().lines(fitting: nil))
    }

    @Test("The flexible column is cut to the width")
    func cutsFlexibleColumn() {
        #expect(
            Self.stores().lines(fitting: 24).map(\.plain) == [
                "Name        Rows  State",
                "────────  ──────  ──────",
                "accounts  60,123  open",
                "日本語…        7  locked",
            ])
        #expect(
            Self.stores().lines(fitting: 20).map(\.plain) == [
                "Name    Rows  State",
                "────  ──────  ──────",
                "acc…  60,123  open",
                "日…        7  locked",
            ])
    }

    @Test("The widest flexible column is cut first")
    func cutsWidestFirst() {
        var table = TextTable([.leading("A", isFlexible: true), .trailing("B", isFlexible: true)])
        table.append("abcdefgh", "1234")
        #expect(table.lines(fitting: 10).map(\.plain) == ["A        B", "────  ────", "abc…  1234"])
        #expect(table.lines(fitting: 8).map(\.plain) == ["A      B", "───  ───", "ab…  12…"])
    }

    @Test("What cannot be cut stays, and the flexible column keeps one cell", arguments: [17, 9, 1, 0, -5])
    func narrowest(width: Int) {
        #expect(
            Self.stores().lines(fitting: width).map(\.plain) == [
                "…    Rows  State",
                "─  ──────  ──────",
                "…  60,123  open",
                "…       7  locked",
            ])
        #expect(Self.stores(flexible: false).lines(fitting: width) == Self.stores().lines(fitting: nil))
    }

    @Test("A flexible column keeps its minimum, and whether the table fits is known")
    func minimum() {
        var table = TextTable([.leading("A", isFlexible: true, minimum: 3), .leading("B", isFlexible: true)])
        table.append("abcdefgh", "1234567890")
        #expect(table.lines(fitting: 8).map(\.plain) == ["A    B", "───  ───", "ab…  12…"])
        #expect(table.lines(fitting: 6).map(\.plain) == ["A    B", "───  ─", "ab…  …"])
        #expect(table.fits(20) && table.fits(6) && !table.fits(5))
    }

    @Test("No line of a table that can be cut is wider than asked", arguments: 17...31)
    func neverWider(width: Int) {
        let widths = Self.stores().lines(fitting: width).map(\.width)
        #expect(widths.allSatisfy { $0 <= width })
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

    @Test("Cells that are missing, empty or end in spaces leave no space at the end")
    func noTrailingSpace() {
        var table = TextTable([.leading("A"), .leading(""), .trailing("")])
        table.append("one")
        table.append("two", "", "")
        table.append("  \("  ", .red)", "x  \(" ", .dim)")
        table.append("e", " \u{301}")
        #expect(
            table.lines(fitting: nil).map(\.plain) == [
                "A", "────  ────", "one", "two", "      x", "e      \u{301}",
            ])
    }

    @Test("The header is bold, the rule is dim, and cells keep their style")
    func styles() {
        var table = TextTable([.leading("State"), .trailing("N")])
        table.append("\("ok", .green)", "1")
        #expect(
            table.lines(fitting: nil).map { $0.rendered(usesColors: true) } == [
                "\u{1B}[1mState\u{1B}[0m  \u{1B}[1mN\u{1B}[0m",
                "\u{1B}[2m─────\u{1B}[0m  \u{1B}[2m─\u{1B}[0m",
                "\u{1B}[32mok\u{1B}[0m     1",
            ])
    }

    @Test("A table without rows has its header and rule")
    func noRows() {
        #expect(
            TextTable([.leading("Name"), .trailing("Rows")]).lines(fitting: 80).map(\.plain) == [
                "Name  Rows", "────  ────",
            ])
    }

    @Test("The widest column is cut cell by cell, the first of several first", arguments: 20...120)
    func cutsEvenly(width: Int) {
        let full = [9, 30, 4, 30, 17, 30]
        var columns: [TextTable.Column] = full.indices.map { .leading("c", isFlexible: $0 != 2, minimum: $0 + 1) }
        columns[3] = .trailing("c")
        var table = TextTable(columns)
        table.append(row: full.map { StyledText(String(repeating: "x", count: $0)) })
        var widths = full
        while widths.reduce(10, +) > width {
            let flexible = [0, 1, 4, 5].filter { widths[$0] > $0 + 1 }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        let rule = table.lines(fitting: width)[1].plain
        #expect(rule.split(separator: "  ").map(\.count) == widths)
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
