/// A record whose texts answer a question, and how well they do.
public struct SearchHit<Content: Record>: Sendable {
    /// The record.
    public let record: Content
    /// How well the texts answer the question: by BM25, a positive number, the higher the better. Rare words count more
    /// than frequent ones, and more in short texts than in long ones. It is 0 in all hits for a beginning of a word, by
    /// itself, that more than 10,000 rows have.
    public let score: Double
}

extension SearchHit: Equatable where Content: Equatable {}

extension Table {
    /// The records whose texts answer a question, the best first.
    ///
    /// ```swift
    /// let hits = try Note.hits("café menu", limit: 20, in: db)
    /// for hit in hits { print(hit.score, hit.record.title) }
    /// ```
    ///
    /// The order is the same on both engines: by BM25 with the weights of ``FullTextIndex``, as FTS5 computes it.
    /// ``SearchQuery/near(_:within:)`` is the exception: FTS4 counts each word wherever it stands. Rows with equal
    /// scores are ordered by their row ids, or by the numbers that the index gives to other keys, so that pages are
    /// stable while nothing is written. A beginning of a word by itself that more than 10,000 rows have is not ranked:
    /// the scores are 0.
    ///
    /// - Parameters:
    ///   - question: The question; a string literal finds the texts with all of its words. A question without a word
    ///     finds nothing.
    ///   - columns: The columns that are searched; none for all columns of the index.
    ///   - index: The index's name; nil for the first one of the table.
    ///   - condition: A further condition on the rows.
    ///   - limit: The maximum number of records; not negative.
    ///   - offset: The number of records to skip; not negative.
    ///   - db: A transaction.
    /// - Returns: The records, the best first.
    /// - Throws: ``StrongroomError`` with `notDeclared` if the table has no such index, `tableDiffers` if the file has
    ///   none, `limit` if the question is too long, or the limit or the offset is negative.
    public static func hits(
        _ question: SearchQuery, on columns: any SchemaColumn..., index: String? = nil,
        where condition: ((Columns) -> Condition)? = nil, limit: Int = 20, offset: Int = 0,
        in db: borrowing some Reading & ~Copyable
    ) throws -> [SearchHit<RecordType>] {
        guard limit >= 0, offset >= 0 else { throw QueryClauses.negativeLimit }
        let ranking = try SearchRanking<Self>(
            question, columns.map(\.definition.name), index, db._handle.connection)
        guard let ranking else { return [] }
        let condition = try condition.flatMap { try Query<Self>().where($0).resolved().condition }
        let statement = try db._handle.connection.statement(for: ranking.sql(condition, limit, offset))
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
