/// The constraint that a change violates.
///
/// ```swift
/// } catch let error as StrongroomError where error.constraint?.columns == ["email"] {
///     print("There is such an address already.")
/// }
/// ```
public struct ConstraintFailure: Sendable, Hashable {
    /// The kind of a constraint. The set is open: later engines may add to it.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The engine's name of the kind.
        public let description: String

        /// Another row has the same primary key.
        public static let primaryKey = Kind(description: "PRIMARY KEY")
        /// Another row has the same values in unique columns.
        public static let unique = Kind(description: "UNIQUE")
        /// A column may not be NULL.
        public static let notNull = Kind(description: "NOT NULL")
        /// A CHECK constraint is violated.
        public static let check = Kind(description: "CHECK")
        /// A value references no row, or rows still reference the row that is deleted.
        public static let foreignKey = Kind(description: "FOREIGN KEY")
        /// A trigger refuses the change.
        public static let trigger = Kind(description: "TRIGGER")
        /// A value is not of the column's type, in a STRICT table.
        public static let dataType = Kind(description: "DATATYPE")
        /// Any other kind.
        public static let other = Kind(description: "OTHER")
    }

    /// The constraint's kind.
    public let kind: Kind
    /// The table, if the engine reports it.
    public let table: String?
    /// The columns, if the engine reports them.
    public let columns: [String]
    /// The table that a foreign key references, if it can be determined.
    public let parentTable: String?
    /// The name or expression of the CHECK constraint, or the name of the unique index on expressions, as in the
    /// schema.
    public let name: String?

    init(kind: Kind, table: String?, columns: [String] = [], parentTable: String? = nil, name: String? = nil) {
        self.kind = kind
        self.table = table
        self.columns = columns
        self.parentTable = parentTable
        self.name = name
    }

    /// The advice for an error's message.
    var advice: String {
        guard kind == .foreignKey else { return "" }
        if let table, let parentTable {
            return "A row of \"\(table)\" references a row of \"\(parentTable)\" that does not exist."
        }
        return """
            Check the columns with REFERENCES: a value references a row that does not exist, or rows still reference \
            a row that is deleted or whose key changes.
            """
    }
}
