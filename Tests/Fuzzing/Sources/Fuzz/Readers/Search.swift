@testable import Strongroom

extension Reader {
    /// What is typed into a search field, and the texts that are searched.
    static let search = Reader("search", longest: 1 << 12) { input in
        let tokenizer = input.element(of: [TextTokenizer.standard, .keepingMarks, .english])
        let length = Int(input.byte() % 64)
        let query = query(&input, levels: 4)
        let text = input.text()
        checkTerms(of: text, tokenizer)
        for range in query.highlights(in: text, tokenizer: tokenizer) {
            require(!text[range].isEmpty, "a highlight has text")
        }
        let snippet = query.snippet(of: text, words: length, tokenizer: tokenizer)
        require(text.contains(snippet.text) || snippet.text.isEmpty, "a snippet is a part of the text")
        for range in snippet.highlights { require(!snippet.text[range].isEmpty, "a highlight has text") }
        let expression = try query.expression(by: tokenizer)
        try match(expression)
    }

    private static func query(_ input: inout Input, levels: Int) -> SearchQuery {
        let kind = input.byte() % (levels > 0 ? 7 : 4)
        switch kind {
        case 4: return query(&input, levels: levels - 1) && query(&input, levels: levels - 1)
        case 5: return query(&input, levels: levels - 1) || query(&input, levels: levels - 1)
        case 6: return query(&input, levels: levels - 1).excluding(query(&input, levels: levels - 1))
        default:
            let text = input.text(Int(input.byte()))
            return [SearchQuery.all, SearchQuery.any, SearchQuery.phrase, SearchQuery.typing][Int(kind)](text)
        }
    }

    private static func checkTerms(of text: String, _ tokenizer: TextTokenizer) {
        let tokens = tokenizer.tokens(in: text)
        let joined = tokens.map(\.term).joined(separator: " ")
        require(tokenizer.terms(of: text).utf8.elementsEqual(joined.utf8), "a text is indexed as it is searched")
        for token in tokens {
            require(token.range.upperBound <= text.endIndex, "a word is in the text")
            require(!token.term.isEmpty && token.term.unicodeScalars.count <= 128, "a term has a length")
        }
    }

    /// Runs the query by each of the engine's full-text modules that is there.
    private static func match(_ expression: SearchExpression) throws {
        let index = Index.shared
        if index.hasFTS5 {
            _ = try index.database.connection.ownRows("SELECT rowid FROM f5 WHERE f5 MATCH ?", [.text(expression.fts5)])
        }
        if let text = expression.fts4 {
            _ = try index.database.connection.ownRows("SELECT rowid FROM f4 WHERE f4 MATCH ?", [.text(text)])
        }
    }
}

private struct Index {
    let database: MemoryDatabase
    let hasFTS5: Bool

    static let shared: Index = {
        let database = MemoryDatabase(
            "CREATE VIRTUAL TABLE f4 USING fts4(x, tokenize=unicode61 \"remove_diacritics=0\")",
            "INSERT INTO f4 (x) VALUES ('quick brown fox')")
        do {
            try database.connection.run("CREATE VIRTUAL TABLE f5 USING fts5(x)")
            try database.connection.run("INSERT INTO f5 (x) VALUES ('quick brown fox')")
            return Index(database: database, hasFTS5: true)
        } catch {
            return Index(database: database, hasFTS5: false)
        }
    }()
}
