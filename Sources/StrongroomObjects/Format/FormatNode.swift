/// A predicate's text as a tree, before it is known for which table and with which arguments.
indirect enum FormatNode: Sendable {
    case all([FormatNode])
    case any([FormatNode])
    case not(FormatNode)
    case comparison(FormatComparison)

    /// Whether it holds no other one.
    var isComparison: Bool { if case .comparison = self { true } else { false } }
}

/// A comparison of two operands.
struct FormatComparison: Sendable {
    let left: FormatOperand
    let sign: FormatSign
    /// Whether it has `[c]`.
    let isCaseless: Bool
    let right: FormatOperand
    /// Where the operator stands.
    let range: Range<Int>
}

/// What is compared.
struct FormatOperand: Sendable {
    let content: Content
    let range: Range<Int>

    enum Content: Sendable {
        case property(String)
        case null
        case bool(Bool)
        case number(FormatNumber)
        case text(String)
        /// The number of the argument, or of the interpolated value, counted from 0.
        case argument(FormatPlace.Kind, Int)
        case list([FormatOperand])
    }
}

/// A text that was parsed.
final class ParsedFormat: Sendable {
    let text: String
    let root: FormatNode
    /// The places for arguments, in order, without those for interpolated values.
    let places: [FormatPlace]
    /// How many interpolated values it has.
    let interpolationCount: Int

    init(_ text: String, _ root: FormatNode, places: [FormatPlace], interpolationCount: Int) {
        self.text = text
        self.root = root
        self.places = places
        self.interpolationCount = interpolationCount
    }
}
