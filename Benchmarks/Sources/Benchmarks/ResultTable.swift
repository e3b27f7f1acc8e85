import Foundation

/// The results as aligned text.
struct ResultTable {
    private struct Column: Sendable {
        let title: String
        let isNumber: Bool
        let cell: @Sendable (Result) -> String
    }

    private static let ownColumns = [
        Column(title: "measure", isNumber: false) { $0.measure },
        Column(title: "engine", isNumber: false) { $0.engine },
        Column(title: "unit", isNumber: false) { $0.unit },
        Column(title: "ours", isNumber: true) { amount($0.ours) },
    ]

    private static let limitColumn = Column(title: "limit", isNumber: false) { result in
        result.limit.map { limit in "≤ \(ratio(limit)) \(result.ours <= limit ? "reached" : "MISSED")" } ?? ""
    }

    private static let machineColumn = Column(title: "machine's limit", isNumber: true) { result in
        result.machineLimit.map(ratio) ?? ""
    }

    /// Empty for a measure that a rival has no part in.
    private static func columns(
        _ title: String,
        _ comparison: @escaping @Sendable (Result) -> Comparison?
    ) -> [Column] {
        [
            Column(title: title, isNumber: true) { result in comparison(result).map { amount($0.theirs) } ?? "" },
            Column(title: "ratio", isNumber: true) { result in comparison(result).map { ratio($0.ratio) } ?? "" },
            Column(title: "low–high", isNumber: false) { result in
                comparison(result).map { "\(ratio($0.low))–\(ratio($0.high))" } ?? ""
            },
            Column(title: "target", isNumber: false) { result in
                comparison(result).map(outcome) ?? ""
            },
        ]
    }

    let text: String

    init(_ results: [Result]) {
        var columns = Self.ownColumns + [Column(title: "rival", isNumber: false) { $0.rival?.rival ?? "" }]
        columns += Self.columns("theirs") { $0.rival }
        if results.contains(where: { $0.machineLimit != nil }) { columns.append(Self.machineColumn) }
        if results.contains(where: { $0.grdb != nil }) { columns += Self.columns("GRDB") { $0.grdb } }
        if results.contains(where: { $0.grdbByHand != nil }) {
            columns += Self.columns("GRDB, by hand") { $0.grdbByHand }
        }
        if results.contains(where: { $0.limit != nil }) { columns.append(Self.limitColumn) }
        let rows = [columns.map(\.title)] + results.map { result in columns.map { $0.cell(result) } }
        let widths = columns.indices.map { index in rows.map { $0[index].count }.max() ?? 0 }
        let lines = rows.map { row in
            columns.indices
                .map { Self.pad(row[$0], to: widths[$0], isNumber: columns[$0].isNumber) }
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

    private static func outcome(_ comparison: Comparison) -> String {
        comparison.target.map { "≥ \(ratio($0)) \(comparison.ratio >= $0 ? "reached" : "MISSED")" } ?? ""
    }

    /// Large amounts without decimals and with a comma between thousands.
    private static func amount(_ value: Double) -> String {
        guard value >= 1000 else { return String(format: "%.2f", value) }
        var digits = String(format: "%.0f", value)
        for index in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
        }
        return digits
    }
}
