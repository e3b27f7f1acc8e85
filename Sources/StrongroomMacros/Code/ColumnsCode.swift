#if Macros
import SwiftSyntax

extension RecordModel {
    /// The access modifier of members, with a space.
    var prefix: String { access.memberPrefix }

    /// The typed columns and the members derived from them.
    var columnsCode: [String] {
        [columnsType, "\(prefix)static let columns = Columns()", definitions, names] + upkeep
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

                \(prefix)init() {\(typeChecks)
                }
            }
            """
    }

    /// Calls that the compiler refuses, with advice, for a type that no column can store.
    private var typeChecks: String {
        let unknown = properties.filter { !$0.type.isKnownColumnValue && $0.column.encoding == nil }
        var types: [String] = []
        for property in unknown where !types.contains(property.wrappedText) { types.append(property.wrappedText) }
        return types.map { "\n        Strongroom.ColumnDefinition._requireColumnValue(\($0).self)" }.joined()
    }

    /// The columns that the table maintains, if any.
    private var upkeep: [String] {
        let calls = properties.compactMap { property in
            property.column.kept.map {
                "\n        .\($0.rawValue)(\\Self.\(property.name), \(property.columnName.swiftLiteral))"
            }
        }
        guard !calls.isEmpty else { return [] }
        return [
            "\(prefix)static let _upkeep: Strongroom._RecordUpkeep<Self>? = Strongroom._RecordUpkeep<Self>()"
                + calls.joined()
        ]
    }

    private func arguments(of property: PropertyModel) -> String {
        var list = [property.columnName.swiftLiteral]
        if let scale = property.column.scale { list.append("scale: \(scale)") }
        if let form = property.column.dateForm { list.append("as: .\(form)") }
        let isKey = keys.contains { $0.name == property.name }
        if isKey { list.append("primaryKey: true") }
        list += property.column.copied
        if !isKey, let value = property.initialValue { list.append("initial: \(value)") }
        return list.joined(separator: ", ")
    }

    private var definitions: String {
        let list = properties.map { "columns.\($0.name).definition" }
        return """
            \(prefix)static let _columnDefinitions: [Strongroom.ColumnDefinition] = [
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
