/// A type that can be read from a row and written to one.
///
/// A record decodes and encodes its columns by their index in ``columnNames``. A record type can be stored in several
/// tables, and a table can be read as several record types.
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
    /// The columns of the record, in order.
    static var columnNames: [String] { get }

    /// Creates a record from a row.
    ///
    /// - Parameter row: The row; its columns are ``columnNames``, in that order.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if a value does not fit.
    init(row: borrowing Row) throws

    /// Sets the value of every column.
    ///
    /// - Parameter bindings: The parameters; the index is the column's index in ``columnNames``. A column that is not
    ///   set is NULL.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine cannot store.
    func encode(to bindings: borrowing Bindings) throws

    /// Updates an existing record from a row; properties that are not stored are not changed.
    ///
    /// - Parameter row: The row; its columns are ``columnNames``, in that order.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if a value does not fit.
    mutating func _update(from row: borrowing Row) throws

    /// The column of a property, for a `#Predicate` in StrongroomObjects.
    ///
    /// - Parameter property: A property of the record.
    /// - Returns: The column's name, or nil if the property is not stored.
    static func columnName(of property: PartialKeyPath<Self>) -> String?

    /// The definitions of the columns, from which `#Predicate` gets the scale of a decimal in a record that is not a
    /// table.
    static var columnDefinitions: [ColumnDefinition] { get }

    /// The columns that a table keeps by itself when a record is written: a version, and times; nil for none, which has
    /// no overhead. Declare it as a `static let` rather than a computed property.
    static var upkeep: RecordUpkeep<Self>? { get }
}

extension Record {
    /// Replaces the record by a new one from the row.
    @inlinable
    public mutating func _update(from row: borrowing Row) throws {
        self = try Self(row: row)
    }

    /// None.
    @inlinable public static var upkeep: RecordUpkeep<Self>? { nil }

    /// Empty: no column is declared.
    public static var columnDefinitions: [ColumnDefinition] { [] }

    /// Nil for all properties.
    public static func columnName(of property: PartialKeyPath<Self>) -> String? { nil }
}
