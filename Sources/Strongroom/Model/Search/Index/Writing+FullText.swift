extension Writing where Self: ~Copyable {
    /// Creates the full-text indexes that a table declares, adapts existing ones to the present declaration, and drops
    /// those that it no longer declares.
    ///
    /// ```swift
    /// Migration("3") { db in try db.keepFullText(of: Note.schema) }
    /// ```
    ///
    /// The existing rows are indexed, in the same transaction. Call it again after a step that has changed the
    /// declaration, or that has created or dropped a unique index by SQL. ``createTable(_:ifNotExists:)`` and
    /// ``Migrator/automatic(tables:removingColumns:)`` do so by themselves.
    ///
    /// - Parameter schema: The table.
    /// - Throws: ``StrongroomError`` with `schemaChange` for a table or a declaration that cannot have such an index,
    ///   `notSupported` if the engine has no full-text search, `missingFunction` if the connection does not have the
    ///   tokenizer, `typeMismatch` for a text that is not valid UTF-8, `sql` if there is no such table.
    public func keepFullText(of schema: TableSchema) throws {
        record("full-text indexes of \(schema.name): \(schema.fullText.map(\.summary).joined(separator: "; "))")
        try savepoint { db in
            try schema.checkFullText()
            let connection = db._handle.connection
            let entries = try connection.schemaEntries()
            let declared = try schema.fullText.map { try FullTextTable($0, of: schema.name, connection, entries) }
            let names = declared.map(\.name)
            for stored in StoredFullText.all(in: entries, of: schema.name)
            where Identifier.index(of: stored.name, in: names) == nil {
                try connection.dropFullText(stored.name)
            }
            for index in declared { try connection.create(index, entries) }
            // Prepared again, statements fire the triggers.
            connection.forgetUserStatements()
        }
    }

    /// Drops the full-text indexes of a table.
    ///
    /// - Parameter table: The table's name.
    /// - Throws: ``StrongroomError`` with the engine's error.
    public func stopFullText(of table: String) throws {
        record("full-text indexes of \(table) dropped")
        try savepoint { db in
            let connection = db._handle.connection
            try connection.dropFullText(ofTable: table)
            connection.forgetUserStatements()
        }
    }

    /// Indexes the rows of a table anew, such as after ``Store/verify(checkingStructure:progress:)`` has found that a
    /// full-text index differs from its table.
    ///
    /// ```swift
    /// try await store.write { db in try db.rebuildFullText(of: "note") }
    /// ```
    ///
    /// - Parameter table: The table's name; nil for all tables.
    /// - Returns: The names of the indexes; empty if there are none.
    /// - Throws: ``StrongroomError`` with `missingFunction` if the connection does not have the tokenizer,
    ///   `typeMismatch` for a text that is not valid UTF-8.
    @discardableResult
    public func rebuildFullText(of table: String? = nil) throws -> [String] {
        try savepoint { db in try db._handle.connection.rebuildFullText(of: table) }
    }
}

extension FullTextIndex {
    /// The declaration as text, for the fingerprint of a migration.
    fileprivate var summary: String {
        "\(name) (\(columns.joined(separator: ", "))) \(tokenizer.rule) \(prefixes)"
    }
}

extension Connection {
    /// Creates an index, unless the file has it; one with other triggers is filled unless it has the words of all rows.
    func create(_ index: FullTextTable, _ entries: [SchemaEntry], isFilled: Bool = false) throws {
        let isStored = index.isStored(in: entries)
        guard !isStored || !index.hasTriggers(in: entries) else { return }
        if isStored {
            try dropFullTextTriggers(index.name)
        } else {
            try dropFullText(index.name)
            for sql in index.creation { try run(sql) }
        }
        if !isStored || !isFilled { try fill(index) }
        for sql in index.triggers { try run(sql) }
        for trigger in index.earlierTriggers(in: try schemaEntries()) {
            try run("DROP TRIGGER main.\(Identifier.quote(trigger.name))")
            try run(trigger.sql)
        }
    }

    /// Indexes all rows of a table anew. The engine's error for a text that is not valid UTF-8 names neither row nor
    /// column, so it becomes `typeMismatch`.
    func fill(_ index: FullTextTable) throws {
        do {
            for sql in index.filling { try run(sql) }
        } catch let error as StrongroomError where [.sql, .engine, .typeMismatch].contains(error.code) {
            throw try unreadableText(of: index) ?? error
        }
    }

    /// The error for the first indexed text that is not valid UTF-8; nil if there is none.
    private func unreadableText(of index: FullTextTable) throws -> StrongroomError? {
        let rowID = try rowIDName(of: index.table)
        let columns = index.columns.map(Identifier.quote).joined(separator: ", ")
        let sql = "SELECT \(rowID ?? "NULL"), \(columns) FROM main.\(index.quotedTable)"
        return try withOwnStatement(sql) { statement in
            let row = Row(statement)
            while try statement.step() {
                for position in 1...index.columns.count {
                    do {
                        _ = try row.value(at: position)
                    } catch let error as StrongroomError where error.code == .typeMismatch {
                        return error.located(in: index.table, rowID: try row.integerIfPresent(at: 0)).naming(database)
                    }
                }
            }
            return nil
        }
    }

    func dropFullText(_ name: String) throws {
        try dropFullTextTriggers(name)
        for sql in FullTextTable.removal(name) { try run(sql) }
    }

    /// Drops the full-text indexes of a table, and returns them as the file had them.
    @discardableResult
    func dropFullText(ofTable table: String) throws -> [StoredFullText] {
        let indexes = StoredFullText.all(in: try schemaEntries(), of: table)
        for index in indexes { try dropFullText(index.name) }
        return indexes
    }

    private func dropFullTextTriggers(_ name: String) throws {
        for trigger in FullTextTable.triggerNames(name) {
            try run("DROP TRIGGER IF EXISTS main.\(Identifier.quote(trigger))")
        }
    }

    /// Drops the full-text indexes of a table and creates them anew. An index that the present engine would create in
    /// another form, or of which a part is missing, is created in that form. Returns their names.
    @discardableResult
    func rebuildFullText(of table: String? = nil) throws -> [String] {
        let entries = try schemaEntries()
        return try StoredFullText.all(in: entries, of: table).compactMap { stored in
            try dropFullText(stored.name)
            // A table may have been dropped by SQL.
            guard entries.contains(where: { $0.kind == .table && Identifier.areSame($0.name, stored.table) }) else {
                return nil
            }
            let index = try FullTextTable(stored, self, entries)
            try create(index, schemaEntries())
            return index.name
        }
    }

    /// Adapts the triggers of a table's full-text indexes to its unique constraints; fills those that are not filled.
    func adaptFullText(of table: String, isFilled: Bool = true) throws {
        let entries = try schemaEntries()
        for stored in StoredFullText.all(in: entries, of: table) {
            let index = try FullTextTable(stored, self, entries)
            if Identifier.areSame(index.name, stored.name), index.isStored(in: entries) {
                if !isFilled { try fill(index) }
                try create(index, entries, isFilled: true)
            } else if !isFilled {
                try dropFullText(stored.name)
                try create(index, schemaEntries())
            }
        }
    }

    /// A sentence for each full-text index of a file that differs from its table, or that cannot be compared.
    func fullTextFindings() throws -> (findings: [String], unchecked: [String]) {
        let entries = try schemaEntries()
        var findings: [String] = []
        var unchecked: [String] = []
        for stored in StoredFullText.all(in: entries) {
            let title = "full-text index \"\(stored.indexName)\" of table \"\(stored.table)\""
            do {
                let index = try FullTextTable(stored, self, entries)
                if try hasSecureDelete(stored) {
                    findings.append("\(title) was created with FTS5's secure-delete, which leaves words; rebuild it")
                } else if !index.isStored(in: entries) {
                    unchecked.append("\(title): it was created by another engine or release; rebuild it")
                } else if !index.hasTriggers(in: entries) {
                    findings.append("\(title) has other triggers than those that update it; rebuild it")
                } else if try !hasSoundNumbers(stored) {
                    findings.append("\(title) has invalid lengths of texts; rebuild it")
                } else {
                    try run(index.comparison)
                }
            } catch let error as StrongroomError where error.code == .damaged {
                findings.append("\(title) differs from the table; rebuild it")
            } catch let error as StrongroomError where error.code == .missingFunction {
                unchecked.append("\(title): its tokenizer \"\(stored.tokenizer)\" is missing")
            } catch let error as StrongroomError
                where [.sql, .schemaChange, .notSupported, .newerSchema].contains(error.code)
            {
                findings.append("\(title) cannot be compared: \(error.message)")
            }
        }
        return (findings, unchecked)
    }
}

/// The numbers that FTS4 keeps of an index beside its words: those of each row in `…_docsize`, and their sums in
/// `…_stat`. SQLite 3.15.2 (SQLCipher 3.4.1) reads the sums without a check whenever a row changes, and for queries
/// with frequent words: an empty value ends the process.
extension Connection {
    /// Throws `damaged` if the engine must not read the sums of an FTS4 index.
    func requireStatistics(of index: String) throws {
        guard try EngineFeatures.current().readsFullTextUnchecked, try statisticsTables().contains("\(index)_stat"),
            try !hasStatistics(index)
        else { return }
        throw FullTextNumbers.damage.naming(database)
    }

    /// Removes sums that the engine must not read, creates these indexes anew, and returns their names. If that fails,
    /// as without a tokenizer, the sums are only removed: without them, the engine counts from zero.
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

/// Full-text indexes that were created with FTS5's option `secure-delete`, as by version 0.2 of the library.
///
/// SQLite 3.46.1 and 3.53.4 do not remove the entry of a word that was 128 to 191 times in a row (256 to 319, and so
/// on), so a search finds words that the row does not have any more. See "FTS5 Extension", section 6.11
/// (sqlite.org/fts5.html).
extension Connection {
    func hasSecureDelete(_ index: StoredFullText) throws -> Bool {
        guard index.usesFTS5 else { return false }
        let value = try ownValue(
            "SELECT v FROM main.\(Identifier.quote("\(index.name)_config")) WHERE k = 'secure-delete'")
        return value != nil && value != .integer(0)
    }

    /// Turns the option off in every index that has it, indexes the rows anew, and returns their names, in one
    /// transaction, which fails without a tokenizer.
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
