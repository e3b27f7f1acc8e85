#if Macros
import SwiftSyntax

/// A stored property that is a column.
struct PropertyModel {
    /// How a value is stored that is no column's value by itself.
    enum Encoding: String {
        case json = "JSON"
        case propertyList = "PropertyList"
    }

    /// The name as the source has it, with backticks where it needs them.
    let identifier: TokenSyntax
    /// The type as the source has it.
    let type: TypeSyntax
    /// The type's text; for a literal's type with its module.
    let typeText: String
    let isConstant: Bool
    let access: Access
    let column: ColumnArguments

    /// The name in Swift, for use after a dot.
    var name: String { identifier.text }

    /// The name without backticks.
    var plainName: String { name.filter { $0 != "`" } }

    /// The column's name.
    var columnName: String { column.name ?? plainName }

    /// The type without its optional.
    var wrappedText: String { type.wrapped?.trimmedDescription ?? typeText }

    var isOptional: Bool { type.wrapped != nil }

    /// The type of the column.
    var columnType: String {
        guard let encoding = column.encoding else { return typeText }
        return "Strongroom.\(encoding.rawValue)<\(wrappedText)>\(isOptional ? "?" : "")"
    }
}
#endif
