public import Strongroom

/// What deletes objects of a type without looking at them, and what makes its table.
extension Table {
    /// Deletes the rows for which a condition holds, without looking at them: no hooks are run.
    ///
    /// - Parameter condition: Makes the condition from the table's columns.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: `StrongroomError` with `constraint` when other rows refer to one of them; as `Stores.open` and
    ///   `Store.write`.
    @discardableResult
    public static func deleteAll(where condition: (Columns) -> Condition) async throws -> Int {
        let asked = Self.where(condition)
        return try await Objects<Self>.write { db in try asked.delete(in: db) }
    }

    /// Deletes the rows for which a text holds, without looking at them: no hooks are run.
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: `StrongroomError` with `constraint` when other rows refer to one of them; as `Stores.open` and
    ///   `Store.write`.
    @discardableResult
    public static func deleteAll(where format: PredicateFormat, _ arguments: (any Sendable)?...) async throws -> Int {
        let asked = try Self.where(format.with(arguments: arguments))
        return try await Objects<Self>.write { db in try asked.delete(in: db) }
    }

    /// Deletes every row; the next key that the engine makes is 1 again. No hooks are run.
    ///
    /// - Returns: The number of rows that were deleted.
    /// - Throws: `StrongroomError` with `constraint` when other rows refer to one of them; as `Stores.open` and
    ///   `Store.write`.
    @discardableResult
    public static func truncate() async throws -> Int {
        try await Objects<Self>.write { db in try truncate(in: db) }
    }

    /// Opens the store, and makes the table or changes it to what is declared, where no migrator keeps the schema.
    ///
    /// The first of the other calls does it as well; code that uses the table only inside transactions calls this
    /// before, since a transaction can make a table that is missing, and change none.
    ///
    /// - Throws: `StrongroomError` with `schemaChange`, `migrationFailed`, or `invalidMigrator` when another program
    ///   keeps the file with a migrator; as `Stores.open`.
    public static func prepare() async throws {
        _ = try await Objects<Self>.store()
    }
}
