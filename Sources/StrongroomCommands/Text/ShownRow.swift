import Strongroom

/// The display of a query's rows: scaled decimals of a table are shown as digits.
struct ShownRow {
    private let isCompound: Bool

    /// - Parameter sql: The query. For a compound query, the engine only reports the columns of the first SELECT, whose
    ///   scale need not be that of the others: stored values are displayed.
    init(_ sql: String) {
        isCompound = [SQLToken](sql: sql).contains { $0.isWord("UNION", "INTERSECT", "EXCEPT") }
    }

    func value(_ row: borrowing Row, at index: Int) throws -> Value {
        try isCompound ? row.value(at: index) : row.valueInDigits(at: index)
    }
}
