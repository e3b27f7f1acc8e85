#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
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
    ///     integer that is the entire key is an alias of the row id.
    ///   - autoincrement: Whether the engine never reuses a key, also after a row is deleted; only for an integer
    ///     primary key. See "SQLite Autoincrement" (sqlite.org/autoinc.html).
    ///   - unique: Whether the values must be unique.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value of new rows in place of nil.
    ///   - references: The row of another table, or of this one, that the value references.
    ///   - check: A condition for every row, as SQL without bound values: `"length(name) > 0"`.
    ///   - collation: The collating sequence for texts.
    ///   - generated: The expression of a generated column, which cannot be written.
    ///   - previously: The column's previous name, for ``Migrator/automatic(tables:removingColumns:)``; a single one.
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
        self.init(
            name, nil, Value.storageClass, Value.declaredType, primaryKey: primaryKey, autoincrement: autoincrement,
            unique: unique, indexed: indexed, default: `default`, initial: initial, references: references,
            check: check, collation: collation, generated: generated, previously: previously)
    }

    /// - Parameter form: The form in which the values are stored, if it is not that of their type.
    private init(
        _ name: String, _ form: StoredForm?, _ storageClass: StorageClass, _ declaredType: String, primaryKey: Bool,
        autoincrement: Bool = false, unique: Bool, indexed: Bool, default: Value?, initial: Value?,
        references: Reference?, check: SQL?, collation: Collation? = nil, generated: Generated?, previously: String?,
        fault: StrongroomError? = nil
    ) {
        // A value without a stored form (NaN) is reported when the column is created.
        func stored(_ value: Value?) -> Result<SQLValue, any Error>? {
            value.map { value in Result { try form?.stored(value) ?? value.stored() } }
        }
        definition = ColumnDefinition(
            name: name, storageClass: storageClass, declaredType: declaredType,
            isNullable: Value._isNullable && !primaryKey, isPrimaryKey: primaryKey, isAutoincrementing: autoincrement,
            isUnique: unique, isIndexed: indexed, defaultValue: stored(`default`), initialValue: stored(initial),
            references: references, check: check, collation: collation, generated: generated,
            previousName: previously, holdsEveryValue: Self.holdsEveryValue(Value.Unwrapped.self),
            holdsDates: Value.Unwrapped.self == Date.self, spelling: Spelling.of(Value.Unwrapped.self), fault: fault)
    }

    /// The column with a name, and with the stored form that a table declares for it.
    init(_ name: String, in schema: TableSchema) {
        let declared = schema.columns.first { Identifier.areSame($0.name, name) && $0.form != nil }
        definition = declared ?? Column(name).definition
    }

    /// Whether a type stores every ``SQLValue``, itself or as its raw value.
    private static func holdsEveryValue(_ type: Any.Type) -> Bool {
        if type == SQLValue.self { return true }
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

extension Column where Value.Unwrapped == Date {
    /// Declares a column of dates in another form than that of `Date`; see ``DateForm``.
    ///
    /// The declared type names the form: `ISO8601_TEXT`, for example.
    ///
    /// ```swift
    /// let due = Column<Date>("due", as: .iso8601)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The column's name; must not be empty.
    ///   - form: The form in which dates are stored.
    ///   - unique: Whether the values must be unique.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value of new rows in place of nil.
    ///   - references: The row of another table, or of this one, that the value references.
    ///   - check: A condition for every row, as SQL without bound values, in which the value has the form.
    ///   - generated: The expression of a generated column: a value in the form.
    ///   - previously: The column's previous name, as in the initialiser without a form.
    ///   - initial: The value of a new row for which none is given, as in the initialiser without a form.
    public init(
        _ name: String,
        as form: DateForm,
        unique: Bool = false,
        indexed: Bool = false,
        default: Value? = nil,
        references: Reference? = nil,
        check: SQL? = nil,
        generated: Generated? = nil,
        previously: String? = nil,
        initial: Value? = nil
    ) {
        self.init(
            name, .date(form), form.storageClass, form.declaredType, primaryKey: false, unique: unique,
            indexed: indexed, default: `default`, initial: initial, references: references, check: check,
            generated: generated, previously: previously)
    }
}

extension Column where Value.Unwrapped == Decimal {
    /// Declares a column of decimals that are stored as scaled integers, which the engine sums exactly.
    ///
    /// For a scale of 2, the declared type is `DECIMAL_INTEGER(2)`, and 12.34 is stored as the integer 1234. A number
    /// with more digits after the point, or one that exceeds 64 bits, is an error and never rounded; see <doc:Types>.
    ///
    /// ```swift
    /// let price = Column<Decimal>("price", scale: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The column's name; must not be empty.
    ///   - scale: The number of digits after the point, from 0 to 18. With any other, creating the table and using the
    ///     column in a query throw `invalidDeclaration`.
    ///   - primaryKey: Whether the column belongs to the primary key; it is never an alias of the row id.
    ///   - unique: Whether the values must be unique.
    ///   - indexed: Whether the table has an index on the column.
    ///   - default: The value of new rows in place of nil.
    ///   - references: The row of another table, or of this one, that the value references.
    ///   - check: A condition for every row, as SQL without bound values, in which the value is the integer:
    ///     `"price >= 0"`.
    ///   - generated: The expression of a generated column: an integer with the scale.
    ///   - previously: The column's previous name, as in the initialiser without a scale.
    ///   - initial: The value of a new row for which none is given, as in the initialiser without a scale.
    public init(
        _ name: String,
        scale: Int,
        primaryKey: Bool = false,
        unique: Bool = false,
        indexed: Bool = false,
        default: Value? = nil,
        references: Reference? = nil,
        check: SQL? = nil,
        generated: Generated? = nil,
        previously: String? = nil,
        initial: Value? = nil
    ) {
        let form = DecimalScale(scale).map { StoredForm.decimal($0) }
        self.init(
            name, form, .integer, DecimalScale.declaredType(scale), primaryKey: primaryKey, unique: unique,
            indexed: indexed, default: `default`, initial: initial, references: references, check: check,
            generated: generated, previously: previously,
            fault: form == nil ? DecimalScale.refusal(scale, "Column \"\(name)\"") : nil)
    }
}

/// A foreign key: the row of another table, or of the same one, that a column's value references. See SQLite's
/// documentation, "SQLite Foreign Key Support" (sqlite.org/foreignkeys.html).
///
/// ```swift
/// let author = Column<Int64>("author", references: Reference("person", onDelete: .cascade))
/// ```
public struct Reference: Sendable, Hashable {
    /// The referenced table.
    public let table: String
    /// The referenced column, which must be unique; nil for the table's primary key.
    public let column: String?
    /// The action for referencing rows when a row is deleted.
    public let onDelete: ReferenceAction
    /// The action for referencing rows when a row's key changes.
    public let onUpdate: ReferenceAction
    /// Whether the constraint is checked when the transaction commits instead of after each statement.
    public let isDeferred: Bool

    /// Declares a reference.
    ///
    /// - Parameters:
    ///   - table: The referenced table.
    ///   - column: The referenced column, which must be unique; nil for the table's primary key.
    ///   - onDelete: The action for referencing rows when a row is deleted.
    ///   - onUpdate: The action for referencing rows when a row's key changes.
    ///   - deferred: Whether the constraint is checked when the transaction commits.
    public init(
        _ table: String,
        column: String? = nil,
        onDelete: ReferenceAction = .noAction,
        onUpdate: ReferenceAction = .noAction,
        deferred: Bool = false
    ) {
        self.table = table
        self.column = column
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        isDeferred = deferred
    }

    func sql() throws -> String {
        try Identifier.check(table, "table")
        var sql = " REFERENCES \(Identifier.quote(table))"
        if let column {
            try Identifier.check(column, "column")
            sql += " (\(Identifier.quote(column)))"
        }
        if onDelete != .noAction { sql += " ON DELETE \(onDelete.rawValue)" }
        if onUpdate != .noAction { sql += " ON UPDATE \(onUpdate.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}

/// The action for referencing rows when a row is deleted or its key changes.
public enum ReferenceAction: String, Sendable, Hashable {
    /// The change fails if the constraint is violated when it is checked.
    case noAction = "NO ACTION"
    /// The change fails immediately.
    case restrict = "RESTRICT"
    /// The references are set to NULL.
    case setNull = "SET NULL"
    /// The references are set to the column's default.
    case setDefault = "SET DEFAULT"
    /// The referencing rows are deleted, or get the new key.
    case cascade = "CASCADE"
}

/// The expression of a generated column, such as `.virtual("price * amount")`. Requires SQLite 3.31; see "Generated
/// Columns" (sqlite.org/gencol.html).
public struct Generated: Sendable, Equatable {
    /// The expression, which uses other columns of the row.
    public let expression: SQL
    /// Whether the value is stored with the row, instead of being computed at each read.
    public let isStored: Bool

    /// A generated column that is computed when the row is written.
    ///
    /// - Parameter expression: The expression; no bound values.
    /// - Returns: The description.
    public static func stored(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: true) }

    /// A generated column that is computed when it is read.
    ///
    /// - Parameter expression: The expression; no bound values.
    /// - Returns: The description.
    public static func virtual(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: false) }

    func sql(column: String) throws -> String {
        let features = try EngineFeatures.current()
        guard features.hasGeneratedColumns else {
            throw StrongroomError(
                .notSupported,
                """
                Column "\(column)" is generated, which requires SQLite 3.31, and this engine is \
                \(features.sqliteVersion); link a newer SQLCipher, or compute the value in the program.
                """
            )
        }
        let text = try expression.literalText("the expression of column \"\(column)\"")
        return " GENERATED ALWAYS AS (\(text)) \(isStored ? "STORED" : "VIRTUAL")"
    }
}
