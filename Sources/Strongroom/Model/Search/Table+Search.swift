extension Table {
    /// A query of the rows whose texts answer a question.
    ///
    /// ```swift
    /// let found = try Note.search("café menu").limit(20).fetch(in: db)
    /// let titles = try Note.search(.typing("caf"), on: Note.columns.title).count(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - question: The question; a string literal finds the texts with all of its words. A question without a word
    ///     finds nothing.
    ///   - columns: The columns that are searched; none for all columns of the index.
    ///   - index: The index's name; nil for the first one of the table.
    /// - Returns: The query, which can be refined as any other. If the table declares no such index, or the question is
    ///   too long, running it throws ``StrongroomError`` with `notDeclared`, `tableDiffers` or `limit`.
    public static func search(
        _ question: SearchQuery, on columns: any SchemaColumn..., index: String? = nil
    ) -> Query<Self> {
        let condition = SearchCondition<Self>(question, columns.map(\.definition.name), index).condition
        return Query().where { _ in condition }
    }

    /// The condition that a row's texts answer a question, for queries with other conditions beside it.
    ///
    /// ```swift
    /// let found = try Note.where { $0.isDone == false && Note.matches("menu") }.fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - question: The question; a string literal asks for all of its words. A question without a word is answered by
    ///     no row.
    ///   - columns: The columns that are searched; none for all columns of the index.
    ///   - index: The index's name; nil for the first one of the table.
    /// - Returns: The condition. If the table declares no such index, or the question is too long, running a query with
    ///   it throws ``StrongroomError`` with `notDeclared`, `tableDiffers` or `limit`.
    public static func matches(
        _ question: SearchQuery, on columns: any SchemaColumn..., index: String? = nil
    ) -> Condition {
        SearchCondition<Self>(question, columns.map(\.definition.name), index).condition
    }
}
