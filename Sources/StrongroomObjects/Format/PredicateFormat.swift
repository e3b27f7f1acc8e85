public import Strongroom

/// A predicate as text, in the syntax of `NSPredicate`, with its values.
///
/// An interpolation becomes a bound value, never a part of the text, so it is written without quotes:
///
/// ```swift
/// let found = try Contact.where("age BETWEEN {18, 30} AND name BEGINSWITH[c] \(prefix)").fetch(in: db)
/// let same = try Contact.where("age BETWEEN {18, 30} AND name BEGINSWITH[c] %@", prefix).fetch(in: db)
/// ```
///
/// The text is parsed when it is used, and the result is cached. See <doc:PredicatesAsText> for the language.
public struct PredicateFormat: Sendable, ExpressibleByStringInterpolation {
    /// The text, with a ``placeholder`` for each interpolated value.
    let text: String
    /// The values of the placeholders `%@`, `%d`, `%f` and `%K`, in order.
    private(set) var arguments: [FormatArgument]
    /// The interpolated values, in order.
    let interpolations: [FormatArgument]

    /// The placeholder of an interpolated value.
    static let placeholder: Unicode.Scalar = "\u{FFFC}"

    /// Creates a predicate from a text that is not a literal.
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

    /// Creates a predicate from a text and values that are not literals.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it: a `ColumnValue`, an array, a range, or nil.
    public init(_ text: String, arguments: [(any Sendable)?]) {
        self.text = text
        self.arguments = arguments.map(FormatArgument.init)
        interpolations = []
    }

    /// Creates a predicate from a string literal.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) {
        self.init(value, arguments: [])
    }

    /// Creates a predicate from a string literal with interpolated values.
    ///
    /// - Parameter stringInterpolation: The text and the values.
    public init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
        interpolations = stringInterpolation.values
        arguments = []
    }

    /// Appends further values, for a function of your own that takes a text and values.
    ///
    /// ```swift
    /// func contacts(_ format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Query<Contact> {
    ///     try Contact.where(format.with(arguments: arguments))
    /// }
    /// ```
    ///
    /// - Parameter added: The values.
    /// - Returns: The predicate with all values.
    public func with(arguments added: [(any Sendable)?]) -> PredicateFormat {
        guard !added.isEmpty else { return self }
        var copy = self
        copy.arguments += added.map(FormatArgument.init)
        return copy
    }

    /// Collects the segments of a literal.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [FormatArgument] = []

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 3 * interpolationCount)
            values.reserveCapacity(interpolationCount)
        }

        /// Adds a segment of the literal.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Adds a value.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V) {
            append(value)
        }

        /// Adds a value, or nil.
        // Without this overload, the compiler warns about every interpolated optional.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V?) {
            append(value)
        }

        /// Adds a list, for `IN` and `BETWEEN`.
        // Bytes can be a list or a value, depending on the operator. A range of integers can be a list or a range.
        @_disfavoredOverload
        public mutating func appendInterpolation<List: Collection & Sendable>(_ list: List)
        where List.Element: ColumnValue {
            append(list)
        }

        /// Adds a closed range, for `IN` and `BETWEEN`.
        public mutating func appendInterpolation<V: ColumnValue & Comparable>(_ range: ClosedRange<V>) {
            append(range)
        }

        private mutating func append(_ value: (any Sendable)?) {
            text.unicodeScalars.append(PredicateFormat.placeholder)
            values.append(FormatArgument(value))
        }
    }
}
