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
    /// - Parameter persistence: Where to keep it; `save()` leaves it where it is.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:persistence:in:)`, `Stores.open` and `Store.write`; `StrongroomError` with
    ///   `schemaChange` if the table cannot be created as it is declared. The object is unchanged then.
    @discardableResult
    public mutating func save(persistence: Persistence) async throws -> Saved {
        let object = self
        let (saved, outcome) = try await Objects<Self>.write { db in
            var copy = object
            let outcome = try Self.save(&copy, persistence: persistence, in: db)
            return (copy, outcome)
        }
        self = saved
        return outcome
    }

    /// Saves the object on the disk or in memory only, in the current transaction of its store; outside of any, in a
    /// new transaction, which blocks the thread.
    ///
    /// - Parameter persistence: Where to keep it.
    /// - Returns: What was done.
    /// - Throws: As `Table.save(_:persistence:in:)`; `StrongroomError` with `readOnly`, `otherStore`, `closed`, as
    ///   for a save.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await object.save(persistence: …)")
    public mutating func save(persistence: Persistence) throws -> Saved {
        var copy = self
        let outcome = try Objects<Self>.writeNow { db in try Self.save(&copy, persistence: persistence, in: db) }
        self = copy
        return outcome
    }
}
