import Strongroom

/// The display of a query's rows: scaled decimals of a table are shown as digits.
struct ShownRow {
    private let isCompound: Bool
    /// Whether each column is shown as digits; nil before the first row.
    private var isInDigits: [Bool]?

    /// - Parameter sql: The query. For a compound query, the engine only reports the columns of the first SELECT, whose
    ///   scale need not be that of the others: stored values are displayed.
    init(_ sql: String) {
        isCompound = [SQLToken](sql: sql).contains { $0.isWord("UNION", "INTERSECT", "EXCEPT") }
    }

    /// Reads the columns of the first row, which are those of all rows; to be called for each row.
    mutating func begin(_ row: borrowing Row) {
        guard isInDigits == nil else { return }
        var inDigits: [Bool] = []
        for index in 0..<row.count { inDigits.append(!isCompound && row.isScaled(at: index)) }
        isInDigits = inDigits
    }

    /// Whether the column's integers are shown as decimals.
    func isInDigits(_ index: Int) -> Bool {
        isInDigits?[index] ?? !isCompound
    }

    func value(_ row: borrowing Row, at index: Int) throws -> SQLValue {
        try isInDigits(index) ? row.valueInDigits(at: index) : row.value(at: index)
    }
}
