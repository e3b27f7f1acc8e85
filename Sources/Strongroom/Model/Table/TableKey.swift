/// A type of primary keys: `Int`, `Int64`, `String`, `UUID`, `Decimal`, `[UInt8]`, or a struct of several columns.
///
/// A composite key reads and binds its columns in the order of the schema:
///
/// ```swift
/// struct Key: TableKey {
///     var order: Int64
///     var line: Int
///
///     static let columnCount = 2
///     init(from row: borrowing Row, at index: Int) throws {
///         order = try row[index]
///         line = try row[index + 1]
///     }
///     func bind(to bindings: borrowing Bindings, at index: Int) throws {
///         try bindings.set(order, at: index)
///         try bindings.set(line, at: index + 1)
///     }
/// }
/// ```
public protocol TableKey: Sendable, Hashable, KeyReference where Referred == Self {
    /// The number of columns.
    static var columnCount: Int { get }

    /// Reads the key.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - index: The key's first column, counted from 0.
    /// - Throws: ``StrongroomError`` with `typeMismatch` if the stored value does not fit.
    init(from row: borrowing Row, at index: Int) throws

    /// Binds the key.
    ///
    /// - Parameters:
    ///   - bindings: The statement's parameters.
    ///   - index: The parameter of the key's first column, counted from 0.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine cannot store.
    func bind(to bindings: borrowing Bindings, at index: Int) throws

    /// The key that the engine generated for a new row, or nil if the engine does not generate keys of this type.
    ///
    /// - Parameter rowID: The row's id.
    static func generated(rowID: Int64) -> Self?

    /// A unique key for a new record without one, or nil if the library does not generate keys of this type.
    static func made() -> Self?
}

extension TableKey {
    /// One.
    @inlinable public static var columnCount: Int { 1 }

    /// Nil: the engine does not generate keys of this type.
    @inlinable public static func generated(rowID: Int64) -> Self? { nil }

    /// Nil: the library does not generate keys of this type.
    @inlinable public static func made() -> Self? { nil }
}

extension TableKey where Self: FixedWidthInteger {
    /// The row's id.
    @inlinable public static func generated(rowID: Int64) -> Self? { Self(exactly: rowID) }
}

extension Int: TableKey {}
extension Int64: TableKey {}
extension String: TableKey {}
extension Array: KeyReference where Element == UInt8 {}
extension Array: TableKey where Element == UInt8 {}

extension Table {
    /// A key's values in a form that is equal for keys that the engine treats as equal: text as bytes, in the form that
    /// the collation of the key's column compares. Swift treats texts as equal that differ only in Unicode composition.
    @usableFromInline
    static func identity(of key: Key) throws -> [Value] {
        let values = try plainValues(of: key)
        let columns = schema.primaryKeys
        return values.indices.map { index in
            guard case .text(let text) = values[index], columns.indices.contains(index),
                let collation = columns[index].collation
            else { return values[index].exact }
            return .blob(collation.comparable(text))
        }
    }

    /// Whether the engine treats two keys as equal.
    static func isSame(_ key: Key?, _ other: Key?) throws -> Bool {
        try key.map { try identity(of: $0) } == other.map { try identity(of: $0) }
    }

    /// The collation of the primary key, if it is not binary.
    static var keyCollation: Collation? {
        guard schema.primaryKeys.count == 1, let collation = schema.primaryKeys[0].collation,
            !Identifier.areSame(collation.name, Collation.binary.name)
        else { return nil }
        return collation
    }
}

/// Keys of one table, compared as the engine does.
struct KeySet<Source: Table>: Sendable {
    private var keys: [[Value]: Source.Key] = [:]

    init() {}

    init(_ keys: some Sequence<Source.Key>) throws {
        for key in keys { try insert(key) }
    }

    var isEmpty: Bool { keys.isEmpty }
    var all: some Sequence<Source.Key> { keys.values }

    /// - Returns: Whether it was inserted.
    @discardableResult
    mutating func insert(_ key: Source.Key) throws -> Bool {
        try keys.updateValue(key, forKey: Source.identity(of: key)) == nil
    }

    /// - Returns: Whether it was removed.
    mutating func remove(_ key: Source.Key) throws -> Bool {
        try keys.removeValue(forKey: Source.identity(of: key)) != nil
    }

    func contains(_ key: Source.Key) throws -> Bool { try keys[Source.identity(of: key)] != nil }

    func union(_ other: KeySet) -> KeySet { with(keys.merging(other.keys) { first, _ in first }) }
    func intersection(_ other: KeySet) -> KeySet { with(keys.filter { other.keys[$0.key] != nil }) }
    func subtracting(_ other: KeySet) -> KeySet { with(keys.filter { other.keys[$0.key] == nil }) }

    private func with(_ keys: [[Value]: Source.Key]) -> KeySet {
        var copy = self
        copy.keys = keys
        return copy
    }
}
