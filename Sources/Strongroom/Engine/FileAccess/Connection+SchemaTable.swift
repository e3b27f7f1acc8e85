/// What the library asks the engine's schema table, `sqlite_master`.
extension Connection {
    /// The kind of an entry of the schema table.
    enum SchemaKind: String {
        case table, view, index
    }

    /// The SQL text of an entry of the file; nil if there is none, or one without a text.
    func schemaText(of kind: SchemaKind = .table, _ name: String) throws -> String? {
        try ownValue(
            "SELECT sql FROM main.sqlite_master WHERE type = '\(kind.rawValue)' AND name = ? COLLATE NOCASE",
            .text(name))?.asText
    }

    /// Whether the file, or an attached one, has a table; a view is none.
    func hasTable(_ name: String, in schema: String = "main") throws -> Bool {
        try ownValue(
            "SELECT 1 FROM \(schema).sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE", .text(name))
            != nil
    }

    /// The names of the entries of the file that meet a condition.
    func schemaNames(
        of kind: SchemaKind = .table, where condition: String = "1", _ value: Value? = nil
    ) throws -> [String] {
        let query = "SELECT name FROM main.sqlite_master WHERE type = '\(kind.rawValue)' AND \(condition)"
        return try withOwnStatement(query, value.map { [$0] } ?? []) { statement in
            var names: [String] = []
            while try statement.step() { names.append(try Row(statement).text(at: 0)) }
            return names
        }
    }

    /// Throws if the engine cannot read the schema.
    func readSchema() throws { _ = try ownValue("SELECT count(*) FROM sqlite_master") }

    // MARK: Length

    /// The number of pages of the database in the connection's snapshot.
    ///
    /// - Throws: ``StrongroomError`` with `engine` if the engine does not report it.
    func pageCount() throws -> Int { try pageNumber("page_count") }

    /// The length of the database in the connection's snapshot, in bytes: the engine reads the missing part of a
    /// truncated last page as zeros.
    ///
    /// - Throws: As ``pageCount()``.
    func databaseLength() throws -> Int64 { try Int64(pageCount()) * Int64(pageNumber("page_size")) }

    private func pageNumber(_ setting: String) throws -> Int {
        switch try ownValue("PRAGMA main.\(setting)") {
        case .integer(let number)?: return Int(number)
        // Version 4 returns some settings of an encrypted database as text.
        case .text(let text)?: if let number = Int(text) { return number }
        default: break
        }
        throw StrongroomError(
            .engine, "SQLCipher does not report the number of pages of the file.", database: database)
    }
}
