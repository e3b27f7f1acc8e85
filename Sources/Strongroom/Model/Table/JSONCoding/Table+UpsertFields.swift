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
        let connection = db._handle.connection
        let plan = try WritePlan(rule, on: connection)
        return try connection.inSavepoint {
            try nodes.mapRecords(isList: isList) { try upsert(given($0, fields, coding), plan, on: connection) }
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
        let connection = db._handle.connection
        let plan = try WritePlan(rule, on: connection)
        return try connection.inSavepoint {
            try Array(dictionaries).mapRecords { try upsert(given($0, fields, coding), plan, on: connection) }
        }
    }

    private static func upsert(
        _ given: FieldValues, _ plan: WritePlan<Self>, on connection: Connection
    ) throws -> Upserted<Key> {
        let written = given.written(plan)
        return try write(plan, on: connection, key: given.key(of: Self.self)) { bindings in
            for (field, value) in zip(given.fields, given.values) {
                if let index = field.index, let value { try bindings.bind(value, at: index) }
            }
        } update: { key, _ in
            try update(key, with: written, on: connection)
        } insert: {
            try insert(record(given, onto: nil), on: connection)
        }
    }

    /// - Returns: The row's key; nil if there is no such row.
    private static func update(_ key: Key, with given: FieldValues, on connection: Connection) throws -> Key? {
        try connection.requireUniqueKey(of: schema)
        guard let present = try find(key, in: WriteTransaction(connection)), let key = self.key(of: present) else {
            return nil
        }
        let changed = try record(given, onto: present)
        let indices = try isUpdate(changed, of: present) ? given.indices : []
        guard try update(changed, at: key, writing: indices, on: connection) else {
            throw schema.noSuchRow
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
}
