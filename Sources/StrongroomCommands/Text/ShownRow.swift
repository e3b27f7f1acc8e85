import Strongroom

/// How the values of a query's rows are shown: the scaled decimals of a table as digits.
struct ShownRow {
    private let isCompound: Bool

    /// - Parameter sql: The query. Of one that puts the rows of several together, the engine names the first one's
    ///   columns only, whose scale need not be that of the others: it shows what is stored.
    init(_ sql: String) {
        isCompound = [SQLToken](sql: sql).contains { $0.isWord("UNION", "INTERSECT", "EXCEPT") }
    }

    func value(_ row: borrowing Row, at place: Int) throws -> Value {
        try isCompound ? row.value(at: place) : row.valueInDigits(at: place)
    }
}
