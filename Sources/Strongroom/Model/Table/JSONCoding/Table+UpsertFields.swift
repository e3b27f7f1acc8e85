extension Table where Self: Record, RecordType == Self {
    /// Brings JSON into the table: the row that unique columns point to is updated, and where there is none, a new one
    /// is inserted.
    ///
    /// In a row that is there, only what the JSON mentions is written; `null` is NULL. In a new row, what is left out
    /// is the column's default, or nil. Which row it is: the one in which the columns have the values of the JSON, else
    /// the one with its primary key, where it has one.
    ///
    /// ```swift
    /// try Contact.upsert(json: #"[{"email": "ada@example.org", "phone": "030"}]"#, by: \.email, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, in the order in which they are written; one may find
    ///     the row that an earlier one made.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: How keys are named and dates are written.
    ///   - db: A write transaction.
    /// - Returns: For each object whether its row was there, and its key.
    /// - Throws: ``StrongroomError`` with `notARecord` for a text that is no object and no array of them, a key that
    ///   the table has not, or one that a new row needs; `typeMismatch`, `notUnique`, `missingKey` when there is no
    ///   value for one of the columns, `constraint`; what the validations throw. Then nothing is changed.
    @discardableResult
    public static func upsert<each V>(
        json: String,
        by columns: repeat KeyPath<Columns, Column<each V>>,
        coding: RecordCoding = RecordCoding(),
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        try upsert(json, by: UpsertTarget<Self>(repeat each columns), coding, in: db)
    }

    /// Brings JSON into the table: the row with its primary key is updated, and where there is none, or the JSON has no
    /// key, a new one is inserted.
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects.
    ///   - coding: How keys are named and dates are written.
    ///   - db: A write transaction.
    /// - Returns: For each object whether its row was there, and its key.
    /// - Throws: As the form by other columns; then nothing is changed.
    @discardableResult
    public static func upsert(
        json: String,
        coding: RecordCoding = RecordCoding(),
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        try upsert(json, by: .primaryKey, coding, in: db)
    }

    /// Brings a dictionary into the table, as `upsert(json:by:coding:in:)` does with an object.
    ///
    /// - Parameters:
    ///   - dictionary: The values. In a row that is there, only these are written.
    ///   - columns: The primary key, a unique column, or all columns of a unique index.
    ///   - coding: How keys are named and dates are written; by default dates are as stored.
    ///   - db: A write transaction.
    /// - Returns: Whether the row was there, and its key.
    /// - Throws: As the form for JSON.
    @discardableResult
    public static func upsert<each V>(
        dictionary: [String: Value],
        by columns: repeat KeyPath<Columns, Column<each V>>,
        coding: RecordCoding = .stored,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let given = FieldValues(try RecordField.all(of: Self.self, coding), dictionary) { try $0.read($1) }
        return try upsert(given, by: UpsertTarget<Self>(repeat each columns), coding, in: db)
    }

    private static func upsert(
        _ json: String, by target: UpsertTarget<Self>, _ coding: RecordCoding,
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let node = try JSONNode(text: json)
        let nodes = if case .list(let nodes) = node { nodes } else { [node] }
        let fields = try RecordField.all(of: Self.self, coding)
        return try db.savepoint { db in
            try nodes.map { node in
                let given = FieldValues(fields, try object(node)) { try $0.read($1) }
                return try upsert(given, by: target, coding, in: db)
            }
        }
    }

    private static func upsert<Given>(
        _ given: FieldValues<Given>, by target: UpsertTarget<Self>, _ coding: RecordCoding,
        in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let connection = db.handle.connection
        guard let present = try row(of: given, by: target, in: db) else {
            let new = try record(given.fields, given.values, coding, onto: nil, given.read)
            return Upserted(.inserted, try insert(new, on: connection))
        }
        guard let key = key(of: present) else { throw TableFailure.missingKey(schema) }
        let changed = try record(given.fields, given.values, coding, onto: present, given.read)
        try validateUpdate(changed)
        let leftOut = columnNames.indices.filter { !given.mentions(columnNames[$0]) }
        guard try updateRow(changed, at: key, except: leftOut, on: connection) else {
            throw TableFailure.noSuchRow(schema)
        }
        return Upserted(.updated, key)
    }

    /// The row that is meant: the one in which the target's columns have the values, else the one with the primary key.
    private static func row<Given>(
        of given: FieldValues<Given>, by target: UpsertTarget<Self>, in db: borrowing some Writing & ~Copyable
    ) throws -> Self? {
        if !target.isPrimaryKey {
            let names = target.places.map { columnNames[$0] }
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
            // As the index compares them: by the column's collation others could be found.
            if let collation = schema.uniqueCollation(of: name, among: names) { condition.append(text: collation.sql) }
            query.clauses.add(Condition(condition))
        }
        let found = try query.limit(2).fetch(in: db)
        guard found.count < 2 else { throw TableFailure.manyRows(schema, names) }
        return found.first
    }
}

/// What is given for some of a table's columns, under the fields' keys.
private struct FieldValues<Given> {
    let fields: [RecordField]
    let values: [String: Given]
    let read: (RecordField, Given) throws -> Value
    private let fieldOfColumn: [String: RecordField]

    init(_ fields: [RecordField], _ values: [String: Given], read: @escaping (RecordField, Given) throws -> Value) {
        self.fields = fields
        self.values = values
        self.read = read
        fieldOfColumn = Dictionary(
            fields.map { ($0.column.name.asciiFolded, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func mentions(_ column: String) -> Bool {
        fieldOfColumn[column.asciiFolded].map { values[$0.key] != nil } ?? false
    }

    /// A column's value as the engine keeps it; nil for one that is not mentioned.
    func value(of column: String) throws -> Value? {
        guard let field = fieldOfColumn[column.asciiFolded], let given = values[field.key] else { return nil }
        return try read(field, given)
    }
}
