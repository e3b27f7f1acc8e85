#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Decimal: TableKey {}

extension Table {
    /// A key's values in the stored form of its columns.
    static func plainValues(of key: Key) throws -> [Value] {
        var values = [Value](repeating: .null, count: Key.columnCount)
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

    /// Binds a key in the stored form of its columns.
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

    /// Reads a key in the stored form of its columns.
    @usableFromInline
    static func readKey(from row: borrowing Row, at index: Int) throws -> Key {
        guard schema.hasScaledKey, Key.self == Decimal.self else { return try Key(from: row, at: index) }
        guard let scale = schema.primaryKeys.first?.scale, let key = try row.decimal(at: index, scale) as? Key else {
            return try Key(from: row, at: index)
        }
        return key
    }
}
