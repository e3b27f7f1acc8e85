public import Strongroom

extension Table where RecordType == Self {
    /// Saves the object on the disk or in memory only; queries of its type return both.
    ///
    /// ```swift
    /// var draft = Contact(name: "Ada", email: nil)
    /// try await draft.save(persistence: .memory)    // never in the file, gone when the store closes
    /// try await draft.save(persistence: .disk)      // now it lasts
    /// ```
    ///
    /// - Parameters:
    ///   - persistence: Where to keep it; `save()` leaves it where it is.
    ///   - cascading: Whether its parents and children are saved as well, in the same place; see `Relations`.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:persistence:cascading:in:)`, `Stores.open` and `Store.write`; `StrongroomError` with
    ///   `schemaChange` if the table cannot be created as it is declared. The object is unchanged then.
    @discardableResult
    public mutating func save(persistence: Persistence, cascading: Bool = false) async throws -> Saved {
        try await Objects<Self>.write(&self, .init(cascading)) { db, object in
            try Self.save(&object, persistence: persistence, cascading: cascading, in: db)
        }
    }

    /// Saves the object on the disk or in memory only, in the current transaction of its store; outside of any, in a
    /// new transaction, which blocks the thread.
    ///
    /// - Parameters:
    ///   - persistence: Where to keep it.
    ///   - cascading: Whether its parents and children are saved as well, in the same place; see `Relations`.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:persistence:cascading:in:)`; `StrongroomError` with `readOnly`, `otherStore`,
    ///   `closed`, as for a save.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await object.save(persistence: …)")
    public mutating func save(persistence: Persistence, cascading: Bool = false) throws -> Saved {
        try Objects<Self>.writeNow(&self, .init(cascading)) { db, object in
            try Self.save(&object, persistence: persistence, cascading: cascading, in: db)
        }
    }
}

extension Array where Element: Table, Element.RecordType == Element {
    /// Saves the objects on the disk or in memory only, all or none.
    ///
    /// ```swift
    /// try await drafts.save(persistence: .memory)
    /// ```
    ///
    /// - Parameters:
    ///   - persistence: Where to keep them; `save()` leaves each where it is.
    ///   - cascading: Whether their parents and children are saved as well, in the same place; see `Relations`.
    /// - Returns: What was done with each.
    /// - Throws: As for one object; nothing is changed then.
    @discardableResult
    public mutating func save(persistence: Persistence, cascading: Bool = false) async throws -> [Saved] {
        try await Objects<Element>.write(&self, .init(cascading)) { db, objects in
            try Element.save(contentsOf: &objects, persistence: persistence, cascading: cascading, in: db)
        }
    }

    /// Saves the objects on the disk or in memory only, all or none, in the current transaction of their store; outside
    /// of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameters:
    ///   - persistence: Where to keep them.
    ///   - cascading: Whether their parents and children are saved as well, in the same place; see `Relations`.
    /// - Returns: What was done with each.
    /// - Throws: As for one object; nothing is changed then.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await objects.save(persistence: …)")
    public mutating func save(persistence: Persistence, cascading: Bool = false) throws -> [Saved] {
        try Objects<Element>.writeNow(&self, .init(cascading)) { db, objects in
            try Element.save(contentsOf: &objects, persistence: persistence, cascading: cascading, in: db)
        }
    }
}
