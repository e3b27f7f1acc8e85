/// A type that a row can be read into and written from.
///
/// A record reads and writes its columns by their place in ``columnNames``. One record type can be stored in many tables, and
/// one table read as many record types.
///
/// ```swift
/// struct NameCard: Record {
///     var name: String
///     var phone: String?
///
///     static let columnNames = ["name", "phone"]
///     init(row: borrowing Row) throws {
///         name = try row[0]
///         phone = try row[1]
///     }
///     func encode(to bindings: borrowing Bindings) throws {
///         try bindings.set(name, at: 0)
///         try bindings.set(phone, at: 1)
///     }
/// }
/// ```
public protocol Record: Sendable {
    /// The columns that the record reads and writes, in the order of their places.
    static var columnNames: [String] { get }

    /// Reads a record from a row.
    ///
    /// - Parameter row: The row; its columns are ``columnNames``, in that order.
    /// - Throws: ``StrongroomError`` with `typeMismatch` when a value does not fit.
    init(row: borrowing Row) throws

    /// Sets the value of every column.
    ///
    /// - Parameter bindings: The parameters; a column's place in ``columnNames`` is its index. One that is not set is NULL.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine has not.
    func encode(to bindings: borrowing Bindings) throws
}
