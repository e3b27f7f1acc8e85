public import Strongroom

extension Table where RecordType == Self {
    /// Saves the object in its store, and returns its row as it is stored: with defaults, generated columns, and what
    /// triggers and hooks have written.
    ///
    /// If the type is the object's own, the object receives the columns of its row, too; its other properties, such as
    /// loaded children, are kept.
    ///
    /// ```swift
    /// try await contact.save(returning: Contact.self)
    /// print(contact.number)    // a default of the table, or what a trigger has written
    /// ```
    ///
    /// - Parameters:
    ///   - cascading: Whether its parents and its children are saved as well, in the same transaction; see `Relations`.
    ///     Only the object's own row is returned.
    ///   - type: The type of the result; its columns are columns of the table.
    /// - Returns: The row; nil if the object was marked for deletion.
    /// - Throws: As `Table.save(_:cascading:in:returning:)`, `Stores.open` and `Store.write`; `StrongroomError` with
    ///   `schemaChange` if the table cannot be created as it is declared. The object is unchanged then.
    @discardableResult
    public mutating func save<R: Record>(cascading: Bool = false, returning type: R.Type) async throws -> R? {
        try await Objects<Self>.write(&self, .init(cascading)) { db, object in
            try Self.save(&object, cascading: cascading, in: db, returning: type)
        }
    }

    /// Saves the object in the current transaction of its store, and returns its row as it is stored; outside of any,
    /// in a new transaction, which blocks the thread as the blocking `Store.write` does.
    ///
    /// ```swift
    /// try await store.write { db in
    ///     var contact = Contact(name: "Ada", email: "ada@example.org")
    ///     try contact.save(returning: Contact.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - cascading: Whether its parents and its children are saved as well, in the same transaction; see `Relations`.
    ///   - type: The type of the result; its columns are columns of the table.
    /// - Returns: The row; nil if the object was marked for deletion.
    /// - Throws: As `Table.save(_:cascading:in:returning:)`; `StrongroomError` with `readOnly` inside a read,
    ///   `otherStore` inside a transaction of another store, `closed` outside of any if the store is not open.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await object.save(returning: …)")
    public mutating func save<R: Record>(cascading: Bool = false, returning type: R.Type) throws -> R? {
        try Objects<Self>.writeNow(&self, .init(cascading)) { db, object in
            try Self.save(&object, cascading: cascading, in: db, returning: type)
        }
    }
}

extension Array where Element: Table, Element.RecordType == Element {
    /// Saves the objects in their store, all or none, and returns their rows as they are stored.
    ///
    /// If the type is the objects' own, they receive the columns of their rows, too.
    ///
    /// ```swift
    /// try await contacts.save(returning: Contact.self)
    /// ```
    ///
    /// - Parameters:
    ///   - cascading: Whether their parents and their children are saved as well, in the same transaction; see
    ///     `Relations`.
    ///   - type: The type of the results; its columns are columns of the table.
    /// - Returns: The row of each object, in the order of the objects; nil for one that was marked for deletion.
    /// - Throws: As for one object; nothing is changed then.
    @discardableResult
    public mutating func save<R: Record>(cascading: Bool = false, returning type: R.Type) async throws -> [R?] {
        try await Objects<Element>.write(&self, .init(cascading)) { db, objects in
            try Element.save(contentsOf: &objects, cascading: cascading, in: db, returning: type)
        }
    }

    /// Saves the objects in the current transaction of their store, all or none, and returns their rows as they are
    /// stored; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameters:
    ///   - cascading: Whether their parents and their children are saved as well, in the same transaction; see
    ///     `Relations`.
    ///   - type: The type of the results; its columns are columns of the table.
    /// - Returns: The row of each object, in the order of the objects; nil for one that was marked for deletion.
    /// - Throws: As for one object; nothing is changed then.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await objects.save(returning: …)")
    public mutating func save<R: Record>(cascading: Bool = false, returning type: R.Type) throws -> [R?] {
        try Objects<Element>.writeNow(&self, .init(cascading)) { db, objects in
            try Element.save(contentsOf: &objects, cascading: cascading, in: db, returning: type)
        }
    }
}
