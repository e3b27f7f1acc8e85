extension Table where RecordType == Self {
    /// Saves the object in its store: its row is updated, or inserted where there is none.
    ///
    /// The store is that of the table's `databaseName` in ``Stores/current``, and is opened if need be.
    ///
    /// ```swift
    /// var contact = Contact(name: "Ada", email: "ada@example.org")
    /// try await contact.save()
    /// print(contact.id)
    /// ```
    ///
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:in:)`, `Stores.open` and `Store.write`; ``StrongroomError`` with `schemaChange` when the table cannot be made as it is
    ///   declared. The object is unchanged then.
    @discardableResult
    public mutating func save() async throws -> Saved {
        let object = self
        let (saved, outcome) = try await Objects<Self>.write { db in
            var copy = object
            let outcome = try Self.save(&copy, in: db)
            return (copy, outcome)
        }
        self = saved
        return outcome
    }

    /// Saves the object in the transaction of its store that the running code is inside of; outside of any, in one of its own, which blocks the
    /// thread as the blocking `Store.write` does.
    ///
    /// ```swift
    /// try await store.write { db in
    ///     var contact = Contact(name: "Ada", email: "ada@example.org")
    ///     try contact.save()
    ///     try Visit(of: contact).save()     // both or none
    /// }
    /// ```
    ///
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:in:)`; ``StrongroomError`` with `readOnly` inside a read, `otherStore` inside a transaction of another store, `closed`
    ///   outside of any when the store is not open.
    @discardableResult
    @available(*, noasync, message: "in async code, write: try await object.save()")
    public mutating func save() throws -> Saved {
        var copy = self
        let outcome = try Objects<Self>.writeNow { db in try Self.save(&copy, in: db) }
        self = copy
        return outcome
    }

    /// Deletes the object's row.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``StrongroomError`` with `missingKey` when the object has no key; as for a save else.
    @discardableResult
    public func delete() async throws -> Bool {
        try await Objects<Self>.write { db in try Self.delete(self, in: db) }
    }

    /// Deletes the object's row, in the transaction of its store that the running code is inside of; outside of any, in one of its own, which blocks the
    /// thread.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``StrongroomError`` with `missingKey` when the object has no key, `readOnly`, `otherStore`, `closed`, as for a save.
    @discardableResult
    @available(*, noasync, message: "in async code, write: try await object.delete()")
    public func delete() throws -> Bool {
        try Objects<Self>.writeNow { db in try Self.delete(self, in: db) }
    }
}

extension Array where Element: Table, Element.RecordType == Element {
    /// Saves the objects in their store; all of them or none.
    ///
    /// ```swift
    /// try await contacts.save()
    /// ```
    ///
    /// - Returns: What was done with each.
    /// - Throws: As for one object; then nothing is changed.
    @discardableResult
    public mutating func save() async throws -> [Saved] {
        let objects = self
        let (saved, outcomes) = try await Objects<Element>.write { db in
            var copy = objects
            let outcomes = try Element.save(contentsOf: &copy, in: db)
            return (copy, outcomes)
        }
        self = saved
        return outcomes
    }

    /// Saves the objects in the transaction of their store that the running code is inside of; all of them or none. Outside of any, in one of its own,
    /// which blocks the thread.
    ///
    /// - Returns: What was done with each.
    /// - Throws: As for one object; then nothing is changed.
    @discardableResult
    @available(*, noasync, message: "in async code, write: try await objects.save()")
    public mutating func save() throws -> [Saved] {
        // The commit may fail when all are saved.
        var copy = self
        let outcomes = try Objects<Element>.writeNow { db in try Element.save(contentsOf: &copy, in: db) }
        self = copy
        return outcomes
    }

    /// Deletes the objects' rows; all of them or, when one cannot be deleted, none.
    ///
    /// - Returns: The number of rows that were there.
    /// - Throws: As for one object.
    @discardableResult
    public func delete() async throws -> Int {
        try await Objects<Element>.write { db in try Element.delete(contentsOf: self, in: db) }
    }

    /// Deletes the objects' rows in the transaction of their store that the running code is inside of. Outside of any, in one of its own, which blocks
    /// the thread.
    ///
    /// - Returns: The number of rows that were there.
    /// - Throws: As for one object.
    @discardableResult
    @available(*, noasync, message: "in async code, write: try await objects.delete()")
    public func delete() throws -> Int {
        try Objects<Element>.writeNow { db in try Element.delete(contentsOf: self, in: db) }
    }
}
