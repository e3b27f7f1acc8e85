import Strongroom

/// A piece of a predicate's text.
struct FormatToken {
    let kind: Kind
    /// The bytes of the text that it takes.
    let range: Range<Int>

    enum Kind {
        /// A name, or a word of the language.
        case word(String)
        /// A name with a `#` before it, which is never a word of the language.
        case escapedName(String)
        case number(FormatNumber)
        case text(String)
        case place(FormatPlace.Kind)
        case sign(FormatSign)
        /// What stands in brackets behind an operator.
        case option(String)
        case and, or, not
        case opening, closing, listOpening, listClosing, comma
        case end
    }
}

/// A number as it stands in the text.
struct FormatNumber: Sendable {
    let text: String
    /// An integer where it has neither a fraction nor an exponent and fits.
    let value: Value

    /// What it is, for a message; never the value.
    var name: String {
        if text.contains(where: { $0 == "e" || $0 == "E" }) { return "a number with an exponent" }
        if text.contains(".") { return "a number with a fraction" }
        return value.storageClass == .integer ? "an integer" : "an integer of more than 64 bits"
    }
}

/// An operator that compares.
enum FormatSign: Sendable {
    case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
    case between, isIn
    case beginsWith, endsWith, contains, like

    /// The operator that means the same with the sides exchanged.
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

    /// Whether it asks which of two values is the larger.
    var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
        default: false
        }
    }

    /// The operator in SQL, between two columns.
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

    /// The operator, for a message.
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

/// A place in the text that an argument fills.
struct FormatPlace: Sendable {
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
        /// What was interpolated.
        case interpolated

        /// The form in the text, for a message.
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
