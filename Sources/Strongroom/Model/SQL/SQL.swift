/// SQL text and its bound values.
///
/// Interpolated values become parameters, never text, so user input cannot change the statement:
///
/// ```swift
/// let limit = 18
/// let query: SQL = "SELECT name FROM contact WHERE age > \(limit)"
/// ```
///
/// Table and column names are interpolated with `\(name: …)`, which quotes them, and other SQL with `\(sql)`.
public struct SQL: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The text, with a `?` for each value.
    public private(set) var text: String

    /// The values, in the order of their placeholders.
    public private(set) var values: [Value]

    /// The stored form of the result, if it is not that of its type: the scale of a decimal, or the form of a date.
    var scale: StoredForm?

    /// An error, such as that of a value that cannot be stored, which is thrown when the statement runs.
    var defect: StrongroomError? { flaw?.error }

    // By reference: errors are rare, and SQL values are copied often.
    private var flaw: Flaw?

    private final class Flaw: Sendable, Equatable {
        let error: StrongroomError

        init(_ error: StrongroomError) { self.error = error }

        static func == (left: Flaw, right: Flaw) -> Bool { left.error == right.error }
    }

    /// SQL without values.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) {
        self.init(verbatim: value)
    }

    /// SQL with values.
    ///
    /// - Parameter stringInterpolation: The text and the values.
    public init(stringInterpolation: Interpolation) {
        self = stringInterpolation.sql
    }

    // The label is needed: `SQL("\(name)")` would be the literal, whose interpolations are parameters.
    package init(verbatim text: String, _ values: [Value] = []) {
        self.text = text
        self.values = values
    }

    /// SQL that throws an error when it runs.
    init(failing error: StrongroomError) {
        self.init(verbatim: "")
        flaw = Flaw(error)
    }

    /// A query for the values of a list, with a single parameter.
    init(listing values: [Value]) {
        self.init(verbatim: ListTable.query("?"), [.blob(ListTable.encode(values))])
    }

    /// Empty SQL with reserved capacity.
    init(reserving bytes: Int) {
        self.init(verbatim: "")
        text.reserveCapacity(bytes)
    }

    package mutating func append(text: String) {
        self.text += text
    }

    package mutating func append(_ other: SQL) {
        text += other.text
        if values.isEmpty { values = other.values } else { values += other.values }
        if flaw == nil { flaw = other.flaw }
    }

    mutating func append<V: ColumnValue>(value: V) {
        append { try value.stored() }
    }

    /// Appends a parameter; an error of its conversion is thrown when the statement runs.
    mutating func append(_ stored: () throws -> Value) {
        text += "?"
        do {
            values.append(try stored())
        } catch {
            values.append(.null)
            let error = error as? StrongroomError
            flaw = flaw ?? Flaw(error ?? StrongroomError(.valueNotStorable, "The value has no stored form."))
        }
    }

    mutating func fail(_ error: StrongroomError) {
        flaw = flaw ?? Flaw(error)
    }

    /// Collects the segments of a literal.
    public struct Interpolation: StringInterpolationProtocol {
        var sql = SQL(verbatim: "")

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends SQL text.
        public mutating func appendLiteral(_ literal: String) {
            sql.append(text: literal)
        }

        /// Appends a parameter.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V) {
            sql.append(value: value)
        }

        /// Appends a parameter; nil is NULL.
        // Without this overload the compiler warns about every interpolated optional.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V?) {
            sql.append(value: value)
        }

        /// Appends a quoted name.
        public mutating func appendInterpolation(name: String) {
            sql.append(text: Identifier.quote(name))
        }

        /// Appends SQL with its values.
        public mutating func appendInterpolation(_ other: SQL) {
            sql.append(other)
        }
    }
}
