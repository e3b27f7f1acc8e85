/// The syntax tree of a predicate text, independent of table and arguments.
indirect enum FormatNode: Sendable {
    case all([FormatNode])
    case any([FormatNode])
    case not(FormatNode)
    case comparison(FormatComparison)

    /// Whether it has no child nodes.
    var isComparison: Bool { if case .comparison = self { true } else { false } }
}

/// A comparison of two operands.
struct FormatComparison: Sendable {
    let left: FormatOperand
    let sign: FormatSign
    /// Whether it has `[c]`.
    let isCaseless: Bool
    let right: FormatOperand
    /// The position of the operator.
    let range: Range<Int>
}

/// An operand of a comparison.
struct FormatOperand: Sendable {
    let content: Content
    let range: Range<Int>

    enum Content: Sendable {
        case property(String)
        case null
        case bool(Bool)
        case number(FormatNumber)
        case text(String)
        /// The index of the argument, or of the interpolated value, from 0.
        case argument(FormatPlaceholder.Kind, Int)
        case list([FormatOperand])
    }
}

/// A parsed text.
final class ParsedFormat: Sendable {
    let text: String
    let root: FormatNode
    /// The placeholders for arguments, in order, without those of interpolated values.
    let placeholders: [FormatPlaceholder]
    /// The number of interpolated values.
    let interpolationCount: Int

    init(_ text: String, _ root: FormatNode, placeholders: [FormatPlaceholder], interpolationCount: Int) {
        self.text = text
        self.root = root
        self.placeholders = placeholders
        self.interpolationCount = interpolationCount
    }
}
