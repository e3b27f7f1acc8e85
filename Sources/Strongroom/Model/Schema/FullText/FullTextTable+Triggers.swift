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

    /// Whether the index has a row.
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
