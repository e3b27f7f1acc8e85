#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A column with its key in a dictionary or in JSON.
struct RecordField {
    let key: String
    let column: ColumnDefinition
    /// The index among the record's columns; nil if the record lacks it.
    let index: Int?
    let kind: ColumnKind
    /// Whether the property can be nil: a generated key can, but its column cannot.
    let isNullable: Bool
    /// The Swift type, for messages.
    let typeName: String
    let dates: RecordCoding.DateStyle

    /// The fields of a table's record, in the order of its columns.
    static func all<Source: Table>(of table: Source.Type, _ coding: RecordCoding) throws -> [RecordField] {
        let properties = TableProperties.of(table)
        let fields = Source.schema.columns.map { column in
            let property = properties.property(ofColumn: column.name)
            return RecordField(
                key: coding.keys.key(property: property?.name ?? column.name, column: column.name), column: column,
                index: Identifier.index(of: column.name, in: Source.RecordType.columnNames),
                kind: property?.kind ?? .other(column.storageClass),
                isNullable: property?.isNullable ?? column.isNullable,
                typeName: property.map { "\($0.type)" } ?? column.storageClass.rawValue, dates: coding.dates)
        }
        var seen: Set<String> = []
        for field in fields where !seen.insert(field.key).inserted {
            throw StrongroomError(
                .invalidArgument,
                """
                Two properties of table "\(Source.schema.name)" have the key "\(field.key)"; rename one in the mapping.
                """
            )
        }
        return fields
    }

    private func mismatch(_ found: String) -> StrongroomError {
        .typeMismatch(TypeMismatch(column: column.name, found: found, wanted: typeName), sql: nil)
    }
}

extension RecordField {
    /// Converts a column's value to that of a dictionary.
    func written(_ value: SQLValue) throws -> SQLValue {
        if let scale = column.scale, let number = value.asInteger { return .text(scale.plain(number)) }
        if column.holdsDecimals, let text = value.asText {
            guard let plain = SortedDecimal.plain(text) else { throw mismatch("no decimal number") }
            return .text(plain)
        }
        guard kind == .date, let seconds = try referenceSeconds(value) else { return value }
        switch dates {
        case .stored: return value
        case .form(let form): return try form.stored(seconds: seconds)
        case .exact:
            guard let text = WrittenDate.exact(seconds) else {
                throw StrongroomError(
                    .valueNotStorable,
                    "A date of column \"\(column.name)\" is not in the years 0 to 9999; encode dates as numbers.")
            }
            return .text(text)
        }
    }

    /// Converts a dictionary's value to that of the column.
    func read(_ value: SQLValue) throws -> SQLValue {
        if let scale = column.scale, value != .null {
            guard let digits = value.asText ?? value.asInteger.map({ String($0) }),
                let stored = try scale.stored(digits: digits)
            else { throw mismatch("a value that is no decimal number") }
            return .integer(stored)
        }
        if column.holdsDecimals, let text = value.asText {
            guard let stored = SortedDecimal.stored(text) else { throw mismatch("a text that is no decimal number") }
            return .text(stored)
        }
        if let spelling = column.spelling, spelling == .uuid || dates == .stored,
            let stored = spelling.canonical(value)
        {
            return stored
        }
        guard kind == .date, value != .null, dates != .stored else { return value }
        let seconds =
            if case .form(let form) = dates { form.seconds(inAnySpelling: value) } else {
                value.asText.flatMap { WrittenDate.seconds($0) }
            }
        guard let seconds else { throw mismatch("no date in the form of the coding") }
        return try column.dateForm?.stored(seconds: seconds) ?? .real(seconds)
    }

    /// The seconds since the start of 2001 of a column's value; nil for NULL.
    private func referenceSeconds(_ value: SQLValue) throws -> Double? {
        guard let form = column.dateForm, value != .null else { return value.asReal }
        guard let seconds = form.seconds(value) else { throw mismatch("no date in the form \(form.name)") }
        return seconds
    }

    /// Converts a column's value to JSON.
    func node(_ stored: SQLValue) throws -> JSONNode {
        let value = try written(stored)
        switch (kind, value) {
        case (_, .null): return .null
        case (.bool, .integer(let number)): return .bool(number != 0)
        case (.float, .real(let number)): return .float(Float(number))
        case (.coded, .text(let text)): return try JSONNode(text: text)
        case (_, .integer(let number)): return .integer(number)
        case (_, .real(let number)): return .real(number, nil)
        case (_, .text(let text)): return .text(text)
        case (.any, .blob):
            throw StrongroomError(
                .valueNotStorable,
                """
                Column "\(column.name)" contains bytes, which JSON would restore as text; encode the record as \
                a dictionary.
                """
            )
        case (_, .blob(let bytes)): return .text(Data(bytes).base64EncodedString())
        }
    }

    /// Converts JSON to a column's value.
    func read(_ node: JSONNode) throws -> SQLValue {
        guard let value = try converted(node) else { throw mismatch(node.name) }
        return try read(value)
    }

    private func converted(_ node: JSONNode) throws -> SQLValue? {
        if case .coded = kind, column.storageClass == .text {
            if case .null = node, isNullable { return .null }
            return .text(try node.text())
        }
        switch node {
        case .null: return .null
        case .bool(let bool): return kind == .bool || kind == .any ? bool.stored() : nil
        case .integer(let number): return converted(.integer(number), Double(number), Decimal(number))
        case .real(let number, let decimal): return converted(.real(number), number, decimal)
        case .text(let text): return converted(text)
        case .float, .list, .object: return nil
        }
    }

    /// - Parameter real: The nearest floating-point number: JSON encodes a large one as an integer, with digits that
    ///   are not significant.
    private func converted(_ number: SQLValue, _ real: Double, _ decimal: Decimal?) -> SQLValue? {
        switch kind {
        case .integer, .other(.integer): number.asInteger.map { .integer($0) }
        case .date where dates == .stored && column.dateForm?.storageClass == .integer: number
        case .real, .other(.real), .date: .real(real)
        case .float: Float(real).isFinite || !real.isFinite ? .real(Double(Float(real))) : nil
        case .decimal: decimal.flatMap { $0.isNaN ? nil : .text($0.description) }
        case .any: number
        default: nil
        }
    }

    private func converted(_ text: String) -> SQLValue? {
        switch kind {
        case .text, .decimal, .any, .other(.text), .date: .text(text)
        case .bytes, .coded, .other(.blob): Data(base64Encoded: text).map { .blob([UInt8]($0)) }
        default: nil
        }
    }
}
