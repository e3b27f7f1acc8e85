/// Collects the orderings of a query's closure: one, a tuple, an array, or several lines, also with `if` and `for`.
///
/// ```swift
/// Contact.order { ($0.city.ascending, $0.name.descending) }
/// Contact.order { contact in
///     if byCity { contact.city.ascending }
///     contact.name.ascending
/// }
/// ```
@resultBuilder
public enum OrderingBuilder {
    /// One ordering.
    public static func buildExpression(_ ordering: Ordering) -> [Ordering] { [ordering] }

    /// An array of orderings.
    public static func buildExpression(_ orderings: [Ordering]) -> [Ordering] { orderings }

    /// Two orderings.
    public static func buildExpression(_ orderings: (Ordering, Ordering)) -> [Ordering] {
        [orderings.0, orderings.1]
    }

    /// Three orderings.
    public static func buildExpression(_ orderings: (Ordering, Ordering, Ordering)) -> [Ordering] {
        [orderings.0, orderings.1, orderings.2]
    }

    /// Four orderings.
    public static func buildExpression(_ orderings: (Ordering, Ordering, Ordering, Ordering)) -> [Ordering] {
        [orderings.0, orderings.1, orderings.2, orderings.3]
    }

    /// All lines.
    public static func buildBlock(_ parts: [Ordering]...) -> [Ordering] { Array(parts.joined()) }

    /// An `if` without `else`.
    public static func buildOptional(_ part: [Ordering]?) -> [Ordering] { part ?? [] }

    /// The first branch of an `if`.
    public static func buildEither(first part: [Ordering]) -> [Ordering] { part }

    /// The second branch of an `if`.
    public static func buildEither(second part: [Ordering]) -> [Ordering] { part }

    /// A `for`.
    public static func buildArray(_ parts: [[Ordering]]) -> [Ordering] { Array(parts.joined()) }
}
