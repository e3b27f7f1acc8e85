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
    /// What a migration does.
    public typealias Step = @Sendable (borrowing MigrationTransaction) throws -> Void

    /// The version that the schema has after this step.
    public let version: String

    package let up: Step
    package let down: Step?

    /// Describes a step.
    ///
    /// - Parameters:
    ///   - version: The version that the schema has after it; any text but an empty one, once in a migrator.
    ///   - up: Changes the schema and the rows. Runs in one transaction with the row that records the version.
    ///   - down: Undoes the step, for going back on purpose; nil when there is no way back.
    public init(_ version: String, _ up: @escaping Step, down: Step? = nil) {
        self.version = version
        self.up = up
        self.down = down
    }
}
