extension Table where Self: Record, RecordType == Self {
    /// The record's values by key.
    ///
    /// - Parameter coding: The key mapping and the date format; by default dates are as stored.
    /// - Returns: A value for each column; nil is `SQLValue.null`.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine cannot store or the date
    ///   format cannot represent.
    public func dictionary(_ coding: RecordCoding = .stored) throws -> [String: SQLValue] {
        let values = try values()
        let pairs = try RecordField.all(of: Self.self, coding).map { field in
            (field.key, try field.written(values[field.column.name] ?? .null))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// Creates a record from values by key; a missing value is the column's default, or nil.
    ///
    /// - Parameters:
    ///   - dictionary: The values.
    ///   - coding: The key mapping and the date format; by default dates are as stored.
    /// - Throws: ``StrongroomError`` with `typeMismatch` for a value that does not fit, `notARecord` for an unknown key
    ///   or a missing one.
    public init(dictionary: [String: SQLValue], _ coding: RecordCoding = .stored) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(Self.given(dictionary, fields, coding), onto: nil)
    }

    /// Sets the values in a dictionary and keeps all others, atomically.
    ///
    /// - Parameters:
    ///   - dictionary: The new values.
    ///   - coding: The key mapping and the date format; by default dates are as stored.
    /// - Throws: As ``init(dictionary:_:)``; the record is then not changed.
    public mutating func apply(_ dictionary: [String: SQLValue], _ coding: RecordCoding = .stored) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(Self.given(dictionary, fields, coding), onto: self)
    }

    /// The record as JSON: an object with sorted keys.
    ///
    /// - Parameter coding: The key mapping and the date format.
    /// - Returns: The JSON text.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine cannot store or JSON cannot
    ///   represent, such as an infinite number.
    public func json(_ coding: RecordCoding = RecordCoding()) throws -> String {
        try node(RecordField.all(of: Self.self, coding)).text()
    }

    /// Creates a record from JSON; a missing value is the column's default, or nil.
    ///
    /// - Parameters:
    ///   - json: The text of an object.
    ///   - coding: The key mapping and the date format.
    /// - Throws: ``StrongroomError`` with `typeMismatch` for a value that does not fit, `notARecord` for a text that is
    ///   not an object, an unknown key, or a missing one.
    public init(json: String, _ coding: RecordCoding = RecordCoding()) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(Self.given(JSONNode(text: json), fields, coding), onto: nil)
    }

    /// Sets the values in JSON and keeps all others, atomically.
    ///
    /// - Parameters:
    ///   - json: The text of an object.
    ///   - coding: The key mapping and the date format.
    /// - Throws: As ``init(json:_:)``; the record is then not changed.
    public mutating func apply(json: String, _ coding: RecordCoding = RecordCoding()) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(Self.given(JSONNode(text: json), fields, coding), onto: self)
    }

    /// Encodes records as a JSON array of objects.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - coding: The key mapping and the date format.
    /// - Returns: The JSON text.
    /// - Throws: As ``json(_:)``.
    public static func json(of records: [Self], _ coding: RecordCoding = RecordCoding()) throws -> String {
        let fields = try RecordField.all(of: Self.self, coding)
        return try JSONNode.list(records.map { try $0.node(fields) }).text()
    }

    /// Decodes records from JSON, atomically: one invalid record is an error.
    ///
    /// - Parameters:
    ///   - json: The text of an array of objects.
    ///   - coding: The key mapping and the date format.
    /// - Returns: The records.
    /// - Throws: As ``init(json:_:)``; the message names the record's index in the array.
    public static func records(json: String, _ coding: RecordCoding = RecordCoding()) throws -> [Self] {
        guard case .list(let nodes) = try JSONNode(text: json) else {
            throw StrongroomError(.notARecord, "The JSON is not an array; decode a single record with init(json:).")
        }
        let fields = try RecordField.all(of: Self.self, coding)
        return try nodes.mapRecords { try record(given($0, fields, coding), onto: nil) }
    }
}

extension Array {
    /// - Parameter isList: Whether an error names the record's index.
    func mapRecords<Result>(isList: Bool = true, _ transform: (Element) throws -> Result) throws -> [Result] {
        try enumerated().map { index, record in
            do {
                return try transform(record)
            } catch let error as StrongroomError where isList {
                throw error.with(message: "At index \(index) of the list: \(error.message)")
            }
        }
    }
}

extension Table where Self: Record, RecordType == Self {
    private func node(_ fields: [RecordField]) throws -> JSONNode {
        let values = try values()
        let pairs = try fields.map { ($0.key, try $0.node(values[$0.column.name] ?? .null)) }
        return .object(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }

    static func given(_ node: JSONNode, _ fields: [RecordField], _ coding: RecordCoding) throws -> FieldValues {
        guard case .object(let object) = node else {
            throw StrongroomError(.notARecord, "The JSON is \(node.name) where the object of a record is expected.")
        }
        return try given(object, fields, coding) { try $0.read($1) }
    }

    static func given(
        _ dictionary: [String: SQLValue], _ fields: [RecordField], _ coding: RecordCoding
    ) throws -> FieldValues {
        try given(dictionary, fields, coding) { try $0.read($1) }
    }

    private static func given<Given>(
        _ values: [String: Given], _ fields: [RecordField], _ coding: RecordCoding,
        _ read: (RecordField, Given) throws -> SQLValue
    ) throws -> FieldValues {
        try checkKeys(Array(values.keys), fields, coding.unknownKeys)
        return FieldValues(
            fields: fields, values: try fields.map { field in try values[field.key].map { try read(field, $0) } })
    }

    /// A record of the given values, completed with those of another record.
    static func record(_ given: FieldValues, onto base: Self?) throws -> Self {
        var list = try base?.values() ?? ValueList(columnNames)
        for (field, value) in zip(given.fields, given.values) {
            guard let index = field.index else { continue }
            if let value {
                list.values[index] = value
            } else if base == nil {
                list.values[index] = try missing(field)
            }
        }
        guard var changed = base else { return try withUnsafePointer(to: list) { try Self(row: Row($0)) } }
        try withUnsafePointer(to: list) { try changed._update(from: Row($0)) }
        return changed
    }

    /// The value of a new record's field for which none is given.
    private static func missing(_ field: RecordField) throws -> SQLValue {
        if let value = try field.column.defaultValue?.get() { return value }
        if !field.isNullable, let kept = try RecordType._upkeep?.placeholder(for: field.column) { return kept }
        guard field.isNullable else {
            throw StrongroomError(
                .notARecord, "There is no value for \"\(field.key)\", which is required and has no default; add one.")
        }
        return .null
    }

    private static func checkKeys(
        _ keys: [String], _ fields: [RecordField], _ unknownKeys: RecordCoding.UnknownKeys
    ) throws {
        if case .ignored = unknownKeys { return }
        let known = Set(fields.map(\.key))
        let unknown = keys.filter { !known.contains($0) }.sorted()
        guard !unknown.isEmpty else { return }
        if case .reported(let report) = unknownKeys { return report(unknown) }
        let names = unknown.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ") + (unknown.count > 10 ? ", …" : "")
        throw StrongroomError(
            .notARecord,
            "Table \"\(schema.name)\" has no \(names); correct the keys or their mapping, or ignore unknown keys.")
    }
}

/// The given values of a table's columns, in their stored form.
struct FieldValues {
    let fields: [RecordField]
    /// Nil for a field without a given value.
    private(set) var values: [SQLValue?]

    init(fields: [RecordField], values: [SQLValue?]) { (self.fields, self.values) = (fields, values) }

    /// The indices, among the record's columns, of those that have a value.
    var indices: Set<Int> { Set(zip(fields, values).compactMap { field, value in value == nil ? nil : field.index }) }

    /// The primary key; nil if one of its columns is not given, or is null.
    func key<Source: Table>(of table: Source.Type) throws -> Source.Key? {
        var key = ValueList(Source.schema.primaryKeys.map(\.name))
        for (index, name) in key.names.enumerated() {
            let position = fields.firstIndex { Identifier.areSame($0.column.name, name) }
            guard let value = position.flatMap({ values[$0] }), value != .null else { return nil }
            key.values[index] = value
        }
        return key.names.isEmpty ? nil : try withUnsafePointer(to: key) { try Source.readKey(from: Row($0), at: 0) }
    }

    /// The values that a plan writes to an existing row.
    func written<Source: Table>(_ plan: WritePlan<Source>) -> FieldValues {
        FieldValues(fields: fields, values: plan.written(values, at: fields.map(\.index)))
    }
}
