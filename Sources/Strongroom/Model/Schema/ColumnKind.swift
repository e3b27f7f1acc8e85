#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What the values of a Swift type are like to code that writes or reads them as text.
package enum ColumnKind: Sendable, Equatable {
    case integer, bool, real, float, text, bytes, date, decimal
    /// A column for values of any type.
    case any
    /// Equal values can be stored in different forms.
    case coded
    /// A type of its own, by how it is stored.
    case other(StorageClass)

    package init(_ type: any ColumnValue.Type) {
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

    private static let common: [ObjectIdentifier: ColumnKind] = [
        ObjectIdentifier(Int.self): .integer, ObjectIdentifier(Int64.self): .integer,
        ObjectIdentifier(Int32.self): .integer, ObjectIdentifier(Bool.self): .bool,
        ObjectIdentifier(Double.self): .real, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(String.self): .text, ObjectIdentifier([UInt8].self): .bytes,
        ObjectIdentifier(Data.self): .bytes, ObjectIdentifier(Date.self): .date,
        ObjectIdentifier(Decimal.self): .decimal, ObjectIdentifier(Value.self): .any,
    ]
}

extension ColumnDefinition {
    /// Nothing: `@Table` calls it for each type that it does not know, so that the compiler says what is missing.
    public static func _requireColumnValue<Value: ColumnValue>(_ type: Value.Type) {}

    /// Unavailable: the type needs the conformance.
    @available(
        *, unavailable,
        message: """
            a type with a raw value becomes a column value by declaring it, as in 'enum Level: Int, ColumnValue'; for \
            one of another module: 'extension Level: @retroactive ColumnValue {}'
            """
    )
    public static func _requireColumnValue<Value: RawRepresentable>(_ type: Value.Type) {}

    /// Unavailable: the type needs the conformance.
    @available(
        *, unavailable,
        message: """
            a type with a raw value becomes a column value by declaring it, as in 'enum Level: Int, ColumnValue'; for \
            one of another module: 'extension Level: @retroactive ColumnValue {}'
            """
    )
    public static func _requireColumnValue<Value: RawRepresentable & Codable>(_ type: Value.Type) {}

    /// Unavailable: the type has to be encoded.
    @available(
        *, unavailable,
        message: "no column value; store it as JSON, '@Column(as: .json)', or declare a conformance to ColumnValue"
    )
    public static func _requireColumnValue<Value: Codable>(_ type: Value.Type) {}

    /// Unavailable: the type needs a stored form.
    @available(
        *, unavailable,
        message: """
            no column value; mark the property @Ignored, make the type Codable and store it as JSON, \
            '@Column(as: .json)', or declare a conformance to ColumnValue
            """
    )
    public static func _requireColumnValue<Value>(_ type: Value.Type) {}
}
