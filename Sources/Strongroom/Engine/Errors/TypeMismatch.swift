/// A stored value that does not match the requested type: its location, its storage class and the expected type.
///
/// ```swift
/// catch let error as StrongroomError where error.code == .typeMismatch {
///     print(error.mismatch?.column ?? "", error.mismatch?.rowID ?? 0)
/// }
/// ```
public struct TypeMismatch: Sendable, Equatable {
    /// The table, if a table's operation or query read the value.
    public var table: String?
    /// The function in Swift, if the value is an argument of one.
    public internal(set) var function: String?
    /// The column, as the statement names it; for an argument of a function, its position from 1 on.
    public let column: String
    /// The row id, if it is known.
    public var rowID: Int64?
    /// The storage class or the spelling of the stored value, never the value itself.
    public let found: String
    /// The expected type.
    public let wanted: String
    /// Whether the value is one of the type, in another spelling than its column has.
    var isOtherSpelling = false
    /// What in the value does not fit, for a value in a form of its own such as JSON; not the value.
    var reason: String?

    init(column: String, found: String, wanted: String, reason: String? = nil, isOtherSpelling: Bool = false) {
        (self.column, self.found, self.wanted, self.reason) = (column, found, wanted, reason)
        self.isOtherSpelling = isOtherSpelling
    }

    private var expectation: String {
        let expected = "\(wanted) \(wanted == "bytes" ? "are" : "is") expected"
        return reason.map { "\(expected): \($0)" } ?? expected
    }

    var message: String {
        if let function {
            return """
                Argument \(column) of the function "\(function)" is \(found) where \(expectation); correct the row or \
                the function's type.
                """
        }
        var location = "Column \"\(column)\""
        if let table { location += " of table \"\(table)\"" }
        if let rowID { location += ", row \(rowID)," }
        if isOtherSpelling {
            return """
                \(location) contains \(found) where \(wanted) is expected: the engine compares what is stored, so \
                that a column has one spelling. Rewrite the table with `db.convertSpellings(of:)` in a migration.
                """
        }
        return "\(location) contains \(found) where \(expectation); correct the row or the record's type."
    }
}

extension StrongroomError {
    static func typeMismatch(_ mismatch: TypeMismatch, sql: String?) -> StrongroomError {
        var error = StrongroomError(.typeMismatch, mismatch.message, sql: sql)
        error.mismatch = mismatch
        return error
    }

    /// Adds the table and the row to a mismatch error that does not have them yet.
    @usableFromInline
    func located(in table: String, rowID: Int64?) -> StrongroomError {
        guard var mismatch, mismatch.table == nil, mismatch.function == nil else { return self }
        mismatch.table = table
        mismatch.rowID = rowID
        var error = StrongroomError.typeMismatch(mismatch, sql: sql)
        error.database = database
        return error
    }
}
