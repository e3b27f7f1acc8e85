/// A column of a table: its name, its Swift type and its constraints; also what conditions are made of.
///
/// ```swift
/// let email = Column<String>("email", unique: true)
/// ```
public struct Column<Value: ColumnValue>: TableColumn, SQLExpression {
    /// What the column is, without its Swift type.
    public let definition: ColumnDefinition

    /// The column's quoted name.
    public let sql: SQL

    /// Describes a column.
    ///
    /// - Parameters:
    ///   - name: The column's name; any text but an empty one.
    ///   - primaryKey: Whether it is the table's primary key. An integer that is one is the row's id.
    ///   - autoincrement: Whether the engine never gives a key twice, also after a row is deleted; only for an integer
    ///     primary key. See «SQLite Autoincrement» (sqlite.org/autoinc.html).
    ///   - unique: Whether no two rows may have the same value.
    ///   - indexed: Whether the column has an index of its own.
    ///   - default: The value that a new row gets in place of nil.
    ///   - references: The row of another table that the value points to.
    ///   - check: What must hold for each row.
    ///   - collation: How texts are compared.
    ///   - generated: What the engine computes the column from.
    ///   - previously: The name that the column had before.
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
            isNullable: Value.isNullable && !primaryKey,
            isPrimaryKey: primaryKey,
            isAutoincrementing: autoincrement,
            isUnique: unique,
            // A value without a stored form (NaN) is no default; the table's check reports it.
            defaultValue: `default`.map { value in Result { try value.stored() } }
        )
        sql = SQL(Identifier.quote(name))
    }
}

/// A column of any Swift type, for the list in ``TableSchema``.
public protocol TableColumn: Sendable {
    /// What the column is, without its Swift type.
    var definition: ColumnDefinition { get }
}

/// What a column is, without its Swift type.
public struct ColumnDefinition: Sendable {
    /// The column's name.
    public let name: String
    /// How its values are stored.
    public let storageClass: StorageClass
    /// Whether it may hold NULL.
    public let isNullable: Bool
    /// Whether it is the primary key.
    public let isPrimaryKey: Bool
    /// Whether the engine never gives a key twice.
    public let isAutoincrementing: Bool
    /// Whether no two rows may have the same value.
    public let isUnique: Bool
    /// What a new row gets in place of NULL.
    let defaultValue: Result<Value, any Error>?

    /// Whether the column is the row's id in the engine.
    var isRowID: Bool { isPrimaryKey && storageClass == .integer }

    /// The column as `CREATE TABLE` and `ADD COLUMN` want it.
    func sql() throws -> String {
        try Identifier.check(name, "column")
        var sql = "\(Identifier.quote(name)) \(storageClass.rawValue)"
        if isPrimaryKey { sql += " PRIMARY KEY" }
        if isAutoincrementing { sql += " AUTOINCREMENT" }
        if !isNullable && !isRowID { sql += " NOT NULL" }
        if isUnique && !isPrimaryKey { sql += " UNIQUE" }
        if let value = try defaultValue?.get(), value != .null { sql += " DEFAULT \(value.literal)" }
        return sql
    }
}

extension Value {
    /// The value as SQL text, for the one place where the engine takes no parameter: a column's default.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "(\(number))"
        case .real(let number): number.isInfinite ? (number < 0 ? "(-9e999)" : "(9e999)") : "(\(number))"
        case .text(let text) where text.utf8.contains(0): "(CAST(x'\(Self.hex(Array(text.utf8)))' AS TEXT))"
        case .text(let text): "'\(Identifier.doubling("'", in: text))'"
        case .blob(let bytes): "x'\(Self.hex(bytes))'"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }
}
