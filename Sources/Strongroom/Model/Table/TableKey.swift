#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    static func generate() -> Self?
}

extension TableKey {
    /// One.
    @inlinable public static var columnCount: Int { 1 }

    /// Nil: the engine does not generate keys of this type.
    @inlinable public static func generated(rowID: Int64) -> Self? { nil }

    /// Nil: the library does not generate keys of this type.
    @inlinable public static func generate() -> Self? { nil }
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
    static func identity(of key: Key) throws -> [SQLValue] {
        let values = try plainValues(of: key)
        let columns = schema.primaryKeys
        return values.indices.map { index in
            guard case .text(let text) = values[index], columns.indices.contains(index),
                let collation = columns[index].collation
            else { return values[index].exact }
            return .blob(collation.comparable(text))
        }
    }

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
struct KeySet<Source: Table>: Sendable, Refinable {
    private var keys: [[SQLValue]: Source.Key] = [:]

    init() {}

    init(_ keys: some Sequence<Source.Key>) throws {
        for key in keys { try insert(key) }
    }

    var isEmpty: Bool { keys.isEmpty }
    var all: some Sequence<Source.Key> { keys.values }

    @discardableResult
    mutating func insert(_ key: Source.Key) throws -> Bool {
        try keys.updateValue(key, forKey: Source.identity(of: key)) == nil
    }

    mutating func remove(_ key: Source.Key) throws -> Bool {
        try keys.removeValue(forKey: Source.identity(of: key)) != nil
    }

    func contains(_ key: Source.Key) throws -> Bool { try keys[Source.identity(of: key)] != nil }

    func union(_ other: KeySet) -> KeySet { refined { $0.keys.merge(other.keys) { first, _ in first } } }
    func intersection(_ other: KeySet) -> KeySet { refined { $0.keys = keys.filter { other.keys[$0.key] != nil } } }
    func subtracting(_ other: KeySet) -> KeySet { refined { $0.keys = keys.filter { other.keys[$0.key] == nil } } }
}

extension Table where Key: ColumnValue {
    static func keyColumn() throws -> Column<Key> { try Column(schema.primaryKey().name, in: schema) }
}

extension Decimal: TableKey {}

extension Table {
    /// A key's values in the stored form of its columns.
    static func plainValues(of key: Key) throws -> [SQLValue] {
        var values = [SQLValue](repeating: .null, count: Key.columnCount)
        try withUnsafeMutablePointer(to: &values) { try key.bind(to: Bindings($0), at: 0) }
        guard schema.hasScaledKey else { return values }
        // A decimal key does not contain the scale of its column.
        for (position, column) in schema.primaryKeys.enumerated() where values.indices.contains(position) {
            guard let scale = column.scale, let plain = values[position].asText.flatMap({ SortedDecimal.plain($0) }),
                let stored = try scale.stored(digits: plain)
            else { continue }
            values[position] = .integer(stored)
        }
        return values
    }

    @usableFromInline
    static func bindScaled(_ key: Key, to bindings: borrowing Bindings, at index: Int) throws {
        for (position, value) in try plainValues(of: key).enumerated() {
            try bindings.bind(value, at: index + position)
        }
    }

    @inlinable
    static func bind(_ key: Key, to bindings: borrowing Bindings, at index: Int) throws {
        guard schema.hasScaledKey else { return try key.bind(to: bindings, at: index) }
        try bindScaled(key, to: bindings, at: index)
    }

    @usableFromInline
    static func readKey(from row: borrowing Row, at index: Int) throws -> Key {
        guard schema.hasScaledKey, Key.self == Decimal.self else { return try Key(from: row, at: index) }
        guard let scale = schema.primaryKeys.first?.scale, let key = try row.decimal(at: index, scale) as? Key else {
            return try Key(from: row, at: index)
        }
        return key
    }
}

extension UUID: TableKey {
    /// A new UUID, which becomes the key of a record with a `UUID?` key that is inserted with nil.
    public static func generate() -> UUID? { UUID() }
}

extension Connection {
    /// Called before a statement is prepared that updates or deletes the row with a key: throws if several rows can
    /// have one, because the file's table has neither a primary key nor a unique index of the declared columns, as that
    /// of another program.
    ///
    /// - Throws: ``StrongroomError`` with `tableDiffers`.
    @usableFromInline
    func requireUniqueKey(of schema: TableSchema) throws {
        guard !schema.primaryKeys.isEmpty, !checkedTables.uniqueKeys.contains(schema.keyNames) else { return }
        // The engine reports a missing table; the rows of a view or a virtual table are identified elsewhere.
        guard try schemaText(of: .table, schema.name).flatMap(CreateTableText.init) != nil else { return }
        let keys = schema.primaryKeys.map(\.name)
        guard try isUnique(keys, in: schema.name) else { throw noUniqueKey(schema, keys) }
        // Tables created in this transaction may be rolled back.
        if !transaction.tables.changesSchema { checkedTables.uniqueKeys.insert(schema.keyNames) }
    }

    /// Whether no two rows of a table in the file can have the same values in some columns.
    private func isUnique(_ names: [String], in table: String) throws -> Bool {
        func isPart(_ columns: [String]) -> Bool {
            !columns.isEmpty && columns.allSatisfy { Identifier.index(of: $0, in: names) != nil }
        }
        let columns = try columnInfos(of: table)
        if isPart(columns.filter { $0.keyPosition != nil }.map(\.name)) { return true }
        // The row id, by a name that no column has.
        let isRowID = names.contains { name in
            ColumnInfo.rowIDNames.contains { $0.isSameName(as: name) }
                && !columns.contains { Identifier.areSame($0.name, name) }
        }
        if isRowID { return true }
        return try indexInfos(of: table).contains { index in
            let parts = index.parts.compactMap(\.column)
            return index.isUnique && !index.isPartial && parts.count == index.parts.count && isPart(parts)
        }
    }

    private func noUniqueKey(_ schema: TableSchema, _ keys: [String]) -> StrongroomError {
        let list = keys.listed
        return failure(
            .tableDiffers,
            """
            Several rows of table "\(schema.name)" can have the same key: in the file, \(list) is neither its primary \
            key nor in a unique index, as it is declared. Nothing was changed. Create a unique index on \(list), or \
            write by a condition (`where`).
            """)
    }
}

/// A property that references a row of another table: its type is that of the other table's primary key, or the
/// optional of that.
public protocol KeyReference: SendableMetatype {
    /// The type of the other table's primary key.
    associatedtype Referred: TableKey

    /// The key of the referenced row; nil for none.
    var _referredKey: Referred? { get }

    /// The value that references no row; nil for a type that is not optional.
    static var _noReference: Self? { get }

    /// References a row.
    ///
    /// - Parameter key: The row's primary key.
    init(_referringTo key: Referred)
}

extension TableKey {
    /// The key itself.
    public var _referredKey: Self? { self }

    /// Nil: a key always references a row.
    public static var _noReference: Self? { nil }

    /// The key itself.
    public init(_referringTo key: Self) { self = key }
}

extension Optional: KeyReference where Wrapped: TableKey {
    /// The key itself.
    public var _referredKey: Wrapped? { self }

    /// Nil, as a value.
    public static var _noReference: Wrapped?? { .some(nil) }

    /// The key itself.
    public init(_referringTo key: Wrapped) { self = key }
}
