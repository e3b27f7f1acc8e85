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

/// A function or collation that a statement needs and the connection does not have.
struct MissingName: Sendable, Hashable {
    enum Kind: Sendable {
        case function, collation
    }

    let kind: Kind
    let name: String

    /// The engine's messages, up to the name.
    private static let messages: [(beginning: String, kind: Kind)] = [
        ("no such function: ", .function), ("unknown function: ", .function),
        ("no such collation sequence: ", .collation),
    ]

    /// - Parameters:
    ///   - message: The engine's error message; nil results for another error.
    ///   - isPrefix: Whether the message begins so, as at run time, where it may quote a value. When a statement is
    ///     prepared, the name of a damaged schema's object may come first.
    init?(_ message: String, isPrefix: Bool = false) {
        for (beginning, kind) in Self.messages {
            guard let range = message.firstRange(of: beginning), !isPrefix || range.lowerBound == message.startIndex
            else { continue }
            let name = message[range.upperBound...]
            (self.kind, self.name) = (kind, String(name.hasSuffix("()") ? name.dropLast(2) : name))
            return
        }
        return nil
    }

    var title: String { "the \(kind == .function ? "function" : "collation") \"\(name)\"" }

    func error(sql: String?, database: String) -> StrongroomError {
        let property = kind == .function ? "functions(for:)" : "collations(for:)"
        var error = StrongroomError(
            kind == .function ? .missingFunction : .missingCollation,
            """
            The statement, or an index, check, trigger or view that it uses, needs \(title), which \
            neither the engine nor the configuration has. Declare it in `\(property)` of the configuration, or \
            correct its name.
            """,
            database: database, sql: sql, resultCode: ResultCode(extended: 1))
        error.missing = self
        return error
    }
}

/// A stored value that does not match the requested type: its location, its storage class and the expected type.
///
/// ```swift
/// catch let error as StrongroomError where error.code == .typeMismatch {
///     print(error.mismatch?.column ?? "", error.mismatch?.rowID ?? 0)
/// }
/// ```
public struct TypeMismatch: Sendable, Equatable {
    /// The table, if a table's operation or query read the value.
    public var table: String?
    /// The function in Swift, if the value is an argument of one.
    public internal(set) var function: String?
    /// The column, as the statement names it; for an argument of a function, its position from 1 on.
    public let column: String
    /// The row id, if it is known.
    public var rowID: Int64?
    /// The storage class or the spelling of the stored value, never the value itself.
    public let found: String
    /// The expected type.
    public let wanted: String
    /// Whether the value is one of the type, in another spelling than its column has.
    var isOtherSpelling = false
    /// What in the value does not fit, for a value in a form of its own such as JSON; not the value.
    var reason: String?

    init(column: String, found: String, wanted: String, reason: String? = nil, isOtherSpelling: Bool = false) {
        (self.column, self.found, self.wanted, self.reason) = (column, found, wanted, reason)
        self.isOtherSpelling = isOtherSpelling
    }

    private var expectation: String {
        let expected = "\(wanted) \(wanted == "bytes" ? "are" : "is") expected"
        return reason.map { "\(expected): \($0)" } ?? expected
    }

    var message: String {
        if let function {
            return """
                Argument \(column) of the function "\(function)" is \(found) where \(expectation); correct the row or \
                the function's type.
                """
        }
        var location = "Column \"\(column)\""
        if let table { location += " of table \"\(table)\"" }
        if let rowID { location += ", row \(rowID)," }
        if isOtherSpelling {
            return """
                \(location) contains \(found) where \(wanted) is expected: the engine compares what is stored, so \
                that a column has one spelling. Rewrite the table with `db.convertSpellings(of:)` in a migration.
                """
        }
        return "\(location) contains \(found) where \(expectation); correct the row or the record's type."
    }
}

extension StrongroomError {
    static func typeMismatch(_ mismatch: TypeMismatch, sql: String?) -> StrongroomError {
        var error = StrongroomError(.typeMismatch, mismatch.message, sql: sql)
        error.mismatch = mismatch
        return error
    }

    /// Adds the table and the row to a mismatch error that has neither a table nor a function.
    @usableFromInline
    func located(in table: String, rowID: Int64?) -> StrongroomError {
        located { ($0.table, $0.rowID) = (table, rowID) }
    }

    /// Adds the function to such an error.
    func located(inFunction name: String) -> StrongroomError { located { $0.function = name } }

    private func located(_ locate: (inout TypeMismatch) -> Void) -> StrongroomError {
        guard var mismatch, mismatch.table == nil, mismatch.function == nil else { return self }
        locate(&mismatch)
        var error = StrongroomError.typeMismatch(mismatch, sql: sql)
        error.database = database
        return error
    }
}
