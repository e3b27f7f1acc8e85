#if Macros
import SwiftSyntax

extension RecordModel {
    /// The access modifier of members, with a space.
    var prefix: String { access.memberPrefix }

    /// The typed columns and the members derived from them.
    var columnsCode: [String] {
        [columnsType, "\(prefix)static let columns = Columns()", definitions, names]
    }

    private var columnsType: String {
        let columns = properties.map { property in
            let access = min(access, property.access)
            let word = access == .fileprivate && property.access != .fileprivate ? "" : access.prefix
            return "\(word)let \(property.name) = Strongroom.Column<\(property.columnType)>(\(arguments(of: property)))"
        }
        return """
            /// The typed columns.
            \(prefix)struct Columns: Swift.Sendable {
                \(columns.joined(separator: "\n    "))

                \(prefix)init() {
                }
            }
            """
    }

    private func arguments(of property: PropertyModel) -> String {
        var list = [property.columnName.swiftLiteral]
        if let scale = property.column.scale { list.append("scale: \(scale)") }
        if keys.contains(where: { $0.name == property.name }) { list.append("primaryKey: true") }
        return (list + property.column.copied).joined(separator: ", ")
    }

    private var definitions: String {
        let list = properties.map { "columns.\($0.name).definition" }
        return """
            \(prefix)static let columnDefinitions: [Strongroom.ColumnDefinition] = [
                \(list.joined(separator: ",\n    ")),
            ]
            """
    }

    private var names: String {
        let list = properties.map(\.columnName.swiftLiteral)
        return "\(prefix)static let columnNames: [Swift.String] = [\(list.joined(separator: ", "))]"
    }
}

extension String {
    /// The text as a literal in Swift's source.
    var swiftLiteral: String { debugDescription }
}
#endif
