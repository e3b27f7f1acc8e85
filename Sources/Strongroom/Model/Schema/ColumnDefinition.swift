#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The definition of a column, without its Swift type.
// A class, since a column is copied for each use in a condition.
public final class ColumnDefinition: Sendable {
    /// The column's name.
    public let name: String
    /// The storage class of its values.
    public let storageClass: StorageClass
    /// The declared type, usually the storage class's name.
    public let declaredType: String
    /// Whether it may hold NULL.
    public let isNullable: Bool
    /// Whether it is the primary key, or part of it.
    public let isPrimaryKey: Bool
    /// Whether the engine never reuses a key.
    public let isAutoincrementing: Bool
    /// Whether the values must be unique.
    public let isUnique: Bool
    /// Whether the table has an index on it.
    public let isIndexed: Bool
    /// The row that its value references.
    public let references: Reference?
    /// A condition for every row.
    public let check: SQL?
    /// The collating sequence for texts.
    public let collation: Collation?
    /// The expression of a generated column.
    public let generated: Generated?
    /// The column's previous name.
    public let previousName: String?
    /// Whether its values may have any storage class, whatever its declared type.
    let holdsEveryValue: Bool
    /// The scale of its decimals, if they are stored as integers.
    let scale: DecimalScale?
    /// The form of its dates, if it is not that of `Date`.
    let dateForm: DateForm?
    /// Whether its values are dates, in whatever form.
    let holdsDates: Bool
    /// The spelling of its values, if they can be written in several ways.
    let spelling: Spelling?
    /// The value of new rows for which none is given.
    let defaultValue: Result<SQLValue, any Error>?
    /// Whether the default also replaces a nil that is given.
    let replacesNil: Bool
    let quoted: SQL

    init(
        name: String,
        storageClass: StorageClass,
        declaredType: String,
        isNullable: Bool,
        isPrimaryKey: Bool = false,
        isAutoincrementing: Bool = false,
        isUnique: Bool = false,
        isIndexed: Bool = false,
        defaultValue: Result<SQLValue, any Error>? = nil,
        initialValue: Result<SQLValue, any Error>? = nil,
        references: Reference? = nil,
        check: SQL? = nil,
        collation: Collation? = nil,
        generated: Generated? = nil,
        previousName: String? = nil,
        holdsEveryValue: Bool = false,
        holdsDates: Bool = false,
        spelling: Spelling? = nil,
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
        self.defaultValue = defaultValue ?? initialValue
        replacesNil = defaultValue != nil
        self.references = references
        self.check = check
        self.collation = collation
        self.generated = generated
        self.previousName = previousName
        self.holdsEveryValue = holdsEveryValue
        let form = StoredForm(declaredType: declaredType)
        scale = form?.scale
        dateForm = DateForm(declaredType: declaredType)
        self.holdsDates = holdsDates || dateForm != nil
        let hasDecimals = declaredType == SortedDecimal.declaredType
        self.spelling = dateForm.map { .date($0) } ?? (hasDecimals ? .decimal : spelling)
        var quoted = SQL(verbatim: Identifier.quote(name)).inForm(form)
        if let fault { quoted.fail(fault) }
        self.quoted = quoted
    }

    /// The stored form of its values, if it is not that of their type.
    package var form: StoredForm? { scale.map { .decimal($0) } ?? dateForm.map { .date($0) } }

    /// Whether its values are decimals in the DECIMAL_TEXT form.
    var holdsDecimals: Bool { declaredType == SortedDecimal.declaredType }

    /// Whether the column is an alias of the row id if it is the entire primary key: declared types such as `INT`,
    /// `BIGINT` or that of scaled decimals are not.
    var isRowID: Bool { isPrimaryKey && Identifier.areSame(declaredType, StorageClass.integer.rawValue) }

    /// The column definition for `CREATE TABLE` and `ADD COLUMN`; a composite key is a table constraint.
    func sql(isSoleKey: Bool = true) throws -> String {
        try Identifier.check(name, "column")
        if let fault = quoted.defect { throw fault }
        var sql = "\(Identifier.quote(name)) \(declaredType)"
        if isPrimaryKey && isSoleKey { sql += " PRIMARY KEY" }
        if isAutoincrementing { sql += " AUTOINCREMENT" }
        // The form for an integer primary key is unchanged since earlier versions, so that the fingerprints of
        // migrations are the same.
        let isIntegerKey = isPrimaryKey && storageClass == .integer && scale == nil && isSoleKey
        if !isNullable && !isIntegerKey { sql += " NOT NULL" }
        if isUnique && !(isPrimaryKey && isSoleKey) { sql += " UNIQUE" }
        if let value = try storableDefault(), value != .null { sql += " DEFAULT \(value.literal)" }
        if let collation { sql += " COLLATE \(Identifier.quote(collation.name))" }
        if let check { sql += " CHECK (\(try check.literalText("the check of column \"\(name)\"")))" }
        if let generated { sql += try generated.sql(column: name) }
        if let references { sql += try references.sql() }
        return sql
    }

    /// - Throws: ``StrongroomError``, usually with `valueNotStorable`, for a value that has no stored form.
    private func storableDefault() throws -> SQLValue? {
        do {
            return try defaultValue?.get()
        } catch let error as StrongroomError {
            let word = replacesNil ? "default" : "initial value"
            throw StrongroomError(
                error.code,
                "Column \"\(name)\" cannot have its \(word): \(error.message) Change the \(word), or leave it out.")
        }
    }
}

extension SQL {
    /// The text, for schema statements, in which the engine does not accept parameters.
    func literalText(_ subject: String) throws -> String {
        if let defect { throw defect }
        guard values.isEmpty else {
            throw StrongroomError(
                .invalidDeclaration,
                "A schema cannot contain bound values, but \(subject) has one; write a literal instead.",
                sql: text)
        }
        guard !text.utf8.contains(0) else {
            throw StrongroomError(.invalidDeclaration, "There is a NUL character in \(subject); remove it.")
        }
        return text
    }
}

/// What the values of a Swift type are like to code that writes or reads them as text.
package enum ColumnKind: Sendable, Equatable {
    case integer, bool, real, float, text, bytes, date, decimal
    /// A column for values of any type.
    case any
    /// Equal values can be stored in different forms.
    case coded
    /// A type of its own, by how it is stored.
    case other(StorageClass)

    package init(_ type: any ColumnValue.Type) {
        // Asked several times for each comparison, and a cast takes long.
        if let known = Self.common[ObjectIdentifier(type)] {
            self = known
            return
        }
        self =
            switch type {
            case is any FixedWidthInteger.Type: .integer
            case is any TextColumnValue.Type: .text
            case is any CodedColumnValue.Type: .coded
            default: .other(type.storageClass)
            }
    }

    private static let common: [ObjectIdentifier: ColumnKind] = [
        ObjectIdentifier(Int.self): .integer, ObjectIdentifier(Int64.self): .integer,
        ObjectIdentifier(Int32.self): .integer, ObjectIdentifier(Bool.self): .bool,
        ObjectIdentifier(Double.self): .real, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(String.self): .text, ObjectIdentifier([UInt8].self): .bytes,
        ObjectIdentifier(Data.self): .bytes, ObjectIdentifier(Date.self): .date,
        ObjectIdentifier(Decimal.self): .decimal, ObjectIdentifier(SQLValue.self): .any,
    ]
}

extension ColumnDefinition {
    /// Nothing: `@Table` calls it for each type that it does not know, so that the compiler says what is missing.
    public static func _requireColumnValue<Value: ColumnValue>(_ type: Value.Type) {}

    /// Unavailable: the type needs the conformance.
    @available(
        *, unavailable,
        message: """
            a type with a raw value becomes a column value by declaring it, as in 'enum Level: Int, ColumnValue'; for \
            one of another module: 'extension Level: @retroactive ColumnValue {}'
            """
    )
    public static func _requireColumnValue<Value: RawRepresentable>(_ type: Value.Type) {}

    /// Unavailable: the type needs the conformance.
    @available(
        *, unavailable,
        message: """
            a type with a raw value becomes a column value by declaring it, as in 'enum Level: Int, ColumnValue'; for \
            one of another module: 'extension Level: @retroactive ColumnValue {}'
            """
    )
    public static func _requireColumnValue<Value: RawRepresentable & Codable>(_ type: Value.Type) {}

    /// Unavailable: the type has to be encoded.
    @available(
        *, unavailable,
        message: "no column value; store it as JSON, '@Column(as: .json)', or declare a conformance to ColumnValue"
    )
    public static func _requireColumnValue<Value: Codable>(_ type: Value.Type) {}

    /// Unavailable: the type needs a stored form.
    @available(
        *, unavailable,
        message: """
            no column value; mark the property @Ignored, make the type Codable and store it as JSON, \
            '@Column(as: .json)', or declare a conformance to ColumnValue
            """
    )
    public static func _requireColumnValue<Value>(_ type: Value.Type) {}
}
