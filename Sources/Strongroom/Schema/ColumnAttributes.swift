/// A foreign key: the row of another table, or of the same one, that a column's value points to.
public struct Reference: Sendable, Hashable {
    /// The table that is pointed to.
    public let table: String
    /// The column of that table; nil for its primary key.
    public let column: String?

    /// Describes a reference.
    ///
    /// - Parameters:
    ///   - table: The table that is pointed to.
    ///   - column: The column of that table; nil for its primary key.
    ///   - onDelete: What happens to the rows that point to a row when it is deleted.
    ///   - onUpdate: What happens to them when its key changes.
    ///   - deferred: Whether the reference is tested when the transaction commits.
    public init(
        _ table: String, column: String? = nil, onDelete: ReferenceAction = .noAction,
        onUpdate: ReferenceAction = .noAction, deferred: Bool = false
    ) {
        self.table = table
        self.column = column
    }
}

/// What happens to the rows that point to a row when it is deleted or its key changes.
public enum ReferenceAction: String, Sendable, Hashable {
    /// The change fails, or the rows follow it.
    case noAction = "NO ACTION"
    case restrict = "RESTRICT"
    case setNull = "SET NULL"
    case setDefault = "SET DEFAULT"
    case cascade = "CASCADE"
}

/// How texts are compared.
public struct Collation: Sendable, Hashable {
    /// The engine's name for it.
    public let name: String

    /// A collation by its name in the engine.
    public init(_ name: String) {
        self.name = name
    }

    /// The letters A to Z count as a to z.
    public static let noCase = Collation("NOCASE")
}

/// What the engine computes a column from.
public struct Generated: Sendable {
    let expression: SQL
    let isStored: Bool

    /// A column that is computed when the row is written.
    public static func stored(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: true) }

    /// A column that is computed when it is read.
    public static func virtual(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: false) }
}
