/// The numbers of each kind, for people.
struct TallyTable {
    private static let header = [
        "kind", "rounds", "kills", "acknowledged rows", "torn ends", "lost", "wrong", "silent", "hung", "broken",
    ]
    private var lines = [Self.header]

    mutating func append(_ name: String, _ tally: Tally) {
        let numbers =
            [tally.rounds, tally.kills, tally.acknowledgedRows, tally.tornEnds]
            + Problem.Category.allCases.map(tally.count) + [tally.broken]
        lines.append([name] + numbers.map(String.init))
    }

    var text: String {
        let widths = Self.header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).enumerated().map { index, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
