/// One step from a version of the schema to the next.
///
/// ```swift
/// Migration("2") { db in
///     try db.addColumn(Contact.columns.phone, to: "contact")
/// } down: { db in
///     try db.dropColumn("phone", from: "contact")
/// }
/// ```
public struct Migration: Sendable {
    /// The closure of a migration.
    public typealias Step = @Sendable (borrowing MigrationTransaction) throws -> Void

    /// The schema version after this step.
    public let version: String

    package let up: Step
    package let down: Step?

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - version: The schema version after the step; not empty, and unique within a migrator.
    ///   - up: Changes the schema and the rows. Runs in one transaction with the record of the version.
    ///   - down: Reverts the step, for an explicit downgrade; nil if the step cannot be reverted.
    public init(_ version: String, _ up: @escaping Step, down: Step? = nil) {
        self.version = version
        self.up = up
        self.down = down
    }
}
