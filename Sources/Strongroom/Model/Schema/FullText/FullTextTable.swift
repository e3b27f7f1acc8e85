/// A full-text index in a file: the engine's virtual table, what it reads the words of rows from, and the triggers that
/// update it.
///
/// The engine's index contains words by the number of a row, `docid`: the row id where a column is its alias, or else a
/// number from the table `…_keys`, which has one for each key, since row ids change with VACUUM. To remove a row, the
/// engine reads its former words, which the row itself no longer has: triggers that run before a change store them in
/// `…_pending`, and those that run after it remove them. This also removes rows that `ON CONFLICT REPLACE` deletes, for
/// which no trigger for deletions runs. The view `…_rows` shows the engine the words of every row, former ones first.
struct FullTextTable {
    /// The name of the virtual table; those of the others begin with it.
    let name: String
    let table: String
    /// The indexed columns.
    let columns: [String]
    /// The tokenizer, as the function in SQL is called with it.
    let tokenizer: String
    let prefixes: [Int]
    let usesFTS5: Bool
    /// The columns of the table's primary key.
    let keys: [ColumnInfo]
    let keyCollations: [Collation]
    /// The column that is an alias of the row id.
    let rowID: String?
    /// Conditions for the rows `t` that an inserted or updated row `new` replaces, one for each unique constraint.
    let replaced: [String]

    /// What all names begin with.
    static let prefix = "strongroom_search_"

    /// The name of the virtual table of an index.
    static func name(of index: String, table: String) -> String { "\(prefix)\(table).\(index)" }

    // MARK: Names

    var pending: String { Identifier.quote("\(name)_pending") }
    var map: String { Identifier.quote("\(name)_keys") }
    var quotedName: String { Identifier.quote(name) }
    var quotedTable: String { Identifier.quote(table) }

    /// The names of the index's columns, which renaming a column of the table does not change.
    var ownColumns: String { columns.indices.map { "c\($0)" }.joined(separator: ", ") }
    var ownKeys: String { keys.indices.map { "k\($0)" }.joined(separator: ", ") }

    /// The names of the triggers, in the order in which they are created.
    static func triggerNames(_ name: String) -> [String] {
        ["before_insert", "after_insert", "before_update", "after_update", "before_delete", "after_delete"]
            .map { "\(name)_\($0)" }
    }

    // MARK: Expressions

    /// The function that returns the words of a text.
    static let function = WordsFunction.name

    func words(of column: String, _ row: String) -> String {
        "\(Self.function)('\(tokenizer)', \(row).\(Identifier.quote(column)))"
    }

    func allWords(_ row: String) -> String { columns.map { words(of: $0, row) }.joined(separator: ", ") }

    func allKeys(_ row: String) -> String {
        keys.map { "\(row).\(Identifier.quote($0.name))" }.joined(separator: ", ")
    }

    /// The number of a row, as an expression.
    func number(_ row: String) -> String {
        if let rowID { return "\(row).\(Identifier.quote(rowID))" }
        let isRow = keys.indices.map { "k\($0) = \(value(of: $0, row))" }
        return "(SELECT docid FROM \(map) WHERE \(isRow.joined(separator: " AND ")))"
    }

    /// Whether two rows have the same key. A row with NULL in its key is in no index.
    func isSame(_ one: String, _ other: String) -> String {
        keys.enumerated().map { "\(one).\(Identifier.quote($1.name)) = \(value(of: $0, other))" }
            .joined(separator: " AND ")
    }

    /// Whether a row of the table has the key of a row of another table.
    func isKept(_ row: String, _ other: String) -> String {
        keys.enumerated().map { "\(row).\(Identifier.quote($1.name)) = \(other).k\($0)\(collation(of: $0))" }
            .joined(separator: " AND ")
    }

    /// Whether the table has no row any more with the key of a row of another table.
    func isGone(_ row: String) -> String {
        "NOT EXISTS (SELECT 1 FROM \(quotedTable) AS t WHERE \(isKept("t", row)))"
    }

    /// A value of a key, compared as the key's index compares it.
    private func value(of key: Int, _ row: String) -> String {
        "\(row).\(Identifier.quote(keys[key].name))\(collation(of: key))"
    }

    private func collation(of key: Int) -> String {
        rowID == nil ? " COLLATE \(Identifier.quote(keyCollations[key].name))" : ""
    }

    // MARK: Statements

    /// The definitions of the columns with a key's values, which are compared as in the table.
    private var keyDefinitions: String {
        zip(keys, keyCollations).enumerated().map { index, key in
            // ANY would convert values in a table that is not STRICT.
            let type = key.0.declaredType.asciiFolded == "any" ? "" : " \(key.0.declaredType)"
            return "k\(index)\(type) COLLATE \(Identifier.quote(key.1.name))"
        }.joined(separator: ", ")
    }

    /// The statements that create the index, without its triggers and its words.
    var creation: [String] {
        var statements = ["CREATE TABLE \(pending) (docid INTEGER PRIMARY KEY, \(keyDefinitions), \(ownColumns))"]
        if rowID == nil {
            statements.append(
                "CREATE TABLE \(map) (docid INTEGER PRIMARY KEY, \(keyDefinitions), UNIQUE (\(ownKeys)))")
        }
        return statements + [view, virtualTable]
    }

    /// The words of all rows.
    var view: String {
        let source =
            rowID != nil
            ? "\(quotedTable) AS t"
            : "\(map) AS m JOIN \(quotedTable) AS t ON "
                + isKept("t", "m")
        let number = rowID.map { "t.\(Identifier.quote($0))" } ?? "m.docid"
        let former = columns.indices.map { "p.c\($0) AS c\($0)" }.joined(separator: ", ")
        let present = columns.enumerated().map { "\(words(of: $1, "t")) AS c\($0)" }.joined(separator: ", ")
        return """
            CREATE VIEW \(Identifier.quote("\(name)_rows")) AS \
            SELECT p.docid AS rowid, \(former) FROM \(pending) AS p UNION ALL \
            SELECT \(number) AS rowid, \(present) FROM \(source) \
            WHERE NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE p.docid = \(number))
            """
    }

    /// The engine's index. Its own tokenizers only separate the words, which are already folded.
    var virtualTable: String {
        let rows = "\(name)_rows"
        let lengths = prefixes.map(String.init)
        guard usesFTS5 else {
            let prefix = lengths.isEmpty ? "" : ", prefix=\"\(lengths.joined(separator: ","))\""
            return """
                CREATE VIRTUAL TABLE \(quotedName) USING fts4(\(ownColumns), content=\(Identifier.quote(rows)), \
                tokenize=simple\(prefix))
                """
        }
        let prefix = lengths.isEmpty ? "" : ", prefix='\(lengths.joined(separator: " "))'"
        return """
            CREATE VIRTUAL TABLE \(quotedName) USING fts5(\(ownColumns), \
            content=\(Value.text(rows).literal), content_rowid='rowid', tokenize='ascii'\(prefix))
            """
    }

    /// Statements that index all rows anew.
    var filling: [String] {
        var statements = ["DELETE FROM \(pending)"]
        if rowID == nil {
            statements += [
                "DELETE FROM \(map)",
                "INSERT INTO \(map) (\(ownKeys)) SELECT \(allKeys("t")) FROM \(quotedTable) AS t "
                    + "WHERE \(isSame("t", "t"))",
            ]
        }
        return statements + ["INSERT INTO \(quotedName) (\(quotedName)) VALUES ('rebuild')"]
    }

    /// The statement by which the engine compares its index with the rows.
    var comparison: String {
        usesFTS5
            ? "INSERT INTO \(quotedName) (\(quotedName), rank) VALUES ('integrity-check', 1)"
            : "INSERT INTO \(quotedName) (\(quotedName)) VALUES ('integrity-check')"
    }

    /// Statements that drop everything but the triggers.
    static func removal(_ name: String) -> [String] {
        [
            "DROP TABLE IF EXISTS main.\(Identifier.quote(name))",
            "DROP VIEW IF EXISTS main.\(Identifier.quote("\(name)_rows"))",
            "DROP TABLE IF EXISTS main.\(Identifier.quote("\(name)_pending"))",
            "DROP TABLE IF EXISTS main.\(Identifier.quote("\(name)_keys"))",
        ]
    }
}
