/// A full-text index in a file: the engine's virtual table, what it reads the words of rows from, and the triggers that
/// update it.
///
/// The engine's index contains words by the number of a row, `docid`: the row id where a column is its alias, or else a
/// number from the table `…_keys`, which has one for each key, since row ids change with VACUUM. To remove a row, the
/// engine reads its old words, which the row itself no longer has: triggers that run before a change store them in
/// `…_pending`, and those that run after it remove them. This also removes rows that `ON CONFLICT REPLACE` deletes, for
/// which no trigger for deletions runs. The view `…_rows` shows the engine the words of every row, old ones first.
struct FullTextTable {
    /// The name of the virtual table; those of the others begin with it.
    let name: String
    let table: String
    let columns: [String]
    /// The tokenizer, as the function in SQL is called with it.
    let tokenizer: String
    let prefixes: [Int]
    let usesFTS5: Bool
    let keys: [ColumnInfo]
    let keyCollations: [Collation]
    /// The column that is an alias of the row id.
    let rowID: String?
    /// Conditions for the rows `t` that an inserted or updated row `new` replaces, one for each unique constraint.
    let replaced: [String]

    static let prefix = "strongroom_search_"

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

    var view: String {
        let source =
            rowID != nil
            ? "\(quotedTable) AS t"
            : "\(map) AS m JOIN \(quotedTable) AS t ON "
                + isKept("t", "m")
        let number = rowID.map { "t.\(Identifier.quote($0))" } ?? "m.docid"
        let previous = columns.indices.map { "p.c\($0) AS c\($0)" }.joined(separator: ", ")
        let present = columns.enumerated().map { "\(words(of: $1, "t")) AS c\($0)" }.joined(separator: ", ")
        return """
            CREATE VIEW \(Identifier.quote("\(name)_rows")) AS \
            SELECT p.docid AS rowid, \(previous) FROM \(pending) AS p UNION ALL \
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
            content=\(SQLValue.text(rows).literal), content_rowid='rowid', tokenize='ascii'\(prefix))
            """
    }

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

extension FullTextTable {
    /// The triggers that update the index.
    ///
    /// Other triggers of the table may change its rows while these are under way. So the words of a row are read from
    /// the table when they are indexed, and a row is removed or indexed only once: `…_docsize` has the indexed rows.
    var triggers: [String] {
        let bodies: [(event: String, statements: [String])] = [
            ("BEFORE INSERT", [sweeping] + replaced.map(recording)), ("AFTER INSERT", afterInsert),
            ("BEFORE UPDATE", beforeUpdate), ("AFTER UPDATE", afterUpdate),
            ("BEFORE DELETE", [recording(isSame("t", "old"))]), ("AFTER DELETE", afterDelete),
        ]
        return zip(Self.triggerNames(name), bodies).map { name, body in
            "CREATE TRIGGER \(Identifier.quote(name)) \(body.event) ON \(quotedTable) FOR EACH ROW BEGIN "
                + body.statements.map { $0 + "; " }.joined() + "END"
        }
    }

    private var afterInsert: [String] {
        let isObsolete = "p.docid = \(number("new")) OR \(isGone("p"))"
        return [removal(isObsolete)] + unmapping(isGone("p")) + [forgetting(isObsolete)] + indexing
    }

    private var beforeUpdate: [String] {
        [recording("\(isSame("t", "old")) AND (\(isChanged))")]
            + replaced.map { recording("NOT (\(isSame("t", "old"))) AND \($0)") }
    }

    private var afterUpdate: [String] {
        let isObsolete = "p.docid = \(number("old")) OR p.docid = \(number("new")) OR \(isGone("p"))"
        let isReplaced = "p.docid IS NOT \(number("old")) AND (p.docid = \(number("new")) OR \(isGone("p")))"
        var statements = [removal(isObsolete)] + unmapping(isReplaced) + [forgetting(isObsolete)]
        if rowID == nil {
            let values = keys.enumerated().map { "k\($0) = new.\(Identifier.quote($1.name))" }
            statements.append("UPDATE \(map) SET \(values.joined(separator: ", ")) WHERE docid = \(number("old"))")
        }
        return statements + indexing
    }

    private var afterDelete: [String] {
        // Another trigger may have inserted a row with that key.
        let isGone = "NOT EXISTS (SELECT 1 FROM \(quotedTable) AS t WHERE \(isSame("t", "old")))"
        return [
            "\(removal("p.docid = \(number("old"))")) AND \(isGone)",
            "DELETE FROM \(pending) WHERE docid = \(number("old")) AND \(isGone)",
        ] + (rowID == nil ? ["DELETE FROM \(map) WHERE docid = \(number("old")) AND \(isGone)"] : [])
    }

    // MARK: Statements

    /// Whether an update changes what the index has of the row; also in case, which a collation may ignore, and in
    /// type, in which a number may have other digits.
    private var isChanged: String {
        let texts = columns.map { column in
            let (old, new) = ("old.\(Identifier.quote(column))", "new.\(Identifier.quote(column))")
            return "\(old) IS NOT \(new) COLLATE BINARY OR typeof(\(old)) <> typeof(\(new))"
        }
        return (["NOT (\(isSame("old", "new")))"] + texts).joined(separator: " OR ")
    }

    private func isIndexed(_ number: String) -> String {
        let sizes = Identifier.quote("\(name)_docsize")
        return "EXISTS (SELECT 1 FROM \(sizes) AS d WHERE d.\(usesFTS5 ? "id" : "docid") = \(number))"
    }

    /// Stores the words of indexed rows that may be about to change. Words stored before are still those of the index:
    /// each change removes them. No conflict can arise: the statement that runs the trigger would decide what follows.
    private func recording(_ condition: String) -> String {
        """
        INSERT INTO \(pending) (docid, \(ownKeys), \(ownColumns)) \
        SELECT \(number("t")), \(allKeys("t")), \(allWords("t")) FROM \(quotedTable) AS t WHERE (\(condition)) \
        AND \(isIndexed(number("t"))) AND NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE p.docid = \(number("t")))
        """
    }

    /// Removes stored words of rows that have not changed after all, as with `INSERT OR IGNORE`. Only an insert can do
    /// so, which no foreign key action runs between these triggers and the change.
    private var sweeping: String {
        let isRow = "\(number("t")) = p.docid AND \(isKept("t", "p"))"
        let hasWords = columns.enumerated().map { "\(words(of: $1, "t")) = p.c\($0)" }.joined(separator: " AND ")
        return """
            DELETE FROM \(pending) WHERE docid IN (SELECT p.docid FROM \(pending) AS p JOIN \(quotedTable) AS t \
            ON \(isRow) WHERE \(hasWords))
            """
    }

    /// Removes the stored words from the index.
    private func removal(_ condition: String) -> String {
        "DELETE FROM \(quotedName) WHERE rowid IN (SELECT p.docid FROM \(pending) AS p WHERE \(condition))"
    }

    /// Removes the numbers of rows that are gone.
    private func unmapping(_ condition: String) -> [String] {
        guard rowID == nil else { return [] }
        return ["DELETE FROM \(map) WHERE docid IN (SELECT p.docid FROM \(pending) AS p WHERE \(condition))"]
    }

    /// Removes the stored words of rows that are no longer indexed.
    private func forgetting(_ condition: String) -> String {
        let hasNoNumber = "NOT EXISTS (SELECT 1 FROM \(map) AS m WHERE m.docid = p.docid)"
        let all = rowID == nil ? "\(condition) OR \(hasNoNumber)" : condition
        return "DELETE FROM \(pending) WHERE docid IN (SELECT p.docid FROM \(pending) AS p WHERE \(all))"
    }

    /// Indexes the row as it is now, unless it is gone or indexed, and gives it a number before.
    private var indexing: [String] {
        let row = "FROM \(quotedTable) AS t WHERE \(isSame("t", "new"))"
        let mapping = "INSERT INTO \(map) (\(ownKeys)) SELECT \(allKeys("t")) \(row) AND \(number("t")) IS NULL"
        return (rowID == nil ? [mapping] : []) + [
            """
            INSERT INTO \(quotedName) (rowid, \(ownColumns)) SELECT \(number("t")), \(allWords("t")) \(row) \
            AND NOT \(isIndexed(number("t")))
            """
        ]
    }
}
