extension Table where Self: Record, RecordType == Self {
    /// The record's values by key.
    ///
    /// - Parameter coding: How keys are named and dates are written; by default dates are as stored.
    /// - Returns: A value for each column; nil is `Value.null`.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine, or the style of dates, has
    ///   not.
    public func dictionary(_ coding: RecordCoding = .stored) throws -> [String: Value] {
        let values = try values()
        let pairs = try RecordField.all(of: Self.self, coding).map { field in
            (field.key, try field.written(values[field.column.name] ?? .null))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// Makes a record of values by key.
    ///
    /// What is left out is the column's default, or nil.
    ///
    /// - Parameters:
    ///   - dictionary: The values.
    ///   - coding: How keys are named and dates are written; by default dates are as stored.
    /// - Throws: ``StrongroomError`` with `typeMismatch` for a value that does not fit, `notARecord` for a key that the
    ///   table has not or one that is missing.
    public init(dictionary: [String: Value], _ coding: RecordCoding = .stored) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(fields, dictionary, coding, onto: nil) { field, value in try field.read(value) }
    }

    /// Changes what a dictionary holds and keeps the rest; all of it or, when one value does not fit, nothing.
    ///
    /// - Parameters:
    ///   - dictionary: The new values.
    ///   - coding: How keys are named and dates are written; by default dates are as stored.
    /// - Throws: As ``init(dictionary:_:)``; then nothing is changed.
    public mutating func apply(_ dictionary: [String: Value], _ coding: RecordCoding = .stored) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(fields, dictionary, coding, onto: self) { field, value in try field.read(value) }
    }

    /// The record as JSON: an object whose keys are sorted.
    ///
    /// - Parameter coding: How keys are named and dates are written.
    /// - Returns: The text.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine or JSON has not, such as an
    ///   infinite number.
    public func json(_ coding: RecordCoding = RecordCoding()) throws -> String {
        try node(RecordField.all(of: Self.self, coding)).text()
    }

    /// Makes a record of JSON.
    ///
    /// What is left out is the column's default, or nil.
    ///
    /// ```swift
    /// let contact = try Contact(json: text, RecordCoding(keys: .snakeCase, unknownKeys: .ignored))
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object.
    ///   - coding: How keys are named and dates are written.
    /// - Throws: ``StrongroomError`` with `typeMismatch` for a value that does not fit, `notARecord` for a text that is
    ///   no object, a key that the table has not, one that is missing, or one that stands twice in an object.
    public init(json: String, _ coding: RecordCoding = RecordCoding()) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(fields, JSONNode(text: json), coding, onto: nil)
    }

    /// Changes what JSON holds and keeps the rest; all of it or, when one value does not fit, nothing.
    ///
    /// - Parameters:
    ///   - json: The text of an object.
    ///   - coding: How keys are named and dates are written.
    /// - Throws: As ``init(json:_:)``; then nothing is changed.
    public mutating func apply(json: String, _ coding: RecordCoding = RecordCoding()) throws {
        let fields = try RecordField.all(of: Self.self, coding)
        self = try Self.record(fields, JSONNode(text: json), coding, onto: self)
    }

    /// Records as JSON: an array of objects.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - coding: How keys are named and dates are written.
    /// - Returns: The text.
    /// - Throws: As ``json(_:)``.
    public static func json(of records: [Self], _ coding: RecordCoding = RecordCoding()) throws -> String {
        let fields = try RecordField.all(of: Self.self, coding)
        return try JSONNode.list(records.map { try $0.node(fields) }).text()
    }

    /// Makes records of JSON; all of them or, when one is wrong, none.
    ///
    /// - Parameters:
    ///   - json: The text of an array of objects.
    ///   - coding: How keys are named and dates are written.
    /// - Returns: The records.
    /// - Throws: As ``init(json:_:)``.
    public static func records(json: String, _ coding: RecordCoding = RecordCoding()) throws -> [Self] {
        guard case .list(let nodes) = try JSONNode(text: json) else {
            throw StrongroomError(.notARecord, "The JSON is no array; read one record with init(json:).")
        }
        let fields = try RecordField.all(of: Self.self, coding)
        return try nodes.map { try record(fields, $0, coding, onto: nil) }
    }
}

extension Table where Self: Record, RecordType == Self {
    private func node(_ fields: [RecordField]) throws -> JSONNode {
        let values = try values()
        let pairs = try fields.map { ($0.key, try $0.node(values[$0.column.name] ?? .null)) }
        return .object(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }

    private static func record(
        _ fields: [RecordField], _ node: JSONNode, _ coding: RecordCoding, onto base: Self?
    ) throws -> Self {
        try record(fields, object(node), coding, onto: base) { field, node in try field.read(node) }
    }

    static func object(_ node: JSONNode) throws -> [String: JSONNode] {
        guard case .object(let object) = node else {
            throw StrongroomError(.notARecord, "The JSON is \(node.name) where the object of a record was wanted.")
        }
        return object
    }

    /// A record of the given values, and of another record's where there are none.
    static func record<Given>(
        _ fields: [RecordField], _ given: [String: Given], _ coding: RecordCoding, onto base: Self?,
        _ read: (RecordField, Given) throws -> Value
    ) throws -> Self {
        try checkKeys(Array(given.keys), fields, coding.unknownKeys)
        var list = try base?.values() ?? ValueList(columnNames)
        for field in fields {
            guard let place = Identifier.place(of: field.column.name, in: list.names) else { continue }
            if let value = given[field.key] {
                list.values[place] = try read(field, value)
            } else if base == nil {
                list.values[place] = try missing(field)
            }
        }
        guard var changed = base else { return try withUnsafePointer(to: list) { try Self(row: Row($0)) } }
        try withUnsafePointer(to: list) { try changed.update(from: Row($0)) }
        return changed
    }

    /// What a new record has where nothing is given.
    private static func missing(_ field: RecordField) throws -> Value {
        if let value = try field.column.defaultValue?.get() { return value }
        guard field.isNullable else {
            throw StrongroomError(
                .notARecord, "There is no value for \"\(field.key)\", which is never nil and has no default; give one.")
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
