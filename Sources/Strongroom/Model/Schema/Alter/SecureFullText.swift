/// Full-text indexes that were created with FTS5's option `secure-delete`, as by version 0.2 of the library.
///
/// SQLite 3.46.1 and 3.53.4 do not remove the entry of a word that was 128 to 191 times in a row (256 to 319, and so
/// on), so a search finds words that the row does not have any more. See "FTS5 Extension", section 6.11
/// (sqlite.org/fts5.html).
extension Connection {
    /// Whether an index has the option.
    func hasSecureDelete(_ index: StoredFullText) throws -> Bool {
        guard index.usesFTS5 else { return false }
        let value = try ownValue(
            "SELECT v FROM main.\(Identifier.quote("\(index.name)_config")) WHERE k = 'secure-delete'")
        return value != nil && value != .integer(0)
    }

    /// Turns the option off in every index that has it, and indexes the rows anew, in one transaction.
    ///
    /// - Returns: The names of these indexes.
    /// - Throws: ``StrongroomError`` with `missingFunction` if the connection does not have a tokenizer, or the
    ///   engine's error; then nothing is changed.
    func rebuildSecureFullText() throws -> [String] {
        guard try EngineFeatures.current().hasSecureFullText, try mayHaveSecureFullText() else { return [] }
        return try inTransaction(.immediate) {
            let entries = try schemaEntries()
            return try StoredFullText.all(in: entries).compactMap { stored in
                guard try hasSecureDelete(stored) else { return nil }
                let index = try FullTextTable(stored, self, entries)
                let name = Identifier.quote(stored.name)
                try run("INSERT INTO \(name) (\(name), rank) VALUES ('secure-delete', 0)")
                try fill(index)
                return stored.indexName
            }
        }
    }

    /// Whether the option is on in a table of settings of an index: nearly every file has none.
    private func mayHaveSecureFullText() throws -> Bool {
        try schemaNames(where: "name GLOB ?", .text("\(FullTextTable.prefix)*_config")).contains { name in
            let sql = "SELECT 1 FROM main.\(Identifier.quote(name)) WHERE k = 'secure-delete' AND v <> 0"
            return try ownValue(sql) != nil
        }
    }
}
