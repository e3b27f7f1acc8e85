/// A column of a table: its name, its Swift type and its constraints; also what conditions are made of.
///
/// ```swift
/// let email = Column<String>("email", unique: true, collation: .noCase)
/// let author = Column<Int64>("author", indexed: true, references: Reference("person", onDelete: .cascade))
/// ```
public struct Column<Value: ColumnValue>: TableColumn, SQLExpression {
    /// What the column is, without its Swift type.
    public let definition: ColumnDefinition

    /// The column's quoted name.
    public var sql: SQL { definition.quoted }

    /// The column's name.
    public var columnName: String? { definition.name }

    /// Describes a column.
    ///
    /// - Parameters:
    ///   - name: The column's name; any text but an empty one.
    ///   - primaryKey: Whether it belongs to the table's primary key; several such columns are a composite key. An
    ///     integer that is the whole key is the row's id.
    ///   - autoincrement: Whether the engine never gives a key twice, also after a row is deleted; only for an integer
    ///     primary key. See "SQLite Autoincrement" (sqlite.org/autoinc.html).
    ///   - unique: Whether no two rows may have the same value.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value that a new row gets in place of nil.
    ///   - references: The row of another table, or of this one, that the value points to.
    ///   - check: What must hold for each row, as SQL without bound values: `"length(name) > 0"`.
    ///   - collation: How texts are compared.
    ///   - generated: What the engine computes the column from; such a column cannot be written.
    ///   - previously: The name that the column had before, for ``Writing/renameColumns(of:)`` and
    ///     ``Migrator/automatic(tables:removingColumns:)``; a single one, and of no effect on `CREATE TABLE`.
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
        previously: String? = nil
    ) {
        definition = ColumnDefinition(
            name: name,
            storageClass: Value.storageClass,
            declaredType: Value.declaredType,
            isNullable: Value.isNullable && !primaryKey,
            isPrimaryKey: primaryKey,
            isAutoincrementing: autoincrement,
            isUnique: unique,
            isIndexed: indexed,
            // A value without a stored form (NaN) is no default; the table's check reports it.
            defaultValue: `default`.map { value in Result { try value.stored() } },
            references: references,
            check: check,
            collation: collation,
            generated: generated,
            previousName: previously,
            holdsEveryValue: Self.holdsEveryValue(Value.Unwrapped.self)
        )
    }

    /// The column of a name, with the scale that a table declares for it.
    init(_ name: String, in schema: TableSchema) {
        let declared = schema.columns.first { Identifier.areSame($0.name, name) && $0.scale != nil }
        definition = declared ?? Column(name).definition
    }

    /// Whether a type stores what a ``Strongroom/Value`` holds, itself or as the raw value of something else.
    private static func holdsEveryValue(_ type: Any.Type) -> Bool {
        if type == Strongroom.Value.self { return true }
        func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Any.Type { Raw.RawValue.self }
        return (type as? any RawRepresentable.Type).map { holdsEveryValue(raw($0)) } ?? false
    }
}

/// A column of any Swift type, for the list in ``TableSchema``.
public protocol TableColumn: Sendable {
    /// What the column is, without its Swift type.
    var definition: ColumnDefinition { get }
}
