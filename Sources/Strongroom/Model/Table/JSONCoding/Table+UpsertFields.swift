extension Table where Self: Record, RecordType == Self {
    /// Upserts JSON: updates the row that a rule identifies, otherwise the one with the primary key in the JSON, or
    /// inserts a new one.
    ///
    /// In an existing row, only the columns in the JSON are written; `null` is NULL, unless the rule keeps nils. A row
    /// that has these values already is not written. In a new row, a missing value is the column's default, or nil.
    ///
    /// ```swift
    /// try Contact.upsert(json: #"[{"email": "ada@example.org", "phone": "030"}]"#, .by(\.email), in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text of an object, or of an array of objects, which are written in order.
    ///   - rule: The row of each, and which of the columns in the JSON are written to it if it exists.
    ///   - coding: The key mapping and the date format.
    ///   - db: A write transaction.
    /// - Returns: For each object, whether its row existed, and its key.
    /// - Throws: ``StrongroomError`` with `notARecord` for a text that is neither an object nor an array of objects, an
    ///   unknown key, or a missing one that a new row needs; `typeMismatch`, `constraint`, what the ``WriteRule``
    ///   names; errors of the validations. The message names the object's index in an array. Nothing is changed then.
    @discardableResult
    public static func upsert(
        json: String, _ rule: WriteRule<Self> = .key, coding: RecordCoding = RecordCoding(),
        in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let node = try JSONNode(text: json)
        let (nodes, isList) = if case .list(let nodes) = node { (nodes, true) } else { ([node], false) }
        let fields = try RecordField.all(of: Self.self, coding)
        let plan = try WritePlan(rule, on: db._handle.connection)
        return try db.inPart { db in
            try nodes.mapRecords(isList: isList) { try upsert(given($0, fields, coding), plan, in: db) }
        }
    }

    /// Upserts dictionaries, as `upsert(json:_:coding:in:)` does with an array of objects.
    ///
    /// - Parameters:
    ///   - dictionaries: The values. In an existing row, only these are written.
    ///   - rule: The row of each, and which of the values are written to it if it exists.
    ///   - coding: The key mapping and the date format; by default dates are as stored.
    ///   - db: A write transaction.
    /// - Returns: For each dictionary, whether its row existed, and its key.
    /// - Throws: As the method for JSON.
    @discardableResult
    public static func upsert(
        dictionaries: some Sequence<[String: SQLValue]>, _ rule: WriteRule<Self> = .key,
        coding: RecordCoding = .stored, in db: borrowing some Writing & ~Copyable
    ) throws -> [Upserted<Key>] {
        let fields = try RecordField.all(of: Self.self, coding)
        let plan = try WritePlan(rule, on: db._handle.connection)
        return try db.inPart { db in
            try Array(dictionaries).mapRecords { try upsert(given($0, fields, coding), plan, in: db) }
        }
    }

    private static func upsert(
        _ given: FieldValues, _ plan: WritePlan<Self>, in db: borrowing some Writing & ~Copyable
    ) throws -> Upserted<Key> {
        let rows = try rows(of: given, plan, in: db)
        guard let first = rows.first else {
            if plan.row == .update {
                let keys = try schema.keyColumns().map { given.value(of: $0.name) ?? .null }
                throw keys.contains(.null) ? TableFailure.missingKey(schema) : TableFailure.noSuchRow(schema)
            }
            return Upserted(.inserted, try insert(record(given, onto: nil), on: db._handle.connection))
        }
        let written = given.written(plan)
        let keys = try rows.map { try update($0, with: written, on: db._handle.connection) }
        return Upserted(.updated, key(of: first) ?? keys[0], others: Array(keys.dropFirst()))
    }

    private static func update(
        _ present: Self, with given: FieldValues, on connection: Connection
    ) throws -> Key {
        guard let key = key(of: present) else { throw TableFailure.missingKey(schema) }
        let changed = try record(given, onto: present)
        try validateUpdate(changed)
        guard try isUpdate(changed, of: present) else { return key }
        let leftOut = columnNames.indices.filter { given.value(of: columnNames[$0]) == nil }
        guard try update(changed, at: key, Operation.overwrite, except: leftOut, on: connection) else {
            throw TableFailure.noSuchRow(schema)
        }
        return key
    }

    /// Whether a record has other values than its row, but for the key and the times that the table keeps.
    private static func isUpdate(_ changed: Self, of present: Self) throws -> Bool {
        let upkeep = RecordType._upkeep
        let times = [upkeep?.created?.index, upkeep?.updated?.index].compactMap(\.self)
        let unwritten = Set(indices(of: try schema.keyColumns().map(\.name)) + times)
        return try !changed.columns(differingFrom: present).isSubset(of: unwritten)
    }

    /// The existing rows: those in which the rule's columns have the values, otherwise the one with the primary key.
    private static func rows(
        of given: FieldValues, _ plan: WritePlan<Self>, in db: borrowing some Writing & ~Copyable
    ) throws -> [Self] {
        guard plan.row != .insert else { return [] }
        if !plan.indices.isEmpty {
            if plan.row == .unique { try schema.checkUnique(plan.names) }
            let values = try plan.names.map { name in
                guard let value = given.value(of: name), value != .null else {
                    throw TableFailure.missingUnique(schema, name)
                }
                return value
            }
            let rows = try rows(plan.names, values, isUnique: plan.row == .unique, in: db)
            guard rows.count < 2 || plan.row == .unique || plan.several == .updateAll else {
                throw TableFailure.severalRows(schema, plan.names)
            }
            if !rows.isEmpty { return rows }
        }
        let keys = try schema.keyColumns().map(\.name)
        let values = keys.compactMap { given.value(of: $0) }.filter { $0 != .null }
        return values.count == keys.count ? try rows(keys, values, isUnique: true, in: db) : []
    }

    /// The rows with some values, smallest key first.
    private static func rows(
        _ names: [String], _ values: [SQLValue], isUnique: Bool, in db: borrowing some Writing & ~Copyable
    ) throws -> [Self] {
        var query = Query<Self>()
        for (name, value) in zip(names, values) {
            var condition: SQL = "\(SQL.name(name)) = \(value)"
            // With the collation of the index: with that of the column, other rows could match.
            if isUnique, let collation = schema.uniqueCollation(of: name, among: names) {
                condition.append(text: collation.sql)
            }
            query.clauses.add(Condition(condition))
        }
        guard isUnique else { return try query.orderedByKey(descending: false).fetch(in: db) }
        let found = try query.limit(2).fetch(in: db)
        guard found.count < 2 else { throw TableFailure.manyRows(schema, names) }
        return found
    }
}
