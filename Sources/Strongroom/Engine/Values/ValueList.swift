import CSQLCipher

/// The values of a record, by column, independent of a statement.
struct ValueList {
    let names: [String]
    var values: [Value]

    init(_ names: [String]) {
        self.names = names
        values = Array(repeating: .null, count: names.count)
    }

    /// The value of the column with a name, as the engine compares names; nil if there is no such column.
    subscript(_ name: String) -> Value? {
        guard let index = names.firstIndex(where: { $0.isSameName(as: name) }) else { return nil }
        return values[index]
    }

    func storageClass(_ index: Int) -> Int32 {
        guard values.indices.contains(index) else { return SQLITE_NULL }
        return switch values[index] {
        case .null: SQLITE_NULL
        case .integer: SQLITE_INTEGER
        case .real: SQLITE_FLOAT
        case .text: SQLITE_TEXT
        case .blob: SQLITE_BLOB
        }
    }
}

extension Value {
    package var asInteger: Int64? { if case .integer(let number) = self { number } else { nil } }

    package var asReal: Double? {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(exactly: number)
        default: nil
        }
    }

    package var asText: String? { if case .text(let text) = self { text } else { nil } }

    var asBlob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}

extension ColumnValue {
    /// The value that a column of this type has where a value is stored.
    ///
    /// - Throws: ``StrongroomError`` with `typeMismatch` for what is no value of this type.
    package static func read(_ stored: Value) throws -> Self {
        var list = ValueList(namesOfOne)
        list.values[0] = stored
        return try withUnsafePointer(to: list) { try Self(from: Row($0), at: 0) }
    }
}

private let namesOfOne = ["value"]
