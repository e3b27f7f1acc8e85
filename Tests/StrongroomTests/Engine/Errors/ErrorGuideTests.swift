import Foundation
import Strongroom
import Testing

/// The guide is read by whoever meets an error: it must have them all, and none that is gone.
struct ErrorGuideTests {
    private struct Row {
        let code, family, happened, advice, again: String

        /// - Parameter line: A line of the guide; nil results for one that is no row of a code.
        init?(_ line: Substring, in family: String) {
            let cells = line.split(separator: " | ", omittingEmptySubsequences: false)
            guard line.hasPrefix("| `"), line.hasSuffix(" |"), cells.count == 4 else { return nil }
            code = String(cells[0].filter { $0.isLetter })
            (happened, advice, again) = (String(cells[1]), String(cells[2]), String(cells[3].dropLast(2)))
            self.family = family
        }
    }

    private static let lines: Result<[Substring], any Error> = Result {
        let path = "Sources/Strongroom/Strongroom.docc/ErrorsAndWhatToDo.md"
        return try String(contentsOf: ThrownCodes.root.appending(path: path), encoding: .utf8).split(separator: "\n")
    }

    private func rows() throws -> [Row] {
        var family = ""
        return try Self.lines.get().compactMap { line in
            if line.hasPrefix("### ") { family = line.split(separator: "`").dropFirst().first.map { String($0) } ?? "" }
            return Row(line, in: family)
        }
    }

    @Test func `each code has one row, in the table of its family`() throws {
        let codes = StrongroomError.Code.all
        #expect(Set(codes).count > 40)
        let rows = try rows().map { "\($0.family) \($0.code)" }
        #expect(rows.sorted() == codes.map { "\($0.family.rawValue) \($0)" }.sorted())
        #expect(rows.count == (try Self.lines.get().count { $0.hasPrefix("| `") }))
    }

    @Test func `each row has what happened, what to do, and whether trying again helps`() throws {
        let codes = Dictionary(uniqueKeysWithValues: StrongroomError.Code.all.map { ("\($0)", $0) })
        for row in try rows() {
            #expect(!row.happened.isEmpty && !row.advice.isEmpty, "\(row.code)")
            let (yes, no) = (row.again.hasPrefix("yes"), row.again.hasPrefix("no"))
            #expect(yes != no && yes == codes[row.code]?.canRetry, "\(row.code): \(row.again)")
        }
    }

    @Test func `there are ten families, and each has codes`() {
        #expect(StrongroomError.Family.allCases.count == 10)
        #expect(Set(StrongroomError.Code.all.map(\.family)) == Set(StrongroomError.Family.allCases))
    }
}
