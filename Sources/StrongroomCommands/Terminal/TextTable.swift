/// Rows in aligned columns under a header.
///
///     var table = TextTable([.leading("Name", isFlexible: true), .trailing("Rows")])
///     table.append("accounts", "\(HumanReadable.count(60_123))")
///     console.write(table)
package struct TextTable: Sendable {
    /// A column's header, and the alignment of its cells.
    package struct Column: Sendable {
        enum Alignment: Sendable {
            case leading
            case trailing
        }

        var title: StyledText
        var alignment: Alignment
        var isFlexible: Bool
        /// The minimum width of a flexible column, if its content is as wide.
        var minimum = 1

        /// A column for text. A flexible column is truncated with `…` if the table is too wide.
        package static func leading(_ title: String, isFlexible: Bool = false, minimum: Int = 1) -> Column {
            Column(title: StyledText(title, .bold), alignment: .leading, isFlexible: isFlexible, minimum: minimum)
        }

        /// A column for numbers. A flexible column is truncated with `…` if the table is too wide.
        package static func trailing(_ title: String, isFlexible: Bool = false, minimum: Int = 1) -> Column {
            Column(title: StyledText(title, .bold), alignment: .trailing, isFlexible: isFlexible, minimum: minimum)
        }
    }

    private static let gap = "  "

    private let columns: [Column]
    private var rows: [[StyledText]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row. Missing cells are empty.
    ///
    /// - Precondition: There are no more cells than columns.
    package mutating func append(_ cells: StyledText...) {
        append(row: cells)
    }

    /// Adds a row. Missing cells are empty.
    ///
    /// - Precondition: There are no more cells than columns.
    package mutating func append(row cells: [StyledText]) {
        precondition(cells.count <= columns.count, "A row has more cells than the table has columns.")
        rows.append(cells + Array(repeating: "", count: columns.count - cells.count))
    }

    /// The header, the rule and the rows, one line each and without trailing whitespace.
    ///
    /// - Parameter limit: The maximum width in cells, or nil for no limit. The widest flexible column is truncated
    ///   first, down to its minimum; lines may still be wider then.
    package func lines(fitting limit: Int?) -> [StyledText] {
        let layout = layout(fitting: limit)
        return layout.header + rows.map { layout.line($0) }
    }

    /// The columns with the widths that the rows so far need, for further rows.
    ///
    /// - Parameter limit: As for ``lines(fitting:)``.
    /// - Parameter isOpen: Whether further rows may be wider: the flexible columns get what is left of the width.
    func layout(fitting limit: Int?, isOpen: Bool = false) -> Layout {
        var widths = widths(fitting: limit)
        let flexible = columns.indices.filter { columns[$0].isFlexible }
        if isOpen, let limit, !flexible.isEmpty {
            let rest = max(0, limit - widths.reduce(gaps, +))
            for (index, column) in flexible.enumerated() {
                widths[column] += rest / flexible.count + (index < rest % flexible.count ? 1 : 0)
            }
        }
        return Layout(columns: columns, widths: widths, truncates: limit != nil)
    }

    /// Whether the lines can be truncated to a width.
    package func fits(_ limit: Int) -> Bool {
        widths(fitting: limit).reduce(gaps, +) <= limit
    }

    private var gaps: Int { Self.gap.count * max(0, columns.count - 1) }

    /// The widths at which the widest flexible columns have been truncated to one width; where that leaves space, the
    /// last ones of them are wider by one cell.
    private func widths(fitting limit: Int?) -> [Int] {
        let full = columns.indices.map { column in
            rows.reduce(columns[column].title.width) { max($0, $1[column].width) }
        }
        guard let limit, full.reduce(gaps, +) > limit else { return full }
        func truncated(to most: Int) -> [Int] {
            columns.indices.map { columns[$0].isFlexible ? min(full[$0], max(most, columns[$0].minimum)) : full[$0] }
        }
        var (most, sufficient) = (0, full.max() ?? 0)
        while most < sufficient {
            let middle = (most + sufficient) / 2
            if truncated(to: middle).reduce(gaps, +) < limit { most = middle + 1 } else { sufficient = middle }
        }
        var widths = truncated(to: most)
        var excess = widths.reduce(gaps, +) - limit
        for column in columns.indices where excess > 0 && columns[column].isFlexible {
            guard widths[column] == most, most > columns[column].minimum else { continue }
            widths[column] -= 1
            excess -= 1
        }
        return widths
    }
}

extension TextTable {
    /// The widths of the columns.
    struct Layout {
        fileprivate let columns: [Column]
        fileprivate let widths: [Int]
        /// Whether cells are truncated that are wider than their column.
        fileprivate let truncates: Bool

        /// The titles and the rule below them.
        var header: [StyledText] {
            let rule = widths.map { StyledText(String(repeating: "─", count: $0), .dim) }
            return [line(columns.map(\.title)), line(rule)]
        }

        /// A row as one line.
        ///
        /// - Parameters:
        ///   - cells: As many as there are columns.
        ///   - isWhole: Whether a cell is never truncated, by its index.
        func line(_ cells: [StyledText], isWhole: (Int) -> Bool = { _ in false }) -> StyledText {
            var line = StyledText("")
            for (index, width) in widths.enumerated() {
                let column = columns[index]
                let isTruncated = truncates && !isWhole(index)
                let text = isTruncated ? cells[index].truncated(to: max(width, column.minimum)) : cells[index]
                let padding = StyledText(String(repeating: " ", count: max(0, width - text.width)))
                line.append(StyledText(index == 0 ? "" : TextTable.gap))
                switch column.alignment {
                case .leading:
                    line.append(text)
                    line.append(padding)
                case .trailing:
                    line.append(padding)
                    line.append(text)
                }
            }
            return line.trimmingEnd()
        }
    }
}
