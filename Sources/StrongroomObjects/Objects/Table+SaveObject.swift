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
    /// try await contact.save(.by(\.email))          // the row with the address, whose key it gets
    /// try await draft.save(persistence: .memory)    // never in the file, gone when the store closes
    /// ```
    ///
    /// Each call is a transaction. To save several objects in one, use `Contact.save(&contact, in: db)` in the closure
    /// of a `Store.write`.
    ///
    /// - Parameters:
    ///   - rule: The row that is written, and the columns that are written in a row that exists.
    ///   - persistence: Whether it is stored on the disk or in memory only, where the queries of this module find it,
    ///     too; nil to leave it where it is. An object that moves to the disk keeps its key.
    ///   - cascading: Whether its parents and its children are saved as well, in the same transaction; see `Relations`.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:_:cascading:in:)`, `Stores.open` and `Store.write`; `StrongroomError` with
    ///   `constraint` if it is to be saved in memory and has a row in the file, `invalidRule` for a rule but `.key`
    ///   together with one of the options, `schemaChange` if the table cannot be created as it is declared. The object
    ///   is unchanged then.
    @discardableResult
    public mutating func save(
        _ rule: WriteRule<Self> = .key, persistence: Persistence? = nil, cascading: Bool = false
    ) async throws -> Saved {
        var objects = [self]
        let outcomes = try await Objects<Self>.save(&objects, rule, persistence, cascading)
        self = objects[0]
        return outcomes[0]
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
        try await Objects<Self>.delete([self], cascading) > 0
    }
}

extension Array where Element: Table, Element.RecordType == Element {
    /// Saves the objects in their store, all or none.
    ///
    /// ```swift
    /// try await contacts.save()
    /// try await contacts.save(.by(\.email, nils: .keep))
    /// ```
    ///
    /// - Parameters:
    ///   - rule: The row that is written for each, and the columns that are written in a row that exists.
    ///   - persistence: Whether they are stored on the disk or in memory only; nil to leave each where it is.
    ///   - cascading: Whether their parents and their children are saved as well, in the same transaction; see
    ///     `Relations`.
    /// - Returns: What was done with each.
    /// - Throws: As for one object; nothing is changed then.
    @discardableResult
    public mutating func save(
        _ rule: WriteRule<Element> = .key, persistence: Persistence? = nil, cascading: Bool = false
    ) async throws -> [Saved] {
        try await Objects<Element>.save(&self, rule, persistence, cascading)
    }

    /// Deletes the objects' rows, all or none.
    ///
    /// - Parameter cascading: Whether the rows that refer to them are deleted as well, in the same transaction; see
    ///   `Relations`.
    /// - Returns: The number of rows that existed.
    /// - Throws: As for one object.
    @discardableResult
    public func delete(cascading: Bool = false) async throws -> Int {
        try await Objects<Element>.delete(self, cascading)
    }
}
