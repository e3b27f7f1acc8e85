#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A column that a predicate's text can name, or what is made of one, without its Swift type.
protocol FormatProperty: Sendable {
    var sql: SQL { get }
    var columnName: String? { get }
    /// What its values are like.
    var kind: FormatKind { get }
    var isNullable: Bool { get }
    /// The Swift type without its optional.
    var type: any ColumnValue.Type { get }

    /// A comparison with a value.
    ///
    /// - Returns: The condition, or nil when the value does not fit.
    func condition(_ sign: FormatSign, _ constant: FormatConstant) throws -> Condition?

    /// Whether the column lies between two values.
    ///
    /// - Returns: The condition; or which value does not fit, counted from 0.
    func range(_ lower: FormatConstant, _ upper: FormatConstant, isClosed: Bool) throws -> Result<
        Condition, FormatMisfit
    >

    /// Whether the column is one of some values.
    ///
    /// - Returns: The condition; or which value does not fit, counted from 0.
    func membership(_ constants: [FormatConstant]) throws -> Result<Condition, FormatMisfit>
}

/// A value that does not fit a column: its place among those that were given.
struct FormatMisfit: Error {
    let place: Int
}

/// What the values of a Swift type are like to one who writes them as text.
enum FormatKind: Equatable {
    case integer, bool, real, float, text, bytes, date, decimal
    /// A column for values of any type.
    case any
    /// Equal values can be stored in different forms.
    case coded
    /// A type of its own, by how it is stored.
    case other(StorageClass)

    init(_ type: any ColumnValue.Type) {
        // Asked several times for each comparison, and a cast takes long.
        if let known = Self.common[ObjectIdentifier(type)] {
            self = known
            return
        }
        self =
            switch type {
            case is any FixedWidthInteger.Type: .integer
            case is any TextColumnValue.Type: .text
            case is any CodedColumnValue.Type: .coded
            default: .other(type.storageClass)
            }
    }

    private static let common: [ObjectIdentifier: FormatKind] = [
        ObjectIdentifier(Int.self): .integer, ObjectIdentifier(Int64.self): .integer,
        ObjectIdentifier(Int32.self): .integer, ObjectIdentifier(Bool.self): .bool,
        ObjectIdentifier(Double.self): .real, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(String.self): .text, ObjectIdentifier([UInt8].self): .bytes,
        ObjectIdentifier(Data.self): .bytes, ObjectIdentifier(Date.self): .date,
        ObjectIdentifier(Decimal.self): .decimal, ObjectIdentifier(Value.self): .any,
    ]
}

extension Column: FormatProperty {}
// A column in small letters, where case does not count.
extension Computed: FormatProperty {}

extension FormatProperty where Self: SQLExpression {
    var kind: FormatKind { FormatKind(Value.Unwrapped.self) }
    var isNullable: Bool { Value.isNullable }
    var type: any ColumnValue.Type { Value.Unwrapped.self }

    func condition(_ sign: FormatSign, _ constant: FormatConstant) throws -> Condition? {
        guard let value = try constant.converted(to: Value.self) else { return nil }
        return switch sign {
        case .equal: self == value
        case .unequal: self != value
        case .less: self < value
        case .lessOrEqual: self <= value
        case .greater: self > value
        case .greaterOrEqual: self >= value
        default: nil
        }
    }

    func range(_ lower: FormatConstant, _ upper: FormatConstant, isClosed: Bool) throws -> Result<
        Condition, FormatMisfit
    > {
        guard let smallest = try lower.converted(to: Value.self) else { return .failure(FormatMisfit(place: 0)) }
        guard let largest = try upper.converted(to: Value.self) else { return .failure(FormatMisfit(place: 1)) }
        return .success(isClosed ? isBetween(smallest, and: largest) : self >= smallest && self < largest)
    }

    func membership(_ constants: [FormatConstant]) throws -> Result<Condition, FormatMisfit> {
        var values: [Value] = []
        values.reserveCapacity(constants.count)
        for (place, constant) in constants.enumerated() {
            guard let value = try constant.converted(to: Value.self) else {
                return .failure(FormatMisfit(place: place))
            }
            values.append(value)
        }
        return .success(isIn(values))
    }
}

/// The properties of a table by name.
struct FormatProperties: Sendable {
    private let properties: [String: any FormatProperty]
    private let namesByColumn: [String: String]
    /// The properties' names, in the order of the table's columns.
    let names: [String]

    init<Source: Table>(of table: Source.Type) {
        // The closures' columns know the Swift types, which the schema does not.
        let columns = Mirror(reflecting: Source.columns).children.compactMap { child in
            child.label.flatMap { name in (child.value as? any FormatProperty).map { (name, $0) } }
        }
        names = columns.map(\.0)
        var properties = Dictionary(columns, uniquingKeysWith: { first, _ in first })
        for (_, column) in columns {
            if let name = column.columnName, properties[name] == nil { properties[name] = column }
        }
        self.properties = properties
        let pairs = columns.compactMap { name, column in column.columnName.map { ($0, name) } }
        namesByColumn = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The property that is stored in a column.
    func name(ofColumn column: String) -> String? { namesByColumn[column] }

    subscript(_ name: String) -> (any FormatProperty)? { properties[name] }
}
