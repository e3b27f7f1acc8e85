/// An index on one or more columns of a table.
///
/// ```swift
/// TableIndex(on: columns.section, columns.name)
/// ```
public struct TableIndex: Sendable {
    /// The index's name, or nil for the table's and the columns' names joined by `_`.
    public let name: String?
    /// The names of the indexed columns, in order.
    public let columns: [String]
    /// Whether no two rows may have the same values.
    public let isUnique: Bool

    /// Describes an index.
    ///
    /// - Parameters:
    ///   - name: The index's name; nil for the table's and the columns' names joined by `_`.
    ///   - columns: The columns, in order.
    ///   - unique: Whether no two rows may have the same values.
    public init(_ name: String? = nil, on columns: any TableColumn..., unique: Bool = false) {
        self.name = name
        self.columns = columns.map(\.definition.name)
        self.isUnique = unique
    }

    func name(in table: String) -> String {
        name ?? ([table] + columns).joined(separator: "_")
    }

    func sql(table: String) -> String {
        let list = columns.map(Identifier.quote).joined(separator: ", ")
        let kind = isUnique ? "UNIQUE INDEX" : "INDEX"
        return "CREATE \(kind) \(Identifier.quote(name(in: table))) ON \(Identifier.quote(table)) (\(list))"
    }
}
