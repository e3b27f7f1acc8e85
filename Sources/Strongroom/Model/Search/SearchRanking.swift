/// A record whose texts answer a query, and how well they do.
public struct SearchHit<Content: Record>: Sendable {
    /// The record.
    public let record: Content
    /// How well the texts answer the query: by BM25, a positive number, the higher the better. Rare words count more
    /// than frequent ones, and more in short texts than in long ones. It is 0 in all hits for a beginning of a word, by
    /// itself, that more than 10,000 rows have.
    public let score: Double
}

extension SearchHit: Equatable where Content: Equatable {}

extension Table {
    /// The records whose texts answer a query, the best first.
    ///
    /// ```swift
    /// let hits = try Note.hits("café menu", limit: 20, in: db)
    /// for hit in hits { print(hit.score, hit.record.title) }
    /// ```
    ///
    /// The order is the same on both engines: by BM25 with the weights of ``FullTextIndex``, as FTS5 computes it.
    /// Rows with equal scores are ordered by their row ids, or by the numbers that the index gives to other keys, so
    /// that pages are stable while nothing is written. A beginning of a word by itself that more than 10,000 rows have
    /// is not ranked: the scores are 0.
    ///
    /// - Parameters:
    ///   - query: The query; a string literal finds the texts with all of its words. A query without a word
    ///     finds nothing.
    ///   - columns: The columns that are searched; none for all columns of the index.
    ///   - index: The index's name; nil for the first one of the table.
    ///   - condition: A further condition on the rows.
    ///   - limit: The maximum number of records; not negative.
    ///   - offset: The number of records to skip; not negative.
    ///   - db: A transaction.
    /// - Returns: The records, the best first.
    /// - Throws: ``StrongroomError`` with `notDeclared` if the table has no such index, `tableDiffers` if the file has
    ///   none, `limit` if the query is too long, or the limit or the offset is negative.
    public static func hits(
        _ query: SearchQuery, on columns: any SchemaColumn..., index: String? = nil,
        where condition: ((Columns) -> Condition)? = nil, limit: Int = 20, offset: Int = 0,
        in db: borrowing some Reading & ~Copyable
    ) throws -> [SearchHit<RecordType>] {
        guard limit >= 0, offset >= 0 else { throw QueryClauses.negativeLimit }
        let connection = db._handle.connection
        let ranking = try SearchRanking<Self>(query, columns.map(\.definition.name), index, connection)
        guard let ranking else { return [] }
        let condition = try condition.flatMap { try Query<Self>().where($0).resolved().condition }
        let statement = try connection.statement(for: ranking.sql(condition, limit, offset))
        defer { statement.finish() }
        var hits: [SearchHit<RecordType>] = []
        let row = Row(statement)
        while try statement.step() {
            let score = try row.real(at: schema.columns.count)
            hits.append(SearchHit(record: try RecordType(row: row), score: score))
        }
        return hits
    }
}

/// A query whose answers are ordered by BM25.
///
/// FTS5 computes the scores itself. For FTS4 the function ``ScoreFunction`` does, from the numbers of the words in each
/// row (`matchinfo`), the number of rows with each phrase, and the average length of a row.
///
/// A beginning of a word by itself, such as the first letters that are typed, is not ranked if very many rows have it:
/// the scores would say little, and computing them would take longer than a keystroke.
struct SearchRanking<Source: Table> {
    private let search: NumberedSearch
    private let expression: SearchExpression
    private let weights: [Double]
    private let connection: Connection

    /// - Returns: Nil for a query without a word.
    init?(_ query: SearchQuery, _ columns: [String], _ name: String?, _ connection: Connection) throws {
        let (index, search, expression) = try Source.compiled(query, columns, name)
        // A declaration that the file's index was not created from has not been checked yet.
        try index.check(Source.schema.name)
        guard expression != .nothing else { return nil }
        try connection.requireFullText(search.table, index, of: Source.schema)
        self.search = search
        self.expression = expression
        self.connection = connection
        weights = index.weights.isEmpty ? index.columns.map { _ in 1 } : index.weights
    }

    private var columns: [Int] { search.columns }
    private var quoted: String { Identifier.quote(search.table) }

    func sql(_ condition: Condition?, _ limit: Int, _ offset: Int) throws -> SQL {
        let usesFTS5 = try connection.ownValue(
            "SELECT sql LIKE '%using fts5%' FROM main.sqlite_master WHERE name = ? COLLATE NOCASE",
            .text(search.table))
        let isRanked = try !isFrequentBeginning()
        var inner = try usesFTS5 == .integer(1) ? byFTS5(isRanked) : byFTS4(isRanked)
        let schema = Source.schema
        let table = schema.quotedName
        let columns = schema.columns.map { "\(table).\($0.quoted.text)" }.joined(separator: ", ")
        let order = "ORDER BY \(isRanked ? "strongroom_score DESC, " : "")strongroom_number"
        let slice = SQL(verbatim: " LIMIT ? OFFSET ?", [.integer(Int64(limit)), .integer(Int64(offset))])
        if condition == nil { inner.append(" \(SQL(verbatim: order))\(slice)" as SQL) }
        let keys = try schema.keyColumns().map { "\(table).\($0.quoted.text)" }
        let join: String
        if schema.rowIDColumn != nil {
            join = "JOIN \(table) ON \(keys[0]) = strongroom_number"
        } else {
            let isRow = keys.enumerated().map { "\($1) = strongroom_map.k\($0)" }.joined(separator: " AND ")
            let map = Identifier.quote("\(search.table)_keys")
            join = """
                JOIN \(map) AS strongroom_map ON strongroom_map.docid = strongroom_number JOIN \(table) ON \(isRow)
                """
        }
        var sql: SQL =
            "\(SQL(verbatim: "SELECT \(columns), strongroom_score FROM ("))\(inner)\(SQL(verbatim: ") \(join)"))"
        if let condition { sql.append(" WHERE \(condition.sql)") }
        sql.append(text: " \(order)")
        if condition != nil { sql.append(slice) }
        return sql
    }

    /// Whether the query is a beginning of a word that more rows have than are ranked.
    private func isFrequentBeginning() throws -> Bool {
        guard case .phrase(let phrase) = expression, phrase.isPrefix, phrase.terms.count == 1 else { return false }
        let most = 10_000
        return try count(phrase, atMost: most + 1) > most
    }

    private func byFTS5(_ isRanked: Bool) -> SQL {
        let filter = columns.isEmpty ? "" : "{\(columns.map { "c\($0)" }.joined(separator: " "))} : "
        let parameters = weights.map { _ in ", ?" }.joined()
        let score = isRanked ? "-bm25(\(quoted)\(parameters))" : "0.0"
        return SQL(
            verbatim: """
                SELECT rowid AS strongroom_number, \(score) AS strongroom_score \
                FROM \(quoted) WHERE \(quoted) MATCH ?
                """,
            (isRanked ? weights.map(SQLValue.real) : [])
                + [.text(filter.isEmpty ? expression.fts5 : "\(filter)(\(expression.fts5))")])
    }

    private func byFTS4(_ isRanked: Bool) throws -> SQL {
        let phrases = expression.phrases.map(SearchExpression.phrase)
        let first = phrases.first ?? .nothing
        // Each row with any of the phrases; the query itself is a condition beside it, unless it is the same.
        let isAll = !isRanked || expression == first || expression == .all(phrases)
        let driver = isAll ? expression : phrases.count > 1 ? .any(phrases) : first
        let score =
            !isRanked
            ? "0.0"
            : """
            \(ScoreFunction.name)(matchinfo(\(quoted), 'pcy'), ?, \
            (SELECT size FROM \(Identifier.quote("\(search.table)_docsize")) AS strongroom_sizes \
            WHERE strongroom_sizes.docid = \(quoted).docid))
            """
        var sql = SQL(
            verbatim: """
                SELECT docid AS strongroom_number, \(score) AS strongroom_score FROM \(quoted) WHERE \(quoted) MATCH ?
                """, (isRanked ? [try scoreParameters()] : []) + [.text(driver.fts4 ?? "")])
        guard !isAll || !columns.isEmpty else { return sql }
        let isAnswer = try search.condition(expression) { Condition("docid IN (\($0))") }
        sql.append(" AND \(isAnswer.sql)")
        return sql
    }

    private func scoreParameters() throws -> SQLValue {
        let lengths = try lengths()
        let rows = lengths.first ?? 0
        let words = lengths.dropFirst().prefix(weights.count).reduce(0, +)
        let importances = try expression.phrases.map { try ScoreFunction.importance(of: count($0), among: rows) }
        let searched = weights.indices.map { columns.isEmpty || columns.contains($0) ? weights[$0] : 0 }
        return ScoreFunction.parameters(
            averageLength: rows > 0 && words > 0 ? Double(words) / Double(rows) : 1, weights: searched,
            importances: importances)
    }

    /// The number of rows, and that of the words in each column: what FTS4 keeps in its table `…_stat`. See "FTS3 and
    /// FTS4 Extensions", section 9 (sqlite.org/fts3.html).
    private func lengths() throws -> [Int] {
        let stored = try connection.ownValue(
            "SELECT value FROM main.\(Identifier.quote("\(search.table)_stat")) WHERE id = 0")
        // An index without a row.
        guard let stored else { return [] }
        guard case .blob(let bytes) = stored, let numbers = FullTextNumbers.numbers(bytes, count: weights.count + 2)
        else { throw FullTextNumbers.damage.naming(connection.database) }
        return numbers
    }

    /// The number of rows with a phrase in the searched columns; counting ends at `most`.
    private func count(_ phrase: SearchPhrase, atMost most: Int? = nil) throws -> Int {
        guard let numbers = search.numbers(.phrase(phrase)) else { return 0 }
        var sql: SQL = "SELECT count(*) FROM (\(numbers)"
        sql.append(text: most.map { " LIMIT \($0))" } ?? ")")
        let statement = try connection.statement(for: sql)
        defer { statement.finish() }
        return try statement.step() ? Int(Row(statement).integer(at: 0)) : 0
    }
}
