/// Creates the tables that are missing, where no migrator keeps the schema. The store attaches it to its connections.
final class MissingTables: Sendable {
    let create: @Sendable (TableSchema, Connection) throws -> Void

    init(create: @escaping @Sendable (TableSchema, Connection) throws -> Void) {
        self.create = create
    }
}

extension Connection {
    /// Called before a statement of a table's operations is prepared: creates the table where it is missing and no
    /// migrator would create it, and checks the stored form of its decimals and dates.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange`, or `otherMigrations` if another program keeps the file with a
    ///   migrator.
    @usableFromInline
    func prepareTable(_ schema: TableSchema) throws {
        if let missing = attachments[MissingTables.self] { try missing.create(schema, self) }
        try requireStoredForms(of: schema)
    }
}
