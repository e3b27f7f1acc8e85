public import Strongroom

extension Table where RecordType == Self {
    /// Saves the object in its store: updates its row, or inserts it if there is none.
    ///
    /// The store is that of the table's `databaseName` in `Stores.current`; it is opened if necessary.
    ///
    /// ```swift
    /// var contact = Contact(name: "Ada", email: "ada@example.org")
    /// try await contact.save()
    /// print(contact.id)
    /// ```
    ///
    /// - Parameter cascading: Whether its parents and its children are saved as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:cascading:in:)`, `Stores.open` and `Store.write`; `StrongroomError` with
    ///   `schemaChange` if the table cannot be created as it is declared. The object is unchanged then.
    @discardableResult
    public mutating func save(cascading: Bool = false) async throws -> Saved {
        try await Objects<Self>.write(&self, .init(cascading)) { db, object in
            try Self.save(&object, cascading: cascading, in: db)
        }
    }

    /// Saves the object in the current transaction of its store; outside of any, in a new transaction, which blocks the
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
    /// - Parameter cascading: Whether its parents and its children are saved as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:cascading:in:)`; `StrongroomError` with `readOnly` inside a read, `otherStore` inside
    ///   a transaction of another store, `closed` outside of any if the store is not open.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await object.save()")
    public mutating func save(cascading: Bool = false) throws -> Saved {
        try Objects<Self>.writeNow(&self, .init(cascading)) { db, object in
            try Self.save(&object, cascading: cascading, in: db)
        }
    }

    /// Reads the columns of the object's row into the object: also defaults, generated columns, and what triggers and
    /// hooks have written. Properties that are not stored, such as loaded children, are kept.
    ///
    /// ```swift
    /// try await contact.save()
    /// try await contact.reload()
    /// print(contact.number)    // a default of the table, or what a trigger has written
    /// ```
    ///
    /// Another write may come between the two; in a transaction, use `Contact.reload(&contact, in: db)`.
    ///
    /// - Throws: As `Table.reload(_:in:)`, `Stores.open` and `Store.read`; the object is unchanged then.
    public mutating func reload() async throws {
        let object = self
        self = try await Objects<Self>.read { db in
            var copy = object
            try Self.reload(&copy, in: db)
            return copy
        }
    }

    /// Deletes the object's row.
    ///
    /// - Parameter cascading: Whether the rows that refer to it are deleted as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: Whether there was one.
    /// - Throws: `StrongroomError` with `missingKey` if the object has no key; otherwise as for a save.
    @discardableResult
    public func delete(cascading: Bool = false) async throws -> Bool {
        try await Objects<Self>.write(.init(cascading)) { db in try Self.delete(self, cascading: cascading, in: db)
        }
    }

    /// Deletes the object's row in the current transaction of its store; outside of any, in a new transaction, which
    /// blocks the thread.
    ///
    /// - Parameter cascading: Whether the rows that refer to it are deleted as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: Whether there was one.
    /// - Throws: `StrongroomError` with `missingKey` if the object has no key, `readOnly`, `otherStore`, `closed`, as
    ///   for a save.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await object.delete()")
    public func delete(cascading: Bool = false) throws -> Bool {
        try Objects<Self>.writeNow(.init(cascading)) { db in try Self.delete(self, cascading: cascading, in: db) }
    }
}

extension Array where Element: Table, Element.RecordType == Element {
    /// Saves the objects in their store, all or none.
    ///
    /// ```swift
    /// try await contacts.save()
    /// ```
    ///
    /// - Parameter cascading: Whether their parents and their children are saved as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: What was done with each.
    /// - Throws: As for one object; nothing is changed then.
    @discardableResult
    public mutating func save(cascading: Bool = false) async throws -> [Saved] {
        try await Objects<Element>.write(&self, .init(cascading)) { db, objects in
            try Element.save(contentsOf: &objects, cascading: cascading, in: db)
        }
    }

    /// Saves the objects in the current transaction of their store, all or none; outside of any, in a new transaction,
    /// which blocks the thread.
    ///
    /// - Parameter cascading: Whether their parents and their children are saved as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: What was done with each.
    /// - Throws: As for one object; nothing is changed then.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await objects.save()")
    public mutating func save(cascading: Bool = false) throws -> [Saved] {
        try Objects<Element>.writeNow(&self, .init(cascading)) { db, objects in
            try Element.save(contentsOf: &objects, cascading: cascading, in: db)
        }
    }

    /// Deletes the objects' rows, all or none.
    ///
    /// - Parameter cascading: Whether the rows that refer to them are deleted as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: The number of rows that existed.
    /// - Throws: As for one object.
    @discardableResult
    public func delete(cascading: Bool = false) async throws -> Int {
        try await Objects<Element>.write(.init(cascading)) { db in
            try Element.delete(contentsOf: self, cascading: cascading, in: db)
        }
    }

    /// Deletes the objects' rows in the current transaction of their store; outside of any, in a new transaction, which
    /// blocks the thread.
    ///
    /// - Parameter cascading: Whether the rows that refer to them are deleted as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: The number of rows that existed.
    /// - Throws: As for one object.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await objects.delete()")
    public func delete(cascading: Bool = false) throws -> Int {
        try Objects<Element>.writeNow(.init(cascading)) { db in
            try Element.delete(contentsOf: self, cascading: cascading, in: db)
        }
    }
}
