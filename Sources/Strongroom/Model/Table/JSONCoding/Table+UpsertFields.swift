extension Table where Self: Record, RecordType == Self {
    /// Upserts JSON: updates the row that unique columns identify, or inserts a new one.
    ///
    /// In an existing row, only the columns in the JSON are written; `null` is NULL. Where they have these values
    /// already, nothing is written: the version and the time of the last update stay, and observers are not notified.
    /// In a new row, a missing value is the column's default, or nil. The existing row is the one in which the columns
    /// have the values of the JSON, otherwise the one with its primary key, if the JSON contains one.
    ///
    /// ```swift
    /// try Contact.upsert(json: #"[{"email": "ada@example.org", "phone": "030"}]"#, by: \.email, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, which are written in order; an object may update the
    ///     row that an earlier one inserted.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format.
    ///   - db: A write transaction.
    /// - Returns: For each object, whether its row existed, and its key.
    /// - Throws: ``StrongroomError`` with `notARecord` for a text that is neither an object nor an array of objects, an
    ///   unknown key, or a missing one that a new row needs; `typeMismatch`, `notUnique`, `missingKey` if there is no
    ///   value for one of the columns, `constraint`; errors of the validations. The message names the object's index in
    ///   an array. Nothing is changed then.
    @discardableResult
    public static func upsert<each V>(
        json: String,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        coding: RecordCoding = RecordCoding(),
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        try upsert(json, by: UpsertTarget<Self>(repeat each columns), coding, in: db)
    }

    /// Upserts JSON by the primary key: updates the row with that key, or inserts a new one if there is none or the
    /// JSON contains no key.
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects.
    ///   - coding: The key mapping and the date format.
    ///   - db: A write transaction.
    /// - Returns: For each object, whether its row existed, and its key.
    /// - Throws: As the method for other columns; nothing is changed then.
    @discardableResult
    public static func upsert(
        json: String,
        coding: RecordCoding = RecordCoding(),
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        try upsert(json, by: .primaryKey, coding, in: db)
    }

    /// Upserts a dictionary, as `upsert(json:by:coding:in:)` does with an object.
    ///
    /// - Parameters:
    ///   - dictionary: The values. In an existing row, only these are written.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: The key mapping and the date format; by default dates are as stored.
    ///   - db: A write transaction.
    /// - Returns: Whether the row existed, and its key.
    /// - Throws: As the method for JSON.
    @discardableResult
    public static func upsert<each V>(
        dictionary: [String: Value],
        by columns: repeat KeyPath<Columns, Column<each V>>,
        coding: RecordCoding = .stored,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        try upsert(dictionary, by: UpsertTarget<Self>(repeat each columns), coding, in: db)
    }

    static func upsert(
        _ dictionary: [String: Value], by target: UpsertTarget<Self>, _ coding: RecordCoding,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let given = FieldValues(try RecordField.all(of: Self.self, coding), dictionary) { try $0.read($1) }
        return try upsert(given, by: target, coding, in: db)
    }

    static func upsert(
        _ json: String, by target: UpsertTarget<Self>, _ coding: RecordCoding,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let node = try JSONNode(text: json)
        let (nodes, isList) = if case .list(let nodes) = node { (nodes, true) } else { ([node], false) }
        let fields = try RecordField.all(of: Self.self, coding)
        return try db.inPart { db in
            try nodes.mapRecords(isList: isList) { node in
                let given = FieldValues(fields, try object(node)) { try $0.read($1) }
                return try upsert(given, by: target, coding, in: db)
            }
        }
    }

    private static func upsert<Given>(
        _ given: FieldValues<Given>, by target: UpsertTarget<Self>, _ coding: RecordCoding,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let connection = db._handle.connection
        guard let present = try row(of: given, by: target, in: db) else {
            let new = try record(given.fields, given.values, coding, onto: nil, given.read)
            return Upserted(.inserted, try insert(new, on: connection))
        }
        guard let key = key(of: present) else { throw TableFailure.missingKey(schema) }
        let changed = try record(given.fields, given.values, coding, onto: present, given.read)
        try validateUpdate(changed)
        guard try isUpdate(changed, of: present) else { return Upserted(.updated, key) }
        let leftOut = columnNames.indices.filter { !given.mentions(columnNames[$0]) }
        guard try updateRow(changed, at: key, except: leftOut, on: connection) else {
            throw TableFailure.noSuchRow(schema)
        }
        return Upserted(.updated, key)
    }

    /// Whether a record has other values than its row, but for the key and the times that the table keeps.
    private static func isUpdate(_ changed: Self, of present: Self) throws -> Bool {
        let upkeep = RecordType.upkeep
        let times = [upkeep?.created?.index, upkeep?.updated?.index].compactMap(\.self)
        let unwritten = Set(indices(of: try schema.keyColumns().map(\.name)) + times)
        return try !changed.columns(differingFrom: present).isSubset(of: unwritten)
    }

    /// The existing row: the one in which the target's columns have the values, otherwise the one with the primary key.
    private static func row<Given>(
        of given: FieldValues<Given>, by target: UpsertTarget<Self>, in db: borrowing some Writing & ~Copyable
    ) throws -> Self? {
        if !target.isPrimaryKey {
            let names = target.indices.map { columnNames[$0] }
            try schema.checkUnique(names)
            let values = try names.map { name in
                guard let value = try given.value(of: name), value != .null else {
                    throw TableFailure.missingUnique(schema, name)
                }
                return value
            }
            if let row = try row(names, values, in: db) { return row }
        }
        let keys = try schema.keyColumns().map(\.name)
        let values = try keys.compactMap { try given.value(of: $0) }.filter { $0 != .null }
        return values.count == keys.count ? try row(keys, values, in: db) : nil
    }

    private static func row(
        _ names: [String], _ values: [Value], in db: borrowing some Writing & ~Copyable
    ) throws -> Self? {
        var query = Query<Self>()
        for (name, value) in zip(names, values) {
            var condition: SQL = "\(SQL.name(name)) = \(value)"
            // With the collation of the index: with that of the column, other rows could match.
            if let collation = schema.uniqueCollation(of: name, among: names) { condition.append(text: collation.sql) }
            query.clauses.add(Condition(condition))
        }
        let found = try query.limit(2).fetch(in: db)
        guard found.count < 2 else { throw TableFailure.manyRows(schema, names) }
        return found.first
    }
}

/// The given values of a table's columns, by the fields' keys.
private struct FieldValues<Given> {
    let fields: [RecordField]
    let values: [String: Given]
    let read: (RecordField, Given) throws -> Value
    private let fieldOfColumn: [SQLName: RecordField]

    init(_ fields: [RecordField], _ values: [String: Given], read: @escaping (RecordField, Given) throws -> Value) {
        self.fields = fields
        self.values = values
        self.read = read
        fieldOfColumn = Dictionary(
            fields.map { (SQLName($0.column.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    func mentions(_ column: String) -> Bool {
        fieldOfColumn[SQLName(column)].map { values[$0.key] != nil } ?? false
    }

    /// A column's value in its stored form; nil if none is given.
    func value(of column: String) throws -> Value? {
        guard let field = fieldOfColumn[SQLName(column)], let given = values[field.key] else { return nil }
        return try read(field, given)
    }
}
