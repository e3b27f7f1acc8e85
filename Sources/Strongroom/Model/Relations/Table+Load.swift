extension Table where RecordType == Self {
    /// Reads the children, or the parents, of any number of records with one statement.
    ///
    /// ```swift
    /// let contacts = try await store.read { db in
    ///     var contacts = try Contact.where { $0.city == "Bonn" }.fetch(in: db)
    ///     try Contact.load(\.$phones, of: &contacts, in: db)
    ///     return contacts
    /// }
    /// ```
    ///
    /// The previous value of the property is replaced, even if it was changed.
    ///
    /// - Parameters:
    ///   - relation: The property, with its dollar sign; one of the table's ``Table/relations``.
    ///   - records: The records. Children are sorted by position or by key; a record without a key has no children.
    ///   - db: A transaction.
    /// - Throws: ``StrongroomError`` with `notDeclared` for a property that is not among the relations, `otherStore` if
    ///   its table is declared in another database, `typeMismatch`, or the engine's error; the records are then not
    ///   changed.
    public static func load<Property: _RelatedProperty>(
        _ relation: any WritableKeyPath<Self, Property> & Sendable, of records: inout [Self],
        in db: borrowing some Reading & ~Copyable
    ) throws {
        _ = try tables(of: relation, isStrict: false)
        let found = try self.relation(relation)
        var loaded = records
        try found.load(into: &loaded, on: db._handle.connection)
        records = loaded
    }

    /// Reads the children, or the parent, of a record.
    ///
    /// ```swift
    /// try Contact.load(\.$phones, of: &contact, in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - relation: The property, with its dollar sign; one of the table's ``Table/relations``.
    ///   - record: The record; unchanged if reading fails.
    ///   - db: A transaction.
    /// - Throws: As the method for a list.
    public static func load<Property: _RelatedProperty>(
        _ relation: any WritableKeyPath<Self, Property> & Sendable, of record: inout Self,
        in db: borrowing some Reading & ~Copyable
    ) throws {
        var list = [record]
        try load(relation, of: &list, in: db)
        record = list[0]
    }

    static func relation<Property: _RelatedProperty>(
        _ property: any WritableKeyPath<Self, Property> & Sendable
    ) throws -> any Relation<Self> {
        guard let found = relations?.all.first(where: { $0.path as AnyKeyPath == property }) else {
            throw RelationFailure.notDeclared(schema)
        }
        return found
    }
}
