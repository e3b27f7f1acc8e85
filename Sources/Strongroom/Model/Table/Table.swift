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

/// The typed columns of a table by the names of its properties; the schema knows neither their Swift types nor these
/// names.
package struct TableProperties: Sendable {
    /// A property, and the column that is stored for it.
    package struct Property: Sendable {
        package let name: String
        package let expression: any SQLExpression
        let kind: ColumnKind
        let isNullable: Bool
        /// The Swift type without its optional.
        let type: any ColumnValue.Type

        init<Expression: SQLExpression>(_ name: String, _ expression: Expression) {
            self.name = name
            self.expression = expression
            type = Expression.Value.Unwrapped.self
            kind = ColumnKind(type)
            isNullable = Expression.Value._isNullable
        }
    }

    /// All of them, in the order of the table's typed columns.
    package let all: [Property]
    private let byColumn: [String: Property]

    private static let known = Locked<[ObjectIdentifier: TableProperties]>([:])

    /// The properties of a table; looked up once.
    package static func of<Source: Table>(_ table: Source.Type) -> TableProperties {
        let key = ObjectIdentifier(table)
        if let properties = known.withLock({ $0[key] }) { return properties }
        let properties = TableProperties(table)
        known.withLock { $0[key] = properties }
        return properties
    }

    private init<Source: Table>(_ table: Source.Type) {
        all = Mirror(reflecting: Source.columns).children.compactMap { child in
            guard let name = child.label, let expression = child.value as? any SQLExpression else { return nil }
            return Property(name, expression)
        }
        let pairs = all.compactMap { property in property.expression._columnName.map { ($0, property) } }
        byColumn = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    func property(ofColumn column: String) -> Property? { byColumn[column] }
}

/// An assignment of a value to a column.
///
/// ```swift
/// try Contact.where { $0.city == "Bonn" }.update(in: db) { [$0.city.set("Köln"), $0.moves.set($0.moves + 1)] }
/// ```
public struct Assignment: Sendable {
    let column: String
    let value: SQL
}

extension Column {
    /// Sets the column to a value.
    ///
    /// - Parameter value: The value; nil is NULL.
    /// - Returns: The assignment.
    public func set(_ value: Value) -> Assignment {
        var sql = SQL(reserving: 1)
        sql.append { try definition.quoted.stored(value) }
        return Assignment(column: definition.name, value: sql)
    }

    /// Sets the column to an expression of the row.
    ///
    /// A result that the column's type cannot hold makes the write throw ``StrongroomError`` with `limit`, such as
    /// 255 + 1 for `UInt8`; a column of `Float` gets the nearest one.
    ///
    /// - Parameter expression: The expression; columns in it have their values from before the update.
    /// - Returns: The assignment.
    public func set<E: SQLExpression>(_ expression: E) -> Assignment
    where E.Value.Unwrapped == Value.Unwrapped {
        var sql = expression.sql
        sql.requireOneForm(definition.quoted, sql)
        // Nothing is calculated if it is another column, and any number is a Double.
        if !(expression is any SchemaColumn), Value.Unwrapped.self is any NumericColumnValue.Type,
            Value.Unwrapped.self != Double.self
        {
            sql = sql.fitted(to: Value.Unwrapped.self)
        }
        return Assignment(column: definition.name, value: sql)
    }
}

extension SQL {
    /// The value, or an error if a type cannot hold it.
    fileprivate func fitted<V: ColumnValue>(to type: V.Type) -> SQL {
        var fitted = SQL(reserving: 64)
        fitted.append(text: "\(FitFunction.name)(")
        fitted.append(self)
        fitted.append(text: ", '\(FitFunction.name(of: type))')")
        return fitted
    }
}

/// The errors of operations on a table.
extension TableSchema {
    @usableFromInline
    var missingKey: StrongroomError {
        StrongroomError(
            .missingKey,
            """
            A record of table "\(name)" has no key; keys are generated for an integer or a `UUID?` that is \
            the primary key. Set one.
            """
        )
    }

    @usableFromInline
    var ignoredInsert: StrongroomError {
        StrongroomError(
            .writeRefused,
            """
            The insert created no row in "\(name)": a trigger ignored it, or that is a view, the rows of whose \
            INSTEAD OF triggers the engine does not count. Fix the trigger or the record, or insert into the view with \
            `db.execute`.
            """
        )
    }

    @usableFromInline
    var noSuchRow: StrongroomError {
        StrongroomError(
            .noSuchRow,
            "Table \"\(name)\" has no row with the record's key; insert it, or use upsert."
        )
    }

    @usableFromInline
    func manyRows(_ columns: [String]) -> StrongroomError {
        StrongroomError(
            .notUnique,
            """
            Several rows of table "\(name)" have the record's value of \(columns.listed), which is declared as \
            unique but has no unique index in the file; nothing was changed. Merge those rows, then create the index \
            in a migration.
            """)
    }

    @usableFromInline
    func missingUnique(_ column: String) -> StrongroomError {
        StrongroomError(
            .missingKey,
            """
            Column "\(column)" of the record for table "\(name)" is nil, so it cannot identify a row; set it.
            """
        )
    }
}
