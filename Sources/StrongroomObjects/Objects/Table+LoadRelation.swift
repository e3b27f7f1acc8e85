public import Strongroom

extension Table where RecordType == Self {
    /// Reads the object's children, or its parent, from its store.
    ///
    /// ```swift
    /// try await contact.load(\.$phones)
    /// ```
    ///
    /// - Parameter relation: The property, with its dollar sign; one of the table's `Table.relations`.
    /// - Throws: As `Table.load(_:of:in:)`, `Stores.open` and `Store.read`; `StrongroomError` with `otherStore` if the
    ///   two tables are in different databases, `schemaChange` if a table cannot be created as it is declared. The
    ///   object is unchanged then.
    public mutating func load<Property: _RelatedProperty>(
        _ relation: any WritableKeyPath<Self, Property> & Sendable
    ) async throws {
        var objects = [self]
        try await objects.load(relation)
        self = objects[0]
    }
}

extension Array where Element: Table, Element.RecordType == Element {
    /// Reads the objects' children, or their parents, from their store, with one statement for all of them.
    ///
    /// ```swift
    /// var contacts = try await Contact.all()
    /// try await contacts.load(\.$phones)
    /// ```
    ///
    /// - Parameter relation: The property, with its dollar sign; one of the table's `Table.relations`.
    /// - Throws: As for one object; no object is changed then.
    public mutating func load<Property: _RelatedProperty>(
        _ relation: any WritableKeyPath<Element, Property> & Sendable
    ) async throws {
        let objects = self
        self = try await Objects<Element>.read(.relation(Element.tables(of: relation, isStrict: true))) { db in
            var copy = objects
            try Element.load(relation, of: &copy, in: db)
            return copy
        }
    }
}
