/// Recreates the full-text indexes of a table that is renamed. Runs in the caller's savepoint.
struct FullTextRenaming {
    private let connection: Connection
    private let newName: String
    private let indexes: [StoredFullText]

    init(_ connection: Connection, _ name: String, _ newName: String) throws {
        self.connection = connection
        self.newName = newName
        indexes = StoredFullText.all(in: try connection.schemaEntries(), of: name)
    }

    /// Drops the indexes, before the table is renamed.
    func stop() throws {
        for index in indexes { try connection.dropFullText(index.name) }
    }

    /// Creates the indexes, after the table is renamed.
    func resume() throws {
        let entries = try connection.schemaEntries()
        for index in indexes {
            let renamed = try FullTextTable(
                index.indexName, of: newName, columns: index.columns, tokenizer: index.tokenizer,
                prefixes: index.prefixes, connection, entries)
            try connection.create(renamed, entries)
        }
    }
}
