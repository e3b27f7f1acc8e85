#if Macros
/// Makes a struct a table and its record.
///
/// Every stored property becomes a column with the property's name;
/// ``Column(_:scale:primaryKey:autoincrement:unique:indexed:references:check:collation:generated:previously:as:)`` says
/// more about one, and ``Ignored()`` leaves one out. The primary key are the properties that are marked
/// `@Column(primaryKey: true)`, or else the one that is named `id`:
///
/// - an `Int64?` or `Int?` is made by the engine, and an insert fills it in;
/// - any other key, such as a `String`, is given by the program;
/// - several marked properties are one key; its type is the nested struct `Key`.
///
/// ```swift
/// @Table("contact", in: "addressbook.sqlite")
/// struct Contact {
///     var id: Int64?
///     var name: String
///     @Column(unique: true) var email: String
///     @Ignored var isSelected = false
///
///     static var indexes: [TableIndex] { [TableIndex(on: columns.name)] }
/// }
/// ```
///
/// The members are made in an extension, so that the struct keeps its memberwise initialiser; they are as visible as
/// the struct.
///
/// - Parameters:
///   - name: The table's name: a string literal, not empty, and not beginning with `sqlite_`, which is the engine's
///     own.
///   - database: The name of the database that the table lies in, such as `addressbook.sqlite`; nil where it lies in
///     several.
@attached(
    extension, conformances: Table, Record,
    names: named(Columns), named(columns), named(schema), named(databaseName), named(columnNames),
    named(columnDefinitions), named(Key), named(key), named(setKey), named(init), named(encode), named(update),
    named(columnName)
)
public macro Table(_ name: String, in database: String? = nil) =
    #externalMacro(module: "StrongroomMacros", type: "TableMacro")

/// Makes a type a further table for the records of another type.
///
/// ```swift
/// @Table("archive", of: Contact.self)
/// enum ArchivedContact {}
///
/// try ArchivedContact.insert(contact, in: db)
/// ```
///
/// - Parameters:
///   - name: The table's name: a string literal, not empty, and not beginning with `sqlite_`, which is the engine's
///     own.
///   - record: The record's type, which another macro of Strongroom has made a record with a primary key.
///   - database: The name of the database that the table lies in; nil where it lies in several.
@attached(
    extension, conformances: Table,
    names: named(RecordType), named(Columns), named(Key), named(columns), named(schema), named(databaseName),
    named(key), named(setKey)
)
public macro Table<R: Record>(_ name: String, of record: R.Type, in database: String? = nil) =
    #externalMacro(module: "StrongroomMacros", type: "TableMacro")

/// Makes a struct a record: what one or more tables store, or what a query reads some columns into.
///
/// ```swift
/// @Record
/// struct NameCard {
///     var name: String
///     var phone: String?
/// }
///
/// let cards = try Contact.fetch(as: NameCard.self, in: db)
/// ```
@attached(
    extension, conformances: Record,
    names: named(Columns), named(columns), named(columnNames), named(columnDefinitions), named(Key), named(key),
    named(setKey), named(init), named(encode), named(update), named(columnName)
)
public macro Record() = #externalMacro(module: "StrongroomMacros", type: "RecordMacro")

/// Says how a property of a ``Table(_:in:)`` or a ``Record()`` is stored.
///
/// The arguments are those of ``Column``, and are copied there.
///
/// ```swift
/// @Column("e-mail", unique: true, collation: .noCase) var email: String
/// @Column(references: Reference("person", onDelete: .cascade)) var author: Int64
/// @Column(as: .json) var settings: Settings
/// @Column(scale: 2) var price: Decimal
/// ```
///
/// - Parameters:
///   - name: The column's name, a string literal; nil for the property's name.
///   - scale: For a `Decimal`: the number of digits after the point, a literal from 0 to 18. The column stores scaled
///     integers, which the engine sums exactly; see <doc:Types>.
///   - primaryKey: Whether it is the primary key or a part of it; `true` or `false`.
///   - autoincrement: Whether the engine never gives a key twice; only for an integer that is the whole key.
///   - unique: Whether no two rows may have the same value.
///   - indexed: Whether the column has an index of its own.
///   - reference: The row of another table that the value points to.
///   - check: What must hold for each row.
///   - collation: How texts are compared.
///   - generated: What the engine computes the column from; such a column is read and never written.
///   - previousName: The name that the column had before.
///   - encoding: How a value is stored that is `Codable` and no ``ColumnValue``.
@attached(peer)
public macro Column(
    _ name: String? = nil,
    scale: Int? = nil,
    primaryKey: Bool = false,
    autoincrement: Bool = false,
    unique: Bool = false,
    indexed: Bool = false,
    references reference: Reference? = nil,
    check: SQL? = nil,
    collation: Collation? = nil,
    generated: Generated? = nil,
    previously previousName: String? = nil,
    as encoding: ColumnEncoding? = nil
) = #externalMacro(module: "StrongroomMacros", type: "ColumnMacro")

/// Says how a property with a default is stored.
///
/// ```swift
/// @Column(default: 0) var visits: Int?
/// @Column(default: Priority.low) var priority: Priority?
/// ```
///
/// - Parameters:
///   - name: The column's name, a string literal; nil for the property's name.
///   - scale: For a `Decimal`: the number of digits after the point, a literal from 0 to 18. The column stores scaled
///     integers, which the engine sums exactly; see <doc:Types>.
///   - primaryKey: Whether it is the primary key or a part of it; `true` or `false`.
///   - autoincrement: Whether the engine never gives a key twice; only for an integer that is the whole key.
///   - unique: Whether no two rows may have the same value.
///   - indexed: Whether the column has an index of its own.
///   - value: The value that a new row gets in place of nil; a case of an enum with the enum's name.
///   - reference: The row of another table that the value points to.
///   - check: What must hold for each row.
///   - collation: How texts are compared.
///   - generated: What the engine computes the column from; such a column is read and never written.
///   - previousName: The name that the column had before.
///   - encoding: How a value is stored that is `Codable` and no ``ColumnValue``.
@attached(peer)
public macro Column<Value: ColumnValue>(
    _ name: String? = nil,
    scale: Int? = nil,
    primaryKey: Bool = false,
    autoincrement: Bool = false,
    unique: Bool = false,
    indexed: Bool = false,
    default value: Value,
    references reference: Reference? = nil,
    check: SQL? = nil,
    collation: Collation? = nil,
    generated: Generated? = nil,
    previously previousName: String? = nil,
    as encoding: ColumnEncoding? = nil
) = #externalMacro(module: "StrongroomMacros", type: "ColumnMacro")

/// Leaves a property of a ``Table(_:in:)`` or a ``Record()`` out of the table.
///
/// It needs a default value or is an optional variable, since a row has none for it.
@attached(peer)
public macro Ignored() = #externalMacro(module: "StrongroomMacros", type: "IgnoredMacro")

/// How a macro stores a value that is `Codable` and no ``ColumnValue``.
public enum ColumnEncoding: Sendable, Hashable {
    /// As text in JSON.
    case json
    /// As a binary property list.
    case propertyList
}
#endif
