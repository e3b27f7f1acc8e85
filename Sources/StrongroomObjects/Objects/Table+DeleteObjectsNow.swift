public import Strongroom

/// Deleting objects of a type without reading them, for code that is not async, such as a transaction's closure.
extension Table {
    /// Deletes the rows that match a condition, without reading them: no hooks are run.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameter condition: Makes the condition from the table's columns.
    /// - Returns: The number of deleted rows.
    /// - Throws: `StrongroomError` with `constraint` when other rows refer to one of them; `readOnly`, `otherStore`,
    ///   `closed`, as for a save.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.deleteAll { … }")
    public static func deleteAll(where condition: (Columns) -> Condition) throws -> Int {
        let asked = Self.where(condition)
        return try Objects<Self>.writeNow { db in try asked.delete(in: db) }
    }

    /// Deletes the rows that match a predicate text, without reading them: no hooks are run.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    /// - Returns: The number of deleted rows.
    /// - Throws: `StrongroomError` with `constraint` when other rows refer to one of them; `readOnly`, `otherStore`,
    ///   `closed`, as for a save.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.deleteAll(where: …)")
    public static func deleteAll(where format: PredicateFormat, _ arguments: (any Sendable)?...) throws -> Int {
        let asked = try Self.where(format.with(arguments: arguments))
        return try Objects<Self>.writeNow { db in try asked.delete(in: db) }
    }

    /// Deletes every row; the next generated key is 1 again. No hooks are run.
    ///
    /// Runs in the current transaction of its store; outside of any, in a new transaction, which blocks the thread.
    ///
    /// - Returns: The number of deleted rows.
    /// - Throws: `StrongroomError` with `constraint` when other rows refer to one of them; `readOnly`, `otherStore`,
    ///   `closed`, as for a save.
    @discardableResult
    @available(*, noasync, message: "in an async function (in main.swift, too): try await Contact.truncate()")
    public static func truncate() throws -> Int {
        try Objects<Self>.writeNow { db in try truncate(in: db) }
    }
}
