public import Strongroom

/// A condition as a text, in the words of `NSPredicate`, with the values for it.
///
/// What is interpolated becomes a value that is bound, never a part of the text, so it stands without quotes:
///
/// ```swift
/// let found = try Contact.where("age BETWEEN {18, 30} AND name BEGINSWITH[c] \(prefix)").fetch(in: db)
/// let same = try Contact.where("age BETWEEN {18, 30} AND name BEGINSWITH[c] %@", prefix).fetch(in: db)
/// ```
///
/// It is parsed where it is used, and the parse is remembered. See <doc:PredicatesAsText> for the language.
public struct PredicateFormat: Sendable, ExpressibleByStringInterpolation {
    /// The text, with a ``placeholder`` for each value that was interpolated.
    let text: String
    /// The values for `%@` and its like, in order.
    private(set) var arguments: [FormatArgument]
    /// The values that were interpolated, in order.
    let interpolations: [FormatArgument]

    /// Stands for a value that was interpolated.
    static let placeholder: Unicode.Scalar = "\u{FFFC}"

    /// A condition whose text comes from elsewhere.
    ///
    /// ```swift
    /// let query = try Contact.where(PredicateFormat(line))
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it: a `ColumnValue`, an array, a range, or nil.
    public init(_ text: String, _ arguments: (any Sendable)?...) {
        self.init(text, arguments: arguments)
    }

    /// A condition whose text and values come from elsewhere.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it: a `ColumnValue`, an array, a range, or nil.
    public init(_ text: String, arguments: [(any Sendable)?]) {
        self.text = text
        self.arguments = arguments.map(FormatArgument.init)
        interpolations = []
    }

    /// A condition that stands in the source.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) {
        self.init(value, arguments: [])
    }

    /// A condition that stands in the source, with values.
    ///
    /// - Parameter stringInterpolation: The text and the values.
    public init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
        interpolations = stringInterpolation.values
        arguments = []
    }

    /// The same condition with further values behind those that it has, for a function of your own that takes both.
    ///
    /// ```swift
    /// func contacts(_ format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Query<Contact> {
    ///     try Contact.where(format.with(arguments: arguments))
    /// }
    /// ```
    ///
    /// - Parameter added: The values.
    /// - Returns: The condition with all of them.
    public func with(arguments added: [(any Sendable)?]) -> PredicateFormat {
        guard !added.isEmpty else { return self }
        var copy = self
        copy.arguments += added.map(FormatArgument.init)
        return copy
    }

    /// Collects the pieces of a literal.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [FormatArgument] = []

        /// Makes an empty piece.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 3 * interpolationCount)
            values.reserveCapacity(interpolationCount)
        }

        /// Adds text as it stands in the source.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Adds a value.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V) {
            append(value)
        }

        /// Adds a value, or nil.
        // Without this form the compiler warns of every optional that is interpolated.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V?) {
            append(value)
        }

        /// Adds a list, for `IN` and `BETWEEN`.
        // Bytes are a list and a value; the operator says which is meant. A range of integers is a list and a range.
        @_disfavoredOverload
        public mutating func appendInterpolation<List: Collection & Sendable>(_ list: List)
        where List.Element: ColumnValue {
            append(list)
        }

        /// Adds a range that includes both ends, for `IN` and `BETWEEN`.
        public mutating func appendInterpolation<V: ColumnValue & Comparable>(_ range: ClosedRange<V>) {
            append(range)
        }

        private mutating func append(_ value: (any Sendable)?) {
            text.unicodeScalars.append(PredicateFormat.placeholder)
            values.append(FormatArgument(value))
        }
    }
}
