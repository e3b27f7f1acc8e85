import Strongroom

/// A token of a predicate text.
struct FormatToken {
    let kind: Kind
    /// Its byte range in the text.
    let range: Range<Int>

    enum Kind {
        /// A name or a keyword.
        case word(String)
        /// A name after a `#`, which is never a keyword.
        case escapedName(String)
        case number(FormatNumber)
        case text(String)
        case placeholder(FormatPlaceholder.Kind)
        case sign(FormatSign)
        /// The text in brackets after an operator.
        case option(String)
        case and, or, not
        case leftParenthesis, rightParenthesis, leftBrace, rightBrace, comma
        case end
    }
}

/// A number literal.
struct FormatNumber: Sendable {
    let text: String
    /// The integer, if it has neither a fraction nor an exponent and is in range.
    let value: SQLValue

    /// A description for messages; never the value.
    var name: String {
        if text.contains(where: { $0 == "e" || $0 == "E" }) { return "a number with an exponent" }
        if text.contains(".") { return "a number with a fraction" }
        return value.storageClass == .integer ? "an integer" : "an integer of more than 64 bits"
    }
}

/// A comparison operator.
enum FormatSign: Sendable {
    case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
    case between, isIn
    case beginsWith, endsWith, contains, like

    /// The equivalent operator with the operands exchanged.
    var mirrored: FormatSign? {
        switch self {
        case .equal, .unequal: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }

    /// Whether it is an ordering comparison.
    var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
        default: false
        }
    }

    /// The SQL operator between two columns.
    var sql: String? {
        switch self {
        case .equal: " = "
        case .unequal: " <> "
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        default: nil
        }
    }

    /// The operator, for messages.
    var name: String {
        switch self {
        case .equal: "=="
        case .unequal: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .between: "BETWEEN"
        case .isIn: "IN"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .like: "LIKE"
        }
    }
}

/// A placeholder for an argument.
struct FormatPlaceholder: Sendable {
    let kind: Kind
    let range: Range<Int>

    enum Kind: Sendable {
        /// `%@`
        case any
        /// `%d`
        case integer
        /// `%f`
        case real
        /// `%K`
        case property
        /// An interpolated value.
        case interpolated

        /// Its form in the text, for messages.
        var name: String {
            switch self {
            case .any: "%@"
            case .integer: "%d"
            case .real: "%f"
            case .property: "%K"
            case .interpolated: "\\(…)"
            }
        }
    }
}
