import Foundation

/// What became of the files, by kind of work and beginning.
struct OutcomeTable: Sendable {
    struct Line: Sendable {
        let work: String
        let beginning: String
        var faults = 0
        var before = 0
        var between = 0
        var after = 0
        var lost = 0
        var damaged = 0

        /// Prints the line at once: in the full form the table is long in coming.
        func tell() {
            print(cells.joined(separator: "  "))
            fflush(nil)
        }

        fileprivate var cells: [String] {
            [work, beginning] + [faults, before, between, after, lost, damaged].map { "\($0)" }
        }
    }

    private(set) var lines: [Line] = []

    mutating func add(_ line: Line) { lines.append(line) }

    var lost: Int { lines.reduce(0) { $0 + $1.lost } }
    var damaged: Int { lines.reduce(0) { $0 + $1.damaged } }
    var faults: Int { lines.reduce(0) { $0 + $1.faults } }

    /// The table, with a line of sums.
    func text(_ title: String, faults name: String) -> String {
        var sum = Line(work: "all", beginning: "")
        for line in lines {
            sum.faults += line.faults
            sum.before += line.before
            sum.between += line.between
            sum.after += line.after
            sum.lost += line.lost
            sum.damaged += line.damaged
        }
        let head = ["work", "begins with", name, "opened before", "between", "opened after", "lost", "damaged"]
        let rows = [head] + (lines + [sum]).map(\.cells)
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let body = rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column < 2 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }
        return ([title] + body).joined(separator: "\n")
    }
}
