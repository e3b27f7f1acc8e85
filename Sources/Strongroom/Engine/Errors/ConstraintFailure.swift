/// Which constraint refused a change.
///
/// ```swift
/// } catch let error as StrongroomError where error.constraint?.columns == ["email"] {
///     print("There is such an address already.")
/// }
/// ```
public struct ConstraintFailure: Sendable, Hashable {
    /// The kind of a constraint. The set is open: later engines may add to it.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The engine's word for it.
        public let description: String

        /// A row has the same primary key.
        public static let primaryKey = Kind(description: "PRIMARY KEY")
        /// A row has the same values in unique columns.
        public static let unique = Kind(description: "UNIQUE")
        /// A column may not be NULL.
        public static let notNull = Kind(description: "NOT NULL")
        /// A check does not hold.
        public static let check = Kind(description: "CHECK")
        /// A value points to no row, or rows still point to one that is to go.
        public static let foreignKey = Kind(description: "FOREIGN KEY")
        /// A trigger refuses the change.
        public static let trigger = Kind(description: "TRIGGER")
        /// A value is not of the column's type, in a STRICT table.
        public static let dataType = Kind(description: "DATATYPE")
        /// Any other.
        public static let other = Kind(description: "OTHER")
    }

    /// The constraint's kind.
    public let kind: Kind
    /// The table, where the engine tells it.
    public let table: String?
    /// The columns, where the engine tells them.
    public let columns: [String]
    /// The table that a foreign key points to, where it can be found.
    public let parentTable: String?
    /// The check's name or expression, or the name of the unique index on expressions; as the schema has it.
    public let name: String?

    init(kind: Kind, table: String?, columns: [String] = [], parentTable: String? = nil, name: String? = nil) {
        self.kind = kind
        self.table = table
        self.columns = columns
        self.parentTable = parentTable
        self.name = name
    }

    /// What to do about it, for an error's message.
    var advice: String {
        guard kind == .foreignKey else { return "" }
        if let table, let parentTable {
            return "A row of \"\(table)\" points to a row of \"\(parentTable)\" that is not there."
        }
        return """
            Look at the columns with REFERENCES: a value points to a row that is not there, or rows still point to one \
            that is deleted or gets another key.
            """
    }
}
