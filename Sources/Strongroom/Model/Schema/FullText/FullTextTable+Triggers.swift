extension FullTextTable {
    /// The triggers that update the index.
    var triggers: [String] {
        zip(
            Self.triggerNames(name),
            [
                ("BEFORE INSERT", beforeInsert), ("AFTER INSERT", afterInsert), ("BEFORE UPDATE", beforeUpdate),
                ("AFTER UPDATE", afterUpdate), ("BEFORE DELETE", [recording(isSame("t", "old"))]),
                ("AFTER DELETE", afterDelete),
            ]
        ).map { name, trigger in
            "CREATE TRIGGER \(Identifier.quote(name)) \(trigger.0) ON \(quotedTable) FOR EACH ROW BEGIN "
                + trigger.1.map { $0 + "; " }.joined() + "END"
        }
    }

    private var beforeInsert: [String] { replaced.map(recording) }

    private var afterInsert: [String] {
        let isObsolete = "p.docid = \(number("new")) OR \(isGone("p"))"
        return [removal(isObsolete)] + unmapping(isGone("p")) + [forgetting(isObsolete)] + mapping + [insertion]
    }

    private var beforeUpdate: [String] {
        // Former words that a refused change has left behind. If the words do not change, the row stays indexed.
        ["DELETE FROM \(pending) WHERE docid = \(number("old")) AND NOT (\(isChanged))"]
            + [recording("\(isSame("t", "old")) AND (\(isChanged))")]
            + replaced.map { recording("NOT (\(isSame("t", "old"))) AND \($0)") }
    }

    private var afterUpdate: [String] {
        let isObsolete = "p.docid = \(number("old")) OR p.docid = \(number("new")) OR \(isGone("p"))"
        let isReplaced = "p.docid IS NOT \(number("old")) AND (p.docid = \(number("new")) OR \(isGone("p")))"
        var statements = [removal(isObsolete)] + unmapping(isReplaced) + [forgetting(isObsolete)]
        if rowID == nil {
            let values = keys.enumerated().map { "k\($0) = new.\(Identifier.quote($1.name))" }
            statements.append(
                "UPDATE \(map) SET \(values.joined(separator: ", ")) WHERE docid = \(number("old"))")
        }
        return statements + ["\(insertion) WHERE \(isChanged)"]
    }

    private var afterDelete: [String] {
        [removal("p.docid = \(number("old"))"), "DELETE FROM \(pending) WHERE docid = \(number("old"))"]
            + (rowID == nil ? ["DELETE FROM \(map) WHERE docid = \(number("old"))"] : [])
    }

    // MARK: Statements

    /// Whether an update changes what the index has of the row; also in case, which a collation may ignore.
    private var isChanged: String {
        let texts = columns.map { column in
            "old.\(Identifier.quote(column)) IS NOT new.\(Identifier.quote(column)) COLLATE BINARY"
        }
        return (["NOT (\(isSame("old", "new")))"] + texts).joined(separator: " OR ")
    }

    /// Stores the words of rows that may be about to change. Words stored before are still those of the row: each
    /// change removes them. No conflict can arise, whose handling the statement that runs the trigger would decide.
    private func recording(_ condition: String) -> String {
        """
        INSERT INTO \(pending) (docid, \(ownKeys), \(ownColumns)) \
        SELECT \(number("t")), \(allKeys("t")), \(allWords("t")) FROM \(quotedTable) AS t WHERE \(condition) \
        AND NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE p.docid = \(number("t")))
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

    /// Gives the new row a number.
    private var mapping: [String] {
        guard rowID == nil else { return [] }
        return ["INSERT INTO \(map) (\(ownKeys)) SELECT \(allKeys("new")) WHERE \(number("new")) IS NULL"]
    }

    private var insertion: String {
        "INSERT INTO \(quotedName) (rowid, \(ownColumns)) SELECT \(number("new")), \(allWords("new"))"
    }
}
