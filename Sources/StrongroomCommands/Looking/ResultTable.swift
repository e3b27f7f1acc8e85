package import Strongroom

/// The first rows of a result as a table.
package struct ResultTable: Sendable {
    /// The columns' names.
    package let names: [String]
    /// The rows that are kept.
    package private(set) var rows: [[Value]] = []
    /// Whether there were more.
    package private(set) var isCut = false

    private let limit: Int

    package init(_ names: [String], limit: Int) {
        self.names = names
        self.limit = limit
    }

    /// Adds a row.
    ///
    /// - Returns: False when there is no room for more.
    mutating func append(_ row: borrowing Row) throws -> Bool {
        guard rows.count < limit else {
            isCut = true
            return false
        }
        var values: [Value] = []
        for place in names.indices { values.append(try row.value(at: place)) }
        rows.append(values)
        return true
    }

    /// The rows in aligned columns: those of numbers to the right.
    package var table: TextTable {
        let columns = names.indices.map { place in
            isNumeric(place)
                ? TextTable.Column.trailing(names[place])
                : .leading(names[place], isFlexible: true)
        }
        var table = TextTable(columns)
        for row in rows { table.append(row: row.map(ValueCell.text)) }
        return table
    }

    private func isNumeric(_ place: Int) -> Bool {
        var hasNumber = false
        for row in rows {
            switch row[place] {
            case .integer, .real: hasNumber = true
            case .null: continue
            case .text, .blob: return false
            }
        }
        return hasNumber
    }
}
