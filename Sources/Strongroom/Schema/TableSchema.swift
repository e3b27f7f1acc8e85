/// A table's name, columns and indexes.
///
/// ```swift
/// static let schema = TableSchema(
///     "contact", columns.id, columns.name, columns.email, indexes: [TableIndex(on: columns.name)]
/// )
/// ```
public struct TableSchema: Sendable {
    /// The table's name.
    public let name: String
    /// The columns, in the order in which records read and write them.
    public let columns: [ColumnDefinition]
    /// The indexes.
    public let indexes: [TableIndex]

    /// Describes a table.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - columns: The columns, in order.
    ///   - indexes: The indexes.
    public init(_ name: String, _ columns: any TableColumn..., indexes: [TableIndex] = []) {
        self.name = name
        self.columns = columns.map(\.definition)
        self.indexes = indexes
    }

    /// Describes a table whose columns are those of a record.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - columns: The columns, in order.
    ///   - indexes: The indexes.
    public init(_ name: String, columns: [ColumnDefinition], indexes: [TableIndex] = []) {
        self.name = name
        self.columns = columns
        self.indexes = indexes
    }

    /// The primary key's column.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` when there is none.
    @usableFromInline
    func primaryKey() throws -> ColumnDefinition {
        guard let column = columns.first(where: \.isPrimaryKey) else {
            throw StrongroomError(
                .invalidName, "Table «\(name)» has no primary key; give one column `primaryKey: true`.")
        }
        return column
    }

    /// The statements that make the table and its indexes.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` for a name that is empty or stands twice.
    func creationSQL() throws -> [String] {
        try Identifier.check(name, "table")
        var seen: Set<String> = []
        for column in columns where !seen.insert(column.name.lowercased()).inserted {
            throw StrongroomError(.invalidName, "Table «\(name)» has two columns named «\(column.name)»; rename one.")
        }
        let list = try columns.map { try $0.sql() }.joined(separator: ", ")
        return ["CREATE TABLE \(Identifier.quote(name)) (\(list))"] + indexes.map { $0.sql(table: name) }
    }
}
