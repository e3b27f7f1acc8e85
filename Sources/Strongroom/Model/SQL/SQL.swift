/// SQL and the values that are bound to it.
///
/// What is interpolated into it becomes a parameter, never text, so nothing that a user typed can change the statement:
///
/// ```swift
/// let limit = 18
/// let query: SQL = "SELECT name FROM contact WHERE age > \(limit)"
/// ```
///
/// A table's or column's name is interpolated with `\(name: …)`, which quotes it, another piece of SQL with `\(sql)`.
public struct SQL: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The text, with a `?` for each value.
    public private(set) var text: String

    /// The values, in the order of their places.
    public private(set) var values: [Value]

    /// The scale of what it stands for, where that is a decimal stored as a scaled integer.
    var scale: DecimalScale?

    /// What is wrong with it, such as a value that cannot be stored; thrown when the statement runs.
    var defect: StrongroomError? { flaw?.error }

    // By reference, since nearly none has one and each is copied often.
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

    // Labelled, since `SQL("\(name)")` would be the literal, whose pieces are parameters.
    package init(verbatim text: String, _ values: [Value] = []) {
        self.text = text
        self.values = values
    }

    /// SQL that fails with an error when it runs.
    init(failing error: StrongroomError) {
        self.init(verbatim: "")
        flaw = Flaw(error)
    }

    /// A query that gives the values of a list; it has one parameter for all of them.
    init(listing values: [Value]) {
        self.init(verbatim: ListTable.query("?"), [.blob(ListTable.encode(values))])
    }

    /// Empty SQL with room for a text.
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

    /// Adds a parameter whose stored form may not be there.
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

    /// Collects the pieces of a literal.
    public struct Interpolation: StringInterpolationProtocol {
        var sql = SQL(verbatim: "")

        /// Makes an empty piece.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds SQL as it stands in the source.
        public mutating func appendLiteral(_ literal: String) {
            sql.append(text: literal)
        }

        /// Adds a parameter.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V) {
            sql.append(value: value)
        }

        /// Adds a parameter; nil is NULL.
        // Without this form the compiler warns of every optional that is interpolated.
        public mutating func appendInterpolation<V: ColumnValue>(_ value: V?) {
            sql.append(value: value)
        }

        /// Adds a quoted name.
        public mutating func appendInterpolation(name: String) {
            sql.append(text: Identifier.quote(name))
        }

        /// Adds SQL with its values.
        public mutating func appendInterpolation(_ other: SQL) {
            sql.append(other)
        }
    }
}
