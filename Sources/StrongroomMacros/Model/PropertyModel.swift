#if Macros
import SwiftSyntax

/// A stored property that is a column.
struct PropertyModel {
    /// The encoding of a value that is not itself a column value.
    enum Encoding: String {
        case json = "JSON"
    }

    /// The name as in the source, with backticks if needed.
    let identifier: TokenSyntax
    /// The type as in the source.
    let type: TypeSyntax
    /// The type's text; qualified with its module if inferred from a literal.
    let typeText: String
    let isConstant: Bool
    let access: Access
    let column: ColumnArguments
    /// The source of its initial value, if that is a constant that a column can have as its default.
    let initialValue: String?

    /// The name in Swift code, for use after a dot.
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
