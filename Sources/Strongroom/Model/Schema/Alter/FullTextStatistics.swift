/// The numbers that FTS4 keeps of an index beside its words: those of each row in `…_docsize`, and their sums in
/// `…_stat`. SQLite 3.15.2 (SQLCipher 3.4.1) reads the sums without a check whenever a row changes, and for questions
/// with frequent words: an empty value ends the process.
extension Connection {
    /// Throws if the engine must not read the sums of an FTS4 index.
    ///
    /// - Throws: ``StrongroomError`` with `damaged`.
    func requireStatistics(of index: String) throws {
        guard try EngineFeatures.current().readsFullTextUnchecked, try statisticsTables().contains("\(index)_stat"),
            try !hasStatistics(index)
        else { return }
        throw FullTextNumbers.damage.naming(database)
    }

    /// Removes sums that the engine must not read, and creates these indexes anew.
    ///
    /// - Returns: The names of these indexes.
    /// - Throws: ``StrongroomError`` with `missingFunction` if the connection does not have a tokenizer, or the
    ///   engine's error; then the sums are only removed: without them, the engine counts from zero.
    func rebuildFullTextWithoutStatistics() throws -> [String] {
        guard try EngineFeatures.current().readsFullTextUnchecked else { return [] }
        let names = try statisticsTables().map { String($0.dropLast("_stat".count)) }.filter { try !hasStatistics($0) }
        guard !names.isEmpty else { return [] }
        try inTransaction(.immediate) {
            for name in names { try run("DELETE FROM main.\(Identifier.quote("\(name)_stat"))") }
        }
        return try inTransaction(.immediate) {
            let damaged = StoredFullText.all(in: try schemaEntries()).filter { names.contains($0.name) }
            for table in Set(damaged.map(\.table)) { try rebuildFullText(of: table) }
            return damaged.map(\.indexName)
        }
    }

    /// Whether the numbers of an FTS4 index are some at all.
    func hasSoundNumbers(_ index: StoredFullText) throws -> Bool {
        guard !index.usesFTS5, try statisticsTables().contains("\(index.name)_stat") else { return true }
        guard try hasStatistics(index.name) else { return false }
        let sizes = "SELECT size FROM main.\(Identifier.quote("\(index.name)_docsize"))"
        return try withOwnStatement(sizes) { statement in
            var count = 0
            while try statement.step() {
                count += 1
                guard case .blob(let bytes) = try Row(statement).value(at: 0),
                    FullTextNumbers.numbers(bytes, count: index.columns.count) != nil
                else { return false }
            }
            return try count == 0 || ownValue("SELECT 1 FROM main.\(Identifier.quote("\(index.name)_stat"))") != nil
        }
    }

    /// Whether the sums of an index can be read; an index that never had a row has none.
    private func hasStatistics(_ index: String) throws -> Bool {
        let value = try ownValue("SELECT value FROM main.\(Identifier.quote("\(index)_stat")) WHERE id = 0")
        guard let value else { return true }
        guard case .blob(let bytes) = value else { return false }
        var count = 0
        // The rows, the words of at least one column, and the bytes.
        return FullTextNumbers.forEach(in: bytes) { _ in count += 1 } && count >= 3
    }

    /// The tables of FTS4 with the sums of the library's indexes.
    private func statisticsTables() throws -> [String] {
        try schemaNames(
            where: "name GLOB ? AND sql GLOB '*(id INTEGER PRIMARY KEY, value BLOB)'",
            .text("\(FullTextTable.prefix)*_stat"))
    }
}
