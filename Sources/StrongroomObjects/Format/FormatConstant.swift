import Strongroom

/// A value that is compared with a property.
enum FormatConstant {
    case null
    case bool(Bool)
    case number(FormatNumber)
    case text(String)
    case argument(any ColumnValue)

    /// What it is, for a message; never the value.
    var name: String {
        switch self {
        case .null: "nil"
        case .bool: "TRUE or FALSE"
        case .number(let number): number.name
        case .text: "a text"
        case .argument(let value): "a value of type \(type(of: value))"
        }
    }

    /// The text, where it is one.
    var asText: String? {
        get throws {
            switch self {
            case .text(let text): text
            case .argument(let value) where ColumnKind(type(of: value).unwrapped) == .text: try value.stored().asText
            default: nil
            }
        }
    }

    /// The value as a column's type has it: read as it would come out of the file, so that each type judges by itself
    /// whether it is one of its own.
    ///
    /// - Returns: The value, or nil when it does not fit.
    /// - Throws: `StrongroomError` with `valueNotStorable` for what the engine has not, such as NaN.
    func converted<V: ColumnValue>(to type: V.Type) throws -> V? {
        switch self {
        case .null: return V.isNullable ? try? V.read(.null) : nil
        case .argument(let argument):
            // The cast alone would do, and takes long where it fails.
            if Swift.type(of: argument).unwrapped == V.Unwrapped.self, let value = argument as? V {
                // The condition would tell only when it runs.
                _ = try value.stored()
                return value
            }
            guard let stored = try Self.stored(argument, as: ColumnKind(V.Unwrapped.self)) else { return nil }
            return try? V.read(stored)
        default:
            return stored(as: ColumnKind(V.Unwrapped.self)).flatMap { try? V.read($0) }
        }
    }

    /// The form in which a column of a kind keeps what stands in the text.
    private func stored(as kind: ColumnKind) -> Value? {
        switch self {
        case .null, .argument: nil
        case .bool(let bool): kind == .bool || kind == .any ? bool.stored() : nil
        case .number(let number): Self.stored(number.value, digits: number.text, as: kind)
        case .text(let text): Self.stored(text, as: kind)
        }
    }

    /// The form in which a column of a kind keeps an argument of another type.
    private static func stored(_ argument: any ColumnValue, as kind: ColumnKind) throws -> Value? {
        let value = try argument.stored()
        return switch (ColumnKind(type(of: argument).unwrapped), kind) {
        case (.any, _), (_, .any): value
        case (.integer, _), (.real, _), (.float, _): stored(value, digits: nil, as: kind)
        case (.text, _): value.asText.flatMap { stored($0, as: kind) }
        case (.bytes, .bytes): value
        default: nil
        }
    }

    private static func stored(_ number: Value, digits: String?, as kind: ColumnKind) -> Value? {
        switch (kind, number) {
        case (.integer, .integer), (.bool, .integer), (.other(.integer), .integer), (.any, _): number
        case (.real, _), (.other(.real), _): number.asReal.map { .real($0) }
        // To the nearest, as a literal in Swift's source.
        case (.float, _): number.asReal.flatMap { Float($0).isFinite ? .real(Double(Float($0))) : nil }
        case (.decimal, .integer(let integer)): .text(digits ?? String(integer))
        case (.decimal, _): digits.map { .text($0) }
        default: nil
        }
    }

    private static func stored(_ text: String, as kind: ColumnKind) -> Value? {
        switch kind {
        case .text, .decimal, .any, .other(.text): .text(text)
        default: nil
        }
    }
}

extension ColumnValue {
    /// The type without its optional.
    static var unwrapped: any ColumnValue.Type { Unwrapped.self }
}
