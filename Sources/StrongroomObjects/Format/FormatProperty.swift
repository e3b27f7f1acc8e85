import Strongroom

/// A column, or an expression derived from one, that a predicate text can name, without its Swift type.
protocol FormatProperty: Sendable {
    var sql: SQL { get }
    var _columnName: String? { get }
    /// The kind of its values.
    var kind: ColumnKind { get }
    var isNullable: Bool { get }
    /// The Swift type, without its optional.
    var type: any ColumnValue.Type { get }

    /// A comparison with a value.
    ///
    /// - Returns: The condition, or nil if the value does not fit the type.
    func condition(_ sign: FormatSign, _ constant: FormatConstant) throws -> Condition?

    /// Whether the column lies between two values.
    ///
    /// - Returns: The condition, or the index of the value that does not fit.
    func range(_ lower: FormatConstant, _ upper: FormatConstant, isClosed: Bool) throws -> Result<
        Condition, FormatMisfit
    >

    /// Whether the column is equal to one of some values.
    ///
    /// - Returns: The condition, or the index of the value that does not fit.
    func membership(_ constants: [FormatConstant]) throws -> Result<Condition, FormatMisfit>
}

/// A value that does not fit a column: its index among the given values.
struct FormatMisfit: Error {
    let index: Int
}

extension Column: FormatProperty {}
// A column in lower case, for case-insensitive comparison.
extension Computed: FormatProperty {}

extension FormatProperty where Self: SQLExpression {
    var kind: ColumnKind { ColumnKind(Value.Unwrapped.self) }
    var isNullable: Bool { Value._isNullable }
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
        guard let smallest = try lower.converted(to: Value.self) else { return .failure(FormatMisfit(index: 0)) }
        guard let largest = try upper.converted(to: Value.self) else { return .failure(FormatMisfit(index: 1)) }
        return .success(isClosed ? isBetween(smallest, and: largest) : self >= smallest && self < largest)
    }

    func membership(_ constants: [FormatConstant]) throws -> Result<Condition, FormatMisfit> {
        var values: [Value] = []
        values.reserveCapacity(constants.count)
        for (index, constant) in constants.enumerated() {
            guard let value = try constant.converted(to: Value.self) else {
                return .failure(FormatMisfit(index: index))
            }
            values.append(value)
        }
        return .success(isIn(values))
    }
}

/// The properties of a table that a predicate's text can name.
struct FormatProperties: Sendable {
    private let properties: [String: any FormatProperty]
    /// The properties' names, in the order of the table's columns.
    let names: [String]

    init<Source: Table>(of table: Source.Type) {
        let columns = TableProperties.of(table).all.compactMap { property in
            (property.expression as? any FormatProperty).map { (property.name, $0) }
        }
        names = columns.map(\.0)
        var properties = Dictionary(columns, uniquingKeysWith: { first, _ in first })
        for (_, column) in columns {
            if let name = column._columnName, properties[name] == nil { properties[name] = column }
        }
        self.properties = properties
    }

    subscript(_ name: String) -> (any FormatProperty)? { properties[name] }
}
