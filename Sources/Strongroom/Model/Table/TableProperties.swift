/// The typed columns of a table by the names of its properties; the schema knows neither their Swift types nor these
/// names.
package struct TableProperties: Sendable {
    /// A property, and the column that is stored for it.
    package struct Property: Sendable {
        package let name: String
        package let expression: any SQLExpression
        let kind: ColumnKind
        let isNullable: Bool
        /// The Swift type without its optional.
        let type: any ColumnValue.Type

        init<Expression: SQLExpression>(_ name: String, _ expression: Expression) {
            self.name = name
            self.expression = expression
            type = Expression.Value.Unwrapped.self
            kind = ColumnKind(type)
            isNullable = Expression.Value._isNullable
        }
    }

    /// All of them, in the order of the table's typed columns.
    package let all: [Property]
    private let byColumn: [String: Property]

    private static let known = Locked<[ObjectIdentifier: TableProperties]>([:])

    /// The properties of a table; looked up once.
    package static func of<Source: Table>(_ table: Source.Type) -> TableProperties {
        let key = ObjectIdentifier(table)
        if let properties = known.withLock({ $0[key] }) { return properties }
        let properties = TableProperties(table)
        known.withLock { $0[key] = properties }
        return properties
    }

    private init<Source: Table>(_ table: Source.Type) {
        all = Mirror(reflecting: Source.columns).children.compactMap { child in
            guard let name = child.label, let expression = child.value as? any SQLExpression else { return nil }
            return Property(name, expression)
        }
        let pairs = all.compactMap { property in property.expression._columnName.map { ($0, property) } }
        byColumn = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The property that is stored in a column.
    func property(ofColumn column: String) -> Property? { byColumn[column] }
}
