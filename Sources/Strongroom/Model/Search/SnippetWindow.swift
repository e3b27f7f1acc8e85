/// The tokens of a text that a snippet shows.
struct SnippetWindow {
    let tokens: Range<Int>

    /// The occurrences in it.
    let matches: [SearchMatches.Match]

    /// Chooses the window of a length with the most different phrases, then the most occurrences, then the first one.
    ///
    /// - Parameter matches: The occurrences in the order of their first tokens.
    init(_ matches: [SearchMatches.Match], tokenCount: Int, length: Int) {
        let length = min(length, tokenCount)
        // An occurrence that is longer than the window counts by its first tokens.
        let ends = matches.map { min($0.tokens.upperBound, $0.tokens.lowerBound + length) }
        var best = (phrases: 0, matches: 0, range: 0..<0)
        var counts: [Int: Int] = [:]
        var first = 0
        var inside = 0
        for last in Self.byEnd(ends) {
            counts[matches[last].phrase, default: 0] += 1
            inside += 1
            // What begins before the window also ends in it, as it is no longer, so it has been counted.
            while first < matches.count, matches[first].tokens.lowerBound < ends[last] - length {
                let phrase = matches[first].phrase
                counts[phrase] = counts[phrase].flatMap { $0 > 1 ? $0 - 1 : nil }
                inside -= 1
                first += 1
            }
            if (counts.count, inside) > (best.phrases, best.matches) {
                best = (counts.count, inside, matches[first].tokens.lowerBound..<ends[last])
            }
        }
        let spare = max(length - best.range.count, 0)
        let wanted = best.matches == 0 ? 0 : best.range.lowerBound - spare / 2
        let start = max(0, min(wanted, tokenCount - length))
        let tokens = start..<start + length
        self.tokens = tokens
        self.matches = zip(matches, ends).filter { $0.0.tokens.lowerBound >= start && $0.1 <= tokens.upperBound }
            .map(\.0)
    }

    /// The indexes in the order of the ends, and of equal ends in their own.
    private static func byEnd(_ ends: [Int]) -> [Int] {
        ends.indices.sorted { (ends[$0], $0) < (ends[$1], $1) }
    }
}
