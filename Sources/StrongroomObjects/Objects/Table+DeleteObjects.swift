public import Strongroom

/// Deleting objects of a type without reading them, and preparing its table.
extension Table {
    /// Deletes the rows that match a condition, without reading them: no hooks are run.
    ///
    /// - Parameter condition: Makes the condition from the table's columns.
    /// - Returns: The number of deleted rows.
    /// - Throws: `StrongroomError` with `constraint` if other rows refer to one of them; as `Stores.open` and
    ///   `Store.write`.
    @discardableResult
    public static func deleteAll(where condition: (Columns) -> Condition) async throws -> Int {
        try await Objects<Self>.delete(Self.where(condition))
    }

    /// Deletes the rows that match a predicate text, without reading them: no hooks are run.
    ///
    /// - Parameters:
    ///   - format: The text; see <doc:PredicatesAsText>.
    ///   - arguments: A value for each `%@`, `%d`, `%f` and `%K` in it.
    /// - Returns: The number of deleted rows.
    /// - Throws: `StrongroomError` with `constraint` if other rows refer to one of them; as `Stores.open` and
    ///   `Store.write`.
    @discardableResult
    public static func deleteAll(where format: PredicateFormat, _ arguments: (any Sendable)?...) async throws -> Int {
        try await Objects<Self>.delete(Self.where(format.with(arguments: arguments)))
    }

    /// Deletes every row; the next generated key is 1 again. No hooks are run.
    ///
    /// - Returns: The number of deleted rows.
    /// - Throws: `StrongroomError` with `constraint` if other rows refer to one of them; as `Stores.open` and
    ///   `Store.write`.
    @discardableResult
    public static func truncate() async throws -> Int {
        try await Objects<Self>.truncate()
    }

    /// Opens the store, and creates the table or updates it to its declaration, if no migrator maintains the schema.
    ///
    /// The other methods do so on first use. Call it before using the table only inside transactions: a transaction can
    /// create a missing table, but not change an existing one.
    ///
    /// - Throws: `StrongroomError` with `schemaChange`, `migrationFailed`, or `otherMigrations` if the file's schema is
    ///   maintained by another program's migrator; as `Stores.open`.
    public static func prepare() async throws {
        _ = try await Objects<Self>.store()
    }
}
