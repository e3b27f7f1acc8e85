package import Strongroom

/// The first rows of a result as a table.
package struct ResultTable: Sendable {
    /// The columns' names.
    package let names: [String]
    /// The rows that are stored.
    package private(set) var rows: [[Value]] = []
    /// Whether there were more rows.
    package private(set) var isCut = false

    private let limit: Int
    private let shown: ShownRow

    package init(_ names: [String], of sql: String, limit: Int) {
        self.names = names
        shown = ShownRow(sql)
        self.limit = limit
    }

    /// Adds a row.
    ///
    /// - Returns: False if the limit is reached.
    mutating func append(_ row: borrowing Row) throws -> Bool {
        guard rows.count < limit else {
            isCut = true
            return false
        }
        var values: [Value] = []
        for index in names.indices { values.append(try shown.value(row, at: index)) }
        rows.append(values)
        return true
    }

    /// The rows in aligned columns; numeric columns are right-aligned.
    package var table: TextTable {
        let columns = names.indices.map { index in
            isNumeric(index)
                ? TextTable.Column.trailing(names[index])
                : .leading(names[index], isFlexible: true, minimum: Self.narrowestText)
        }
        var table = TextTable(columns)
        for row in rows { table.append(row: row.map(ValueCell.text)) }
        return table
    }

    /// Prints the rows: as a table, or, on a terminal that is too narrow for it, one below the other.
    package func show(on console: Console) {
        let (table, stream) = (table, console[.output])
        guard stream.isTerminal, !rows.isEmpty, !table.fits(stream.width) else { return console.write(table) }
        let titles = names.map { StyledText($0, .bold) }
        let widest = titles.reduce(0) { max($0, $1.width) }
        for (number, row) in rows.enumerated() {
            console.write("\("row \(number + 1)", .dim)")
            for (title, value) in zip(titles, row) {
                let padding = String(repeating: " ", count: widest - title.width)
                let line: StyledText = "\(title)\(padding)  \(ValueCell.text(value))"
                console.write(line.truncated(to: stream.width))
            }
        }
    }

    /// The minimum width of a text column.
    private static let narrowestText = 8

    private func isNumeric(_ index: Int) -> Bool {
        var hasNumber = false
        for row in rows {
            switch row[index] {
            case .integer, .real: hasNumber = true
            case .null: continue
            case .text, .blob: return false
            }
        }
        return hasNumber
    }
}
