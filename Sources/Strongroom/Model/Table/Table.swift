/// A table: its schema, its typed columns, and its record type.
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
    /// The type of the table's records.
    associatedtype RecordType: Record = Self
    /// The type of the columns, from which conditions are built.
    associatedtype Columns: Sendable
    /// The type of the primary key.
    associatedtype Key: TableKey

    /// The typed columns.
    static var columns: Columns { get }

    /// The table's name, columns and indexes.
    static var schema: TableSchema { get }

    /// The table's indexes; `@Table` makes them part of the ``schema``.
    static var indexes: [TableIndex] { get }

    /// The name of the table's database, by which a store is looked up; nil if the table is in several databases.
    static var databaseName: String? { get }

    /// The primary key of a record, or nil if it has none yet.
    static func key(of record: RecordType) -> Key?

    /// Sets the primary key of a record after an insert.
    static func setKey(_ key: Key, of record: inout RecordType)

    /// Called before a record is inserted; throws to reject it. It must not have side effects: the insert may still
    /// fail.
    ///
    /// - Throws: Any error; the caller of the insert receives it.
    static func validateInsert(_ record: RecordType) throws

    /// Called before a record is written to an existing row; throws to reject it. Not called for an update of single
    /// columns, which has no record.
    ///
    /// - Throws: Any error; the caller of the update receives it.
    static func validateUpdate(_ record: RecordType) throws

    /// Hooks that run when a record is saved or deleted; nil for none, which has no overhead. Declare it as a
    /// `static let` rather than a computed property.
    static var hooks: RecordHooks<RecordType>? { get }

    /// The relations to records of other tables; nil for none. Declare it as a `static let` rather than a computed
    /// property.
    static var relations: Relations<RecordType>? { get }
}

extension Table {
    /// None.
    public static var indexes: [TableIndex] { [] }

    /// Nil: the table may be in any database.
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
