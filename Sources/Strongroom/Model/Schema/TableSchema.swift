/// A table's name, columns and indexes.
///
/// ```swift
/// static let schema = TableSchema(
///     "contact", columns.id, columns.name, columns.email, indexes: [TableIndex(on: columns.name)]
/// )
/// ```
// A class, since every operation on the table reads it.
public final class TableSchema: Sendable {
    /// The table's name.
    public let name: String
    /// The columns, in the order in which records decode and encode them.
    public let columns: [ColumnDefinition]
    /// The indexes, those of columns with `indexed: true` last.
    public let indexes: [TableIndex]
    /// The columns of the primary key, in order; empty if there is none.
    public let primaryKeys: [ColumnDefinition]
    /// What is kept of its previous rows; nil for nothing.
    public let history: History?
    /// The full-text indexes; see <doc:Searching>.
    public let fullText: [FullTextIndex]

    let quotedName: String
    let quotedColumns: String
    /// The table and the names of its primary key as one text, which no other table has.
    let keyNames: String
    /// The columns that store decimals or dates, in any form.
    let formed: [ColumnDefinition]
    let formTypes: String
    @usableFromInline let hasScaledKey: Bool
    /// The column that is an alias of the row id: an integer that is the entire primary key.
    var rowIDColumn: ColumnDefinition? { primaryKeys.count == 1 && primaryKeys[0].isRowID ? primaryKeys[0] : nil }

    /// Declares a table.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - columns: The columns, in order; those with `primaryKey: true` are the primary key.
    ///   - indexes: The indexes. A unique index also serves as a constraint on several columns.
    ///   - history: What is kept of previous rows; nil for nothing. See <doc:KeepingAHistory>.
    ///   - fullText: The full-text indexes; their names differ. See <doc:Searching>.
    public convenience init(
        _ name: String, _ columns: any SchemaColumn..., indexes: [TableIndex] = [], history: History? = nil,
        fullText: [FullTextIndex] = []
    ) {
        self.init(
            name, columns: columns.map(\.definition), indexes: indexes, history: history, fullText: fullText)
    }

    /// Declares a table from a list of columns.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - columns: The columns, in order.
    ///   - indexes: The indexes.
    ///   - history: What is kept of previous rows; nil for nothing.
    ///   - fullText: The full-text indexes; their names differ.
    public init(
        _ name: String, columns: [ColumnDefinition], indexes: [TableIndex] = [], history: History? = nil,
        fullText: [FullTextIndex] = []
    ) {
        (self.name, self.columns, self.history, self.fullText) = (name, columns, history, fullText)
        let own = columns.filter { column in
            column.isIndexed
                && !indexes.contains { $0.parts.count == 1 && $0.columns == [column.name] && $0.name == nil }
        }
        self.indexes = indexes + own.map { TableIndex(of: $0) }
        let keys = columns.filter(\.isPrimaryKey)
        primaryKeys = keys
        hasScaledKey = keys.contains { $0.scale != nil }
        keyNames = ([name] + keys.map(\.name)).joined(separator: "\0")
        let formed = columns.filter { $0.holdsDecimals || $0.scale != nil || $0.holdsDates }
        self.formed = formed
        formTypes = ([name] + formed.map { "\($0.name) \($0.declaredType)" }).joined(separator: "\0")
        quotedName = Identifier.quote(name)
        quotedColumns = columns.map(\.quoted.text).joined(separator: ", ")
    }

    /// The same table with another name, such as `Contact.schema.named("archived_contact")`.
    ///
    /// - Parameter name: The new name. An index with an explicit name is prefixed with `name_`, since index names are
    ///   unique within a file.
    /// - Returns: The table.
    public func named(_ name: String) -> TableSchema {
        guard name != self.name else { return self }
        let followed = indexes.map { index in
            TableIndex(
                index.name.map { "\(name)_\($0)" }, parts: index.parts, unique: index.isUnique, where: index.condition)
        }
        return TableSchema(name, columns: columns, indexes: followed, history: history, fullText: fullText)
    }

    /// The column of the primary key, or the first column of a composite key.
    @usableFromInline
    func primaryKey() throws -> ColumnDefinition {
        guard let column = primaryKeys.first else {
            throw StrongroomError(
                .notDeclared, "Table \"\(name)\" has no primary key; declare a column with `primaryKey: true`.")
        }
        return column
    }

    func creationSQL(ifNotExists: Bool = false) throws -> [String] {
        try Identifier.check(name, "table")
        for (index, column) in columns.enumerated()
        where columns[..<index].contains(where: { Identifier.areSame($0.name, column.name) }) {
            throw StrongroomError(
                .invalidDeclaration, "Table \"\(name)\" has two columns named \"\(column.name)\"; rename one.")
        }
        var list = try columns.map { try $0.sql(isSoleKey: primaryKeys.count == 1) }
        if primaryKeys.count > 1 {
            list.append("PRIMARY KEY (\(primaryKeys.map(\.quoted.text).joined(separator: ", ")))")
        }
        let condition = ifNotExists ? "IF NOT EXISTS " : ""
        return ["CREATE TABLE \(condition)\(quotedName) (\(list.joined(separator: ", ")))"]
            + (try indexes.map { try $0.sql(table: name, ifNotExists: ifNotExists) })
    }
}

/// An index on columns or expressions of a table.
///
/// ```swift
/// TableIndex(on: columns.section, columns.name)
/// TableIndex("by_word", on: .expression("lower(word)"), .column("age", descending: true), where: "age > 17")
/// ```
public struct TableIndex: Sendable {
    /// The index's name, or nil for the names of the table and the columns, joined by `_`.
    public let name: String?
    /// The indexed columns and expressions, in order.
    public let parts: [IndexPart]
    /// Whether the values must be unique.
    public let isUnique: Bool
    /// The condition of a partial index; nil for an index of all rows.
    public let condition: SQL?

    /// The names of the indexed columns, in order, without expressions.
    public var columns: [String] { parts.compactMap(\.column) }

    /// Declares an index on columns.
    ///
    /// - Parameters:
    ///   - name: The index's name; nil for the names of the table and the columns, joined by `_`.
    ///   - columns: The columns, in order.
    ///   - unique: Whether the values must be unique.
    ///   - condition: The condition of a partial index, as SQL without bound values; nil for all rows. See "Partial
    ///     Indexes" (sqlite.org/partialindex.html).
    public init(
        _ name: String? = nil,
        on columns: any SchemaColumn...,
        unique: Bool = false,
        where condition: SQL? = nil
    ) {
        self.init(name, parts: columns.map { .column($0.definition.name) }, unique: unique, where: condition)
    }

    /// Declares an index on columns and expressions.
    ///
    /// - Parameters:
    ///   - name: The index's name; required if an expression is indexed.
    ///   - parts: The indexed columns and expressions, in order.
    ///   - unique: Whether the values must be unique.
    ///   - condition: The condition of a partial index, as SQL without bound values; nil for all rows.
    public init(_ name: String? = nil, on parts: IndexPart..., unique: Bool = false, where condition: SQL? = nil) {
        self.init(name, parts: parts, unique: unique, where: condition)
    }

    init(_ name: String?, parts: [IndexPart], unique: Bool, where condition: SQL?) {
        self.name = name
        self.parts = parts
        self.isUnique = unique
        self.condition = condition
    }

    /// The index of a column with `indexed: true`.
    init(of column: ColumnDefinition) { self.init(nil, parts: [.column(column.name)], unique: false, where: nil) }

    func name(in table: String) -> String {
        name ?? ([table] + columns).joined(separator: "_")
    }

    func sql(table: String, ifNotExists: Bool = false) throws -> String {
        let name = name(in: table)
        try Identifier.check(name, "index")
        guard self.name != nil || parts.allSatisfy({ $0.column != nil }) else {
            throw StrongroomError(
                .invalidDeclaration, "An index on an expression of table \"\(table)\" has no name; set one.")
        }
        let list = try parts.map { try $0.sql(index: name) }.joined(separator: ", ")
        let kind = (isUnique ? "UNIQUE INDEX" : "INDEX") + (ifNotExists ? " IF NOT EXISTS" : "")
        var sql = "CREATE \(kind) \(Identifier.quote(name)) ON \(Identifier.quote(table)) (\(list))"
        if let condition { sql += " WHERE \(try condition.literalText("the condition of index \"\(name)\""))" }
        return sql
    }
}

/// An indexed column or expression, with its collation and sort order.
public struct IndexPart: Sendable {
    /// The column's name, or nil for an expression.
    public let column: String?
    /// The expression, or the column's quoted name.
    public let sql: SQL
    /// The collating sequence for texts; nil for that of the column.
    public let collation: Collation?
    /// Whether it is sorted in descending order.
    public let isDescending: Bool

    /// A column.
    ///
    /// - Parameters:
    ///   - name: The column's name.
    ///   - collation: The collating sequence for texts; nil for that of the column.
    ///   - descending: Whether to sort in descending order.
    /// - Returns: The part.
    public static func column(_ name: String, collation: Collation? = nil, descending: Bool = false) -> IndexPart {
        IndexPart(column: name, sql: "\(name: name)", collation: collation, isDescending: descending)
    }

    /// An expression of the row's columns.
    ///
    /// - Parameters:
    ///   - sql: The expression; no bound values. See "Indexes On Expressions" (sqlite.org/expridx.html).
    ///   - collation: The collating sequence for texts.
    ///   - descending: Whether to sort in descending order.
    /// - Returns: The part.
    public static func expression(_ sql: SQL, collation: Collation? = nil, descending: Bool = false) -> IndexPart {
        IndexPart(column: nil, sql: sql, collation: collation, isDescending: descending)
    }

    func sql(index: String) throws -> String {
        if let column { try Identifier.check(column, "column") }
        var text = try sql.literalText("index \"\(index)\"")
        if let collation { text += " COLLATE \(Identifier.quote(collation.name))" }
        return isDescending ? text + " DESC" : text
    }
}
