import Strongroom

/// An argument of a predicate text.
enum FormatArgument: Sendable {
    case null
    case value(any ColumnValue)
    case list([FormatArgument])
    /// Both bounds, and whether the upper one is included.
    case range(any ColumnValue, any ColumnValue, isClosed: Bool)
    /// A value that no column can hold; its type.
    case unusable(String)

    init(_ argument: (any Sendable)?) {
        guard let argument else {
            self = .null
            return
        }
        if let value = argument as? any ColumnValue {
            // A nil wrapped in another optional.
            self = value.isNothing ? .null : .value(value)
        } else if let range = argument as? any FormatRange {
            self = .range(range.lower, range.upper, isClosed: range.isClosed)
        } else if let list = argument as? any Collection {
            self = Self.list(of: list)
        } else {
            self = .unusable("\(type(of: argument))")
        }
    }

    private static func list(of collection: some Collection) -> FormatArgument {
        var list: [FormatArgument] = []
        list.reserveCapacity(collection.count)
        for element in collection {
            guard let value = element as? any ColumnValue else { return .unusable("\(type(of: collection))") }
            list.append(value.isNothing ? .null : .value(value))
        }
        return .list(list)
    }

    /// The elements, if the argument can be a list: bytes are a value for a column of bytes and a list for any other
    /// column.
    func elements(for property: any FormatProperty) -> [FormatArgument]? {
        switch self {
        case .list(let elements): elements
        case .value(let value as [UInt8]) where property.kind != .bytes: value.map { .value($0) }
        default: nil
        }
    }

    /// A description for messages: its type, never the value.
    var name: String {
        switch self {
        case .null: "nil"
        case .value(let value): "\(type(of: value))"
        case .list: "a list"
        case .range: "a range"
        case .unusable(let type): type
        }
    }
}

extension ColumnValue {
    /// Whether it is stored as NULL.
    fileprivate var isNothing: Bool {
        guard Self._isNullable else { return false }
        // A value that cannot be stored is not NULL; it is reported where it is used.
        return (try? stored()) == .null
    }
}

/// A range whose bounds can be compared with a column.
private protocol FormatRange {
    var lower: any ColumnValue { get }
    var upper: any ColumnValue { get }
    var isClosed: Bool { get }
}

extension ClosedRange: FormatRange where Bound: ColumnValue {
    fileprivate var lower: any ColumnValue { lowerBound }
    fileprivate var upper: any ColumnValue { upperBound }
    fileprivate var isClosed: Bool { true }
}

extension Range: FormatRange where Bound: ColumnValue {
    fileprivate var lower: any ColumnValue { lowerBound }
    fileprivate var upper: any ColumnValue { upperBound }
    fileprivate var isClosed: Bool { false }
}
