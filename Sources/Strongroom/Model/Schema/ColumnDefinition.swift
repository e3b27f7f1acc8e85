/// What a column is, without its Swift type.
// A class, since a column is copied with each use in a condition.
public final class ColumnDefinition: Sendable {
    /// The column's name.
    public let name: String
    /// How its values are stored.
    public let storageClass: StorageClass
    /// The type in its declaration, mostly the storage class's name.
    public let declaredType: String
    /// Whether it may hold NULL.
    public let isNullable: Bool
    /// Whether it is the primary key, or a part of it.
    public let isPrimaryKey: Bool
    /// Whether the engine never gives a key twice.
    public let isAutoincrementing: Bool
    /// Whether no two rows may have the same value.
    public let isUnique: Bool
    /// Whether the table has an index on it.
    public let isIndexed: Bool
    /// The row that its value points to.
    public let references: Reference?
    /// What must hold for each row.
    public let check: SQL?
    /// How its texts are compared.
    public let collation: Collation?
    /// What the engine computes it from.
    public let generated: Generated?
    /// The name that it had before.
    public let previousName: String?
    /// Whether its values are of every storage class, whatever the type in its declaration.
    let holdsEveryValue: Bool
    /// The scale of its decimals, where they are stored as integers.
    let scale: DecimalScale?
    /// What a new row gets in place of NULL.
    let defaultValue: Result<Value, any Error>?
    /// The quoted name, ready for conditions.
    let quoted: SQL

    init(
        name: String,
        storageClass: StorageClass,
        declaredType: String,
        isNullable: Bool,
        isPrimaryKey: Bool,
        isAutoincrementing: Bool,
        isUnique: Bool,
        isIndexed: Bool,
        defaultValue: Result<Value, any Error>?,
        references: Reference?,
        check: SQL?,
        collation: Collation?,
        generated: Generated?,
        previousName: String?,
        holdsEveryValue: Bool = false,
        fault: StrongroomError? = nil
    ) {
        self.name = name
        self.storageClass = storageClass
        self.declaredType = declaredType
        self.isNullable = isNullable
        self.isPrimaryKey = isPrimaryKey
        self.isAutoincrementing = isAutoincrementing
        self.isUnique = isUnique
        self.isIndexed = isIndexed
        self.defaultValue = defaultValue
        self.references = references
        self.check = check
        self.collation = collation
        self.generated = generated
        self.previousName = previousName
        self.holdsEveryValue = holdsEveryValue
        scale = DecimalScale(declaredType: declaredType)
        var quoted = SQL(verbatim: Identifier.quote(name)).scaled(scale)
        if let fault { quoted.fail(fault) }
        self.quoted = quoted
    }

    /// Whether its values are decimal numbers in the form that sorts.
    var holdsDecimals: Bool { declaredType == SortedDecimal.declaredType }

    /// Whether the column is the row's id in the engine, where it is the whole key: `INT`, `BIGINT` or the type of
    /// scaled decimals is not enough.
    var isRowID: Bool { isPrimaryKey && Identifier.areSame(declaredType, StorageClass.integer.rawValue) }

    /// The column as `CREATE TABLE` and `ADD COLUMN` want it.
    ///
    /// - Parameter isWholeKey: Whether a primary key is this column alone; one of several stands in a constraint of the
    ///   table.
    func sql(isWholeKey: Bool = true) throws -> String {
        try Identifier.check(name, "column")
        if let fault = quoted.defect { throw fault }
        var sql = "\(Identifier.quote(name)) \(declaredType)"
        if isPrimaryKey && isWholeKey { sql += " PRIMARY KEY" }
        if isAutoincrementing { sql += " AUTOINCREMENT" }
        // A whole integer key is written as it always was, so that the fingerprints of migrations stay.
        let isIntegerKey = isPrimaryKey && storageClass == .integer && scale == nil && isWholeKey
        if !isNullable && !isIntegerKey { sql += " NOT NULL" }
        if isUnique && !(isPrimaryKey && isWholeKey) { sql += " UNIQUE" }
        if let value = try defaultValue?.get(), value != .null { sql += " DEFAULT \(value.literal)" }
        if let collation { sql += " COLLATE \(Identifier.quote(collation.name))" }
        if let check { sql += " CHECK (\(try check.literalText("the check of column \"\(name)\"")))" }
        if let generated { sql += try generated.sql(column: name) }
        if let references { sql += try references.sql() }
        return sql
    }
}

extension SQL {
    /// The text, for the places of a schema, where the engine takes no parameters.
    ///
    /// - Throws: ``StrongroomError`` with `sql` for SQL with bound values.
    func literalText(_ place: String) throws -> String {
        if let defect { throw defect }
        guard values.isEmpty else {
            throw StrongroomError(
                .sql, "A schema keeps no bound values, and \(place) has one; write a literal in its place.", sql: text)
        }
        guard !text.utf8.contains(0) else {
            throw StrongroomError(.sql, "There is a NUL in \(place); remove it.")
        }
        return text
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
