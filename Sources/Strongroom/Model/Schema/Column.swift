#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A column of a table: its name, its Swift type and its constraints. Conditions are built from columns.
///
/// ```swift
/// let email = Column<String>("email", unique: true, collation: .noCase)
/// let author = Column<Int64>("author", indexed: true, references: Reference("person", onDelete: .cascade))
/// ```
public struct Column<Value: ColumnValue>: SchemaColumn, SQLExpression {
    /// The definition, without the Swift type.
    public let definition: ColumnDefinition

    /// The column's quoted name; with its table while a query's closure runs within another one.
    public var sql: SQL { QueryScope.isNested ? QueryScope.sql(of: definition) : definition.quoted }

    /// The column's name.
    public var _columnName: String? { definition.name }

    /// Declares a column.
    ///
    /// - Parameters:
    ///   - name: The column's name; must not be empty.
    ///   - primaryKey: Whether the column belongs to the primary key; several such columns form a composite key. An
    ///     integer that is the whole key is an alias of the row id.
    ///   - autoincrement: Whether the engine never reuses a key, also after a row is deleted; only for an integer
    ///     primary key. See "SQLite Autoincrement" (sqlite.org/autoinc.html).
    ///   - unique: Whether the values must be unique.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value of new rows in place of nil.
    ///   - references: The row of another table, or of this one, that the value references.
    ///   - check: A condition for every row, as SQL without bound values: `"length(name) > 0"`.
    ///   - collation: The collating sequence for texts.
    ///   - generated: The expression of a generated column, which cannot be written.
    ///   - previously: The column's previous name, for ``Writing/renameColumns(of:)`` and
    ///     ``Migrator/automatic(tables:removingColumns:)``; a single one, without effect on `CREATE TABLE`.
    ///   - initial: The value of a new row for which none is given, as the initial value of a property is: the
    ///     column's DEFAULT, like `default`, but a nil that is given is stored as NULL. Without effect beside
    ///     `default`. For a value that cannot be stored, such as NaN, creating the column throws `valueNotStorable`.
    public init(
        _ name: String,
        primaryKey: Bool = false,
        autoincrement: Bool = false,
        unique: Bool = false,
        indexed: Bool = false,
        default: Value? = nil,
        references: Reference? = nil,
        check: SQL? = nil,
        collation: Collation? = nil,
        generated: Generated? = nil,
        previously: String? = nil,
        initial: Value? = nil
    ) {
        definition = ColumnDefinition(
            name: name,
            storageClass: Value.storageClass,
            declaredType: Value.declaredType,
            isNullable: Value._isNullable && !primaryKey,
            isPrimaryKey: primaryKey,
            isAutoincrementing: autoincrement,
            isUnique: unique,
            isIndexed: indexed,
            // A value without a stored form (NaN) is reported when the column is created.
            defaultValue: `default`.map { value in Result { try value.stored() } },
            initialValue: initial.map { value in Result { try value.stored() } },
            references: references,
            check: check,
            collation: collation,
            generated: generated,
            previousName: previously,
            holdsEveryValue: Self.holdsEveryValue(Value.Unwrapped.self),
            holdsDates: Value.Unwrapped.self == Date.self,
            spelling: Spelling.of(Value.Unwrapped.self)
        )
    }

    /// The column with a name, and with the stored form that a table declares for it.
    init(_ name: String, in schema: TableSchema) {
        let declared = schema.columns.first { Identifier.areSame($0.name, name) && $0.form != nil }
        definition = declared ?? Column(name).definition
    }

    /// Whether a type stores every ``Strongroom/Value``, itself or as its raw value.
    private static func holdsEveryValue(_ type: Any.Type) -> Bool {
        if type == Strongroom.Value.self { return true }
        func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Any.Type { Raw.RawValue.self }
        return (type as? any RawRepresentable.Type).map { holdsEveryValue(raw($0)) } ?? false
    }
}

extension Column: BooleanExpression where Value.Unwrapped == Bool {}

/// A column of any Swift type, for the column list of ``TableSchema``.
public protocol SchemaColumn: Sendable {
    /// The definition, without the Swift type.
    var definition: ColumnDefinition { get }
}
