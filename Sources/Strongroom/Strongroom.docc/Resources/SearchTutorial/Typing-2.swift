import Strongroom

func bold(_ text: String, at ranges: [Range<String.Index>]) -> String {
    var line = ""
    var end = text.startIndex
    for range in ranges {
        line += "\(text[end..<range.lowerBound])\u{1B}[1m\(text[range])\u{1B}[0m"
        end = range.upperBound
    }
    return "\(line)\(text[end...])"
}

func printNotes(for typed: String, in store: Store) async throws {
    let query = SearchQuery.typing(typed)
    let hits = try await store.read { db in try Note.hits(query, limit: 10, in: db) }
    for hit in hits {
        print(bold(hit.record.title, at: query.highlights(in: hit.record.title)))
        let snippet = query.snippet(of: hit.record.body, words: 4)
        let before = snippet.isCutAtStart ? "…" : ""
        let after = snippet.isCutAtEnd ? "…" : ""
        print("    \(before)\(bold(snippet.text, at: snippet.highlights))\(after)")
    }
}
