import Strongroom

/// A value that is compared with a property.
enum FormatConstant {
    case null
    case bool(Bool)
    case number(FormatNumber)
    case text(String)
    case argument(any ColumnValue)

    /// A description for messages; never the value.
    var name: String {
        switch self {
        case .null: "nil"
        case .bool: "TRUE or FALSE"
        case .number(let number): number.name
        case .text: "a text"
        case .argument(let value): "a value of type \(type(of: value))"
        }
    }

    /// The text, or nil for another kind of constant.
    var asText: String? {
        get throws {
            switch self {
            case .text(let text): text
            case .argument(let value) where ColumnKind(type(of: value).unwrapped) == .text: try value.stored().asText
            default: nil
            }
        }
    }

    /// The value in a column's type, decoded as if it were read from the file, so that each type decides whether it
    /// accepts the value.
    ///
    /// - Returns: The value, or nil if the type does not accept it.
    /// - Throws: `StrongroomError` with `valueNotStorable` for a value that the engine cannot store, such as NaN.
    func converted<V: ColumnValue>(to type: V.Type) throws -> V? {
        switch self {
        case .null: return V._isNullable ? try? V.read(.null) : nil
        case .argument(let argument):
            // The cast alone would suffice, but is slow if it fails.
            if Swift.type(of: argument).unwrapped == V.Unwrapped.self, let value = argument as? V {
                // Otherwise the error would occur only when the query runs.
                _ = try value.stored()
                return value
            }
            guard let stored = try Self.stored(argument, as: ColumnKind(V.Unwrapped.self)) else { return nil }
            return Self.read(stored)
        default:
            return stored(as: ColumnKind(V.Unwrapped.self)).flatMap(Self.read)
        }
    }

    /// A predicate is no stored value: a UUID may be written in either case.
    private static func read<V: ColumnValue>(_ stored: SQLValue) -> V? {
        try? V.read(Spelling.of(V.Unwrapped.self)?.canonical(stored) ?? stored)
    }

    /// The representation in which a column's storage class keeps a literal.
    private func stored(as kind: ColumnKind) -> SQLValue? {
        switch self {
        case .null, .argument: nil
        case .bool(let bool): kind == .bool || kind == .any ? bool.stored() : nil
        case .number(let number): Self.stored(number.value, digits: number.text, as: kind)
        case .text(let text): Self.stored(text, as: kind)
        }
    }

    /// The representation in which a column's storage class keeps an argument of another type.
    private static func stored(_ argument: any ColumnValue, as kind: ColumnKind) throws -> SQLValue? {
        let value = try argument.stored()
        return switch (ColumnKind(type(of: argument).unwrapped), kind) {
        case (.any, _), (_, .any): value
        case (.integer, _), (.real, _), (.float, _): stored(value, digits: nil, as: kind)
        case (.text, _): value.asText.flatMap { stored($0, as: kind) }
        case (.bytes, .bytes): value
        default: nil
        }
    }

    private static func stored(_ number: SQLValue, digits: String?, as kind: ColumnKind) -> SQLValue? {
        switch (kind, number) {
        case (.integer, .integer), (.bool, .integer), (.other(.integer), .integer), (.any, _): number
        case (.real, _), (.other(.real), _): number.asReal.map { .real($0) }
        // Rounded to nearest, as a literal in Swift source.
        case (.float, _): number.asReal.flatMap { Float($0).isFinite ? .real(Double(Float($0))) : nil }
        case (.decimal, .integer(let integer)): stored(digits ?? String(integer), as: kind)
        case (.decimal, _): digits.flatMap { stored($0, as: kind) }
        default: nil
        }
    }

    private static func stored(_ text: String, as kind: ColumnKind) -> SQLValue? {
        switch kind {
        case .text, .any, .other(.text): .text(text)
        case .decimal: Spelling.decimal.canonical(.text(text))
        default: nil
        }
    }
}

extension ColumnValue {
    /// The wrapped type of an optional.
    static var unwrapped: any ColumnValue.Type { Unwrapped.self }
}
