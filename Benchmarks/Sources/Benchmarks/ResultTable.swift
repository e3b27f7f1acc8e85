import Foundation

/// The results as aligned text.
struct ResultTable {
    private struct Column: Sendable {
        let title: String
        let isNumber: Bool
        let cell: @Sendable (Result) -> String
    }

    private static let columns = [
        Column(title: "measure", isNumber: false) { $0.measure },
        Column(title: "engine", isNumber: false) { $0.engine },
        Column(title: "rival", isNumber: false) { $0.rival },
        Column(title: "ours", isNumber: true) { amount($0.ours) },
        Column(title: "theirs", isNumber: true) { amount($0.theirs) },
        Column(title: "unit", isNumber: false) { $0.unit },
        Column(title: "ratio", isNumber: true) { ratio($0.ratio) },
        Column(title: "low–high", isNumber: false) { "\(ratio($0.low))–\(ratio($0.high))" },
        Column(title: "target", isNumber: false) { result in
            "≥ \(ratio(result.target)) \(result.ratio >= result.target ? "reached" : "MISSED")"
        },
    ]

    let text: String

    init(_ results: [Result]) {
        let rows = [Self.columns.map(\.title)] + results.map { result in Self.columns.map { $0.cell(result) } }
        let widths = Self.columns.indices.map { place in rows.map { $0[place].count }.max() ?? 0 }
        let lines = rows.map { row in
            Self.columns.indices
                .map { Self.pad(row[$0], to: widths[$0], isNumber: Self.columns[$0].isNumber) }
                .joined(separator: "  ")
                .trimmingCharacters(in: .whitespaces)
        }
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
        text = ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
    }

    private static func pad(_ cell: String, to width: Int, isNumber: Bool) -> String {
        let blanks = String(repeating: " ", count: width - cell.count)
        return isNumber ? blanks + cell : cell + blanks
    }

    private static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }

    /// Large amounts without decimals and with a comma between thousands.
    private static func amount(_ value: Double) -> String {
        guard value >= 1000 else { return String(format: "%.2f", value) }
        var digits = String(format: "%.0f", value)
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        }
        return digits
    }
}
