/// A table: its schema, its typed columns, and the record that is stored in it.
///
/// A struct is usually both table and record:
///
/// ```swift
/// struct Contact: Table, Record {
///     var id: Int64?
///     var name: String
///     var email: String
///
///     struct Columns: Sendable {
///         let id = Column<Int64?>("id", primaryKey: true)
///         let name = Column<String>("name")
///         let email = Column<String>("email", unique: true)
///     }
///     static let columns = Columns()
///     static let schema = TableSchema("contact", columns.id, columns.name, columns.email)
///
///     static func key(of contact: Contact) -> Int64? { contact.id }
///     static func setKey(_ key: Int64, of contact: inout Contact) { contact.id = key }
///
///     init(row: borrowing Row) throws {
///         id = try row[0]
///         name = try row[1]
///         email = try row[2]
///     }
///     func encode(to bindings: borrowing Bindings) throws {
///         try bindings.set(id, at: 0)
///         try bindings.set(name, at: 1)
///         try bindings.set(email, at: 2)
///     }
/// }
/// ```
public protocol Table<RecordType>: Sendable {
    /// The record that is stored in the table.
    associatedtype RecordType: Record = Self
    /// The typed columns, of which conditions are made.
    associatedtype Columns: Sendable
    /// The type of the primary key.
    associatedtype Key: TableKey

    /// The typed columns.
    static var columns: Columns { get }

    /// The table's name, columns and indexes.
    static var schema: TableSchema { get }

    /// The table's indexes; `@Table` makes them part of the ``schema``.
    static var indexes: [TableIndex] { get }

    /// The name of the database that the table lies in, for those who look a store up by it; nil where it lies in
    /// several.
    static var databaseName: String? { get }

    /// The primary key of a record, or nil when it has none yet.
    static func key(of record: RecordType) -> Key?

    /// Writes the primary key that an insert gave into the record.
    static func setKey(_ key: Key, of record: inout RecordType)

    /// Called before a record is inserted; throw to refuse it. It only judges: nothing tells whether the insert then
    /// succeeds.
    ///
    /// - Throws: Whatever tells your program why.
    static func validateInsert(_ record: RecordType) throws

    /// Called before a record is written into a row; throw to refuse it. An update of single columns has no record to
    /// ask about.
    ///
    /// - Throws: Whatever tells your program why.
    static func validateUpdate(_ record: RecordType) throws

    /// What is done besides when a record is saved or deleted; nil, which costs nothing, for none. Better a
    /// `static let` than a computed one.
    static var hooks: RecordHooks<RecordType>? { get }

    /// How the records belong together with those of other tables; nil for not at all. Better a `static let` than a
    /// computed one.
    static var relations: Relations<RecordType>? { get }
}

extension Table {
    /// None.
    public static var indexes: [TableIndex] { [] }

    /// Nil: the table lies in any database.
    @inlinable public static var databaseName: String? { nil }

    /// Accepts every record.
    @inlinable public static func validateInsert(_ record: RecordType) throws {}

    /// Accepts every record.
    @inlinable public static func validateUpdate(_ record: RecordType) throws {}

    /// None.
    @inlinable public static var hooks: RecordHooks<RecordType>? { nil }

    /// None.
    @inlinable public static var relations: Relations<RecordType>? { nil }
}

extension Record where Self: Table {
    /// The table's columns.
    public static var columnNames: [String] { schema.columns.map(\.name) }
}
