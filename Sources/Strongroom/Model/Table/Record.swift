/// A type that a row can be read into and written from.
///
/// A record reads and writes its columns by their place in ``columnNames``. One record type can be stored in many
/// tables, and one table read as many record types.
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
    /// - Parameter bindings: The parameters; a column's place in ``columnNames`` is its index. One that is not set is
    ///   NULL.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine has not.
    func encode(to bindings: borrowing Bindings) throws

    /// Reads the columns of a row into a record that is there; what the table does not hold stays as it is.
    ///
    /// - Parameter row: The row; its columns are ``columnNames``, in that order.
    /// - Throws: ``StrongroomError`` with `typeMismatch` when a value does not fit.
    mutating func update(from row: borrowing Row) throws

    /// The column that a property is stored in, by which `#Predicate` finds it.
    ///
    /// - Parameter property: A property of the record.
    /// - Returns: The column's name, or nil when the property is not stored.
    static func columnName(of property: PartialKeyPath<Self>) -> String?

    /// What the columns are, by which `#Predicate` knows the scale of a decimal in a record that is no table's own.
    static var columnDefinitions: [ColumnDefinition] { get }
}

extension Record {
    /// Reads a new record from the row.
    @inlinable
    public mutating func update(from row: borrowing Row) throws {
        self = try Self(row: row)
    }

    /// None: no column is declared.
    public static var columnDefinitions: [ColumnDefinition] { [] }

    /// Nil: no property is known.
    public static func columnName(of property: PartialKeyPath<Self>) -> String? { nil }
}
