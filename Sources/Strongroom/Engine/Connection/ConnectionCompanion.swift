/// What takes part in a connection's transactions beside the database: the records that are in memory alone.
///
/// For whoever has the connection's slot.
protocol ConnectionCompanion: AnyObject {
    /// Begins a transaction that reads.
    ///
    /// - Parameter begin: Takes the snapshot of the database.
    func beginSnapshot(on connection: Connection, _ begin: () throws -> Void) throws

    /// Called when a transaction has begun that may write.
    func didBegin(on connection: Connection) throws

    /// Ends a transaction.
    ///
    /// - Parameter commit: Commits what there is in the database.
    func commit(on connection: Connection, _ commit: () throws -> Void) throws

    /// Called before a statement of the user's is prepared that reads.
    ///
    /// - Throws: What keeps it from being read.
    func checkReading(of tokens: [SQLToken]) throws

    /// Called when the transaction, or a part of it, has been undone.
    func noteUndoing(on connection: Connection)
}

extension Connection {
    /// Lets what is asked for read common table expressions in tables' places, or no longer.
    ///
    /// - Parameter expressions: Such as ``name (columns) AS (SELECT …)``, with commas between them; nil for none.
    func setReadExpressions(_ expressions: String?) {
        guard expressions != readExpressions else { return }
        readExpressions = expressions
        forgetUserStatements()
    }

    /// A statement that is to be prepared, with the expressions before it if it only reads: what writes, and so could
    /// bring what it reads to the disk, reads what is there alone.
    ///
    /// - Throws: What the companion has against reading what the statement names.
    func expanded(_ sql: String) throws -> String {
        guard let readExpressions, !authorizer.isTrusting else { return sql }
        var tokens = [SQLToken](sql: sql)
        guard let first = tokens.firstIndex(where: { $0.kind != .space && !$0.isSign(";") }) else { return sql }
        if tokens[first].isWord("SELECT") {
            try companion?.checkReading(of: tokens)
            tokens[first].text = "WITH \(readExpressions) \(tokens[first].text)"
            return tokens.sql
        }
        guard tokens[first].isWord("WITH"), tokens.mainVerb(after: first) == "SELECT" else { return sql }
        try companion?.checkReading(of: tokens)
        var place = first
        if let next = tokens[(first + 1)...].firstIndex(where: { $0.kind != .space }), tokens[next].isWord("RECURSIVE")
        {
            place = next
        }
        tokens[place].text += " \(readExpressions),"
        return tokens.sql
    }

    /// Notes that the running transaction has written a table, of whose rows those who want to know of changes are
    /// told.
    func noteWrite(of table: String) {
        tables.writes.insert(TableUse.name(table))
    }
}

extension [SQLToken] {
    /// What a statement that begins with `WITH` does.
    fileprivate func mainVerb(after place: Int) -> String? {
        var depth = 0
        for token in self[(place + 1)...] {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            guard depth == 0, token.isWord("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE") else { continue }
            return token.text.uppercased()
        }
        return nil
    }
}
