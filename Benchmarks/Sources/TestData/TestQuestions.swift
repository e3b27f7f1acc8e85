/// The queries of the measures of full-text search, which depend on how many of the documents have each word.
public struct TestQuestions: Sendable {
    /// Words of about a tenth of the documents.
    public let common: [String]
    /// Words of a few documents.
    public let rare: [String]
    /// Two words each, of about a tenth and a twentieth of the documents, that some documents have both of.
    public let pairs: [(String, String)]
    /// Beginnings of three letters, of words of about a hundredth of the documents, that fewer than 10,000 documents
    /// have.
    public let beginnings: [String]
    /// What a field contains after each key, from the second one on, while words are typed.
    public let typed: [String]
    /// The number of documents with the first common word.
    public let commonCount: Int

    public init(_ documents: [TestDocument]) {
        var counts: [Substring: Int] = [:]
        let words = documents.map(\.words)
        for words in words { for word in words { counts[word, default: 0] += 1 } }
        // Words of letters; those that are as near as possible to a frequency, in a fixed order.
        let ordered = counts.filter { $0.key.count >= 4 && $0.key.allSatisfy(\.isLetter) }
            .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        func nearest(_ share: Double, _ count: Int) -> [Substring] {
            let wanted = Int(share * Double(documents.count))
            let start = ordered.firstIndex { $0.value >= wanted } ?? ordered.count
            let first = max(0, min(ordered.count - count, start - count / 2))
            return ordered[first..<min(ordered.count, first + count)].map(\.key)
        }
        let frequent = nearest(0.1, 5)
        common = frequent.map(String.init)
        commonCount = frequent.first.flatMap { counts[$0] } ?? 0
        rare = nearest(4.0 / Double(documents.count), 200).map(String.init)
        pairs = frequent.flatMap { one in
            nearest(0.05, 3).filter { other in other != one && words.contains { $0.contains(one) && $0.contains(other) }
            }
            .map { (String(one), String($0)) }
        }
        let middling = nearest(0.01, 10)
        beginnings = middling.map { String($0.prefix(3)) }.filter { beginning in
            words.count { words in words.contains { $0.hasPrefix(beginning) } } < 10_000
        }
        typed = middling.flatMap { word in (2...word.count).map { String(word.prefix($0)) } }
    }
}
