import Strongroom

/// A result as a table: the first rows determine the widths of the columns, and those after them are printed as they
/// come, so that memory usage does not depend on the number of rows.
struct ResultTable {
    /// The number of rows so far.
    private(set) var count = 0
    /// Whether there were more rows than the limit.
    private(set) var isCut = false

    private let names: [String]
    private let limit: Int
    /// The width of the terminal; nil if there is none.
    private let width: Int?
    private let write: ([StyledText]) throws -> Void
    private var shown: ShownRow
    /// The first rows, until the form is known.
    private var rows: [[SQLValue]] = []
    private var form: Form?
    private var lines: [StyledText] = []

    /// The display of the rows.
    private enum Form {
        case aligned(TextTable.Layout)
        /// On a terminal that is too narrow for a table: the values one below the other, after titles of equal width.
        case listed([StyledText])
    }

    /// The number of rows that determine the widths.
    private static let measured = 1_000
    /// The number of rows after these that are printed together.
    private static let portion = 256
    /// The minimum width of a text column.
    private static let narrowestText = 8

    /// - Parameters:
    ///   - sql: The query of the rows.
    ///   - limit: The maximum number of rows.
    ///   - width: The width of the terminal, in cells; nil for an output that is not a terminal.
    ///   - write: Called with complete lines.
    init(
        _ names: [String], of sql: String, limit: Int, width: Int?, write: @escaping ([StyledText]) throws -> Void
    ) {
        self.names = names
        self.limit = limit
        self.width = width
        self.write = write
        shown = ShownRow(sql)
    }

    /// Adds a row.
    ///
    /// - Returns: False if the limit is reached.
    /// - Throws: Errors of the row or of the output.
    mutating func append(_ row: borrowing Row) throws -> Bool {
        guard count < limit else {
            isCut = true
            return false
        }
        count += 1
        shown.begin(row)
        var values: [SQLValue] = []
        values.reserveCapacity(names.count)
        for index in names.indices { values.append(try shown.value(row, at: index)) }
        if let form {
            add(values, count, form)
            if lines.count >= Self.portion { try flush() }
        } else {
            rows.append(values)
            if rows.count == Self.measured { try begin(isOpen: true) }
        }
        return true
    }

    /// Prints what is left, or the header of a result without rows.
    ///
    /// - Throws: Errors of the output.
    mutating func finish() throws {
        if form == nil { try begin(isOpen: false) }
        try flush()
    }

    /// - Parameter isOpen: Whether there may be further rows.
    private mutating func begin(isOpen: Bool) throws {
        let (table, rows) = (measuredTable, rows)
        let form = width.map { rows.isEmpty || table.fits($0) } ?? true ? aligned(table, isOpen) : listed
        self.form = form
        self.rows = []
        for (index, values) in rows.enumerated() { add(values, index + 1, form) }
        try flush()
    }

    private mutating func flush() throws {
        defer { lines.removeAll(keepingCapacity: true) }
        if !lines.isEmpty { try write(lines) }
    }

    private mutating func aligned(_ table: TextTable, _ isOpen: Bool) -> Form {
        let layout = table.layout(fitting: width, isOpen: isOpen)
        lines += layout.header
        return .aligned(layout)
    }

    private var listed: Form {
        let titles = names.map { StyledText($0, .bold) }
        let widest = titles.reduce(0) { max($0, $1.width) }
        return .listed(titles.map { "\($0)\(String(repeating: " ", count: widest - $0.width))" })
    }

    private mutating func add(_ values: [SQLValue], _ number: Int, _ form: Form) {
        switch form {
        case .aligned(let layout):
            // No digit of a number may be missing.
            lines.append(layout.line(values.map(ValueCell.text)) { Self.isNumber(values[$0]) })
        case .listed(let titles):
            lines.append("\("row \(number)", .dim)")
            for (title, value) in zip(titles, values) {
                let line: StyledText = "\(title)  \(ValueCell.text(value))"
                lines.append(width.map { line.truncated(to: $0) } ?? line)
            }
        }
    }

    /// The first rows in aligned columns; numeric columns are right-aligned.
    private var measuredTable: TextTable {
        let columns = names.indices.map { index in
            isNumeric(index)
                ? TextTable.Column.trailing(names[index], minimum: Self.narrowestText)
                : .leading(names[index], isFlexible: true, minimum: Self.narrowestText)
        }
        var table = TextTable(columns)
        for row in rows { table.append(row: row.map(ValueCell.text)) }
        return table
    }

    private static func isNumber(_ value: SQLValue) -> Bool {
        switch value {
        case .integer, .real: true
        case .null, .text, .blob: false
        }
    }

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
