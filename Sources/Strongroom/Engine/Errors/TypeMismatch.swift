/// A stored value that does not fit the type that was asked for: where it lies, what it is, what was wanted.
///
/// ```swift
/// catch let error as StrongroomError where error.code == .typeMismatch {
///     print(error.mismatch?.column ?? "", error.mismatch?.rowID ?? 0)
/// }
/// ```
public struct TypeMismatch: Sendable, Equatable {
    /// The table, where a table's operation or query met the value.
    public var table: String?
    /// The column, as the statement names it.
    public let column: String
    /// The row's id in the engine, where it is known.
    public var rowID: Int64?
    /// What is stored: its storage class, never the value itself.
    public let found: String
    /// What the type wants.
    public let wanted: String

    var message: String {
        var place = "Column \"\(column)\""
        if let table { place += " of table \"\(table)\"" }
        if let rowID { place += ", row \(rowID)," }
        return "\(place) holds \(found) where \(wanted) was wanted; correct the row or the record's type."
    }
}

extension StrongroomError {
    static func typeMismatch(_ mismatch: TypeMismatch, sql: String?) -> StrongroomError {
        var error = StrongroomError(.typeMismatch, mismatch.message, sql: sql)
        error.mismatch = mismatch
        return error
    }

    /// This error with the table and the row added, where it is a mismatch that does not know them yet.
    @usableFromInline
    func located(in table: String, rowID: Int64?) -> StrongroomError {
        guard var mismatch, mismatch.table == nil else { return self }
        mismatch.table = table
        mismatch.rowID = rowID
        var error = StrongroomError.typeMismatch(mismatch, sql: sql)
        error.database = database
        return error
    }
}
