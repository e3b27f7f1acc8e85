/// Texts of made-up words, which are as frequent as Zipf's law says: the second word half as often as the first.
enum GeneratedTexts {
    private static let wordCount = 40_000

    static func documents(count: Int) -> [TestDocument] {
        var generator = SeededGenerator(seed: 3)
        let words = words(&generator)
        // The sum of the frequencies of each word and of those before it.
        var sums: [Double] = []
        for rank in words.indices { sums.append((sums.last ?? 0) + 1 / Double(rank + 3)) }
        return (0..<count).map { _ in
            let title = text(of: Int.random(in: 3...10, using: &generator), words, sums, &generator)
            let body = text(of: Int.random(in: 20...90, using: &generator), words, sums, &generator)
            return TestDocument(title: title, body: body)
        }
    }

    /// Different words of one to five syllables; the first ones are short.
    private static func words(_ generator: inout SeededGenerator) -> [String] {
        let (consonants, vowels) = (Array("bcdfghklmnprstvwz"), Array("aeiou"))
        var (words, known): ([String], Set<String>) = ([], [])
        while words.count < wordCount {
            let syllables = Int.random(in: 1...(words.count < 60 ? 2 : 5), using: &generator)
            let letters = (0..<syllables).flatMap { _ in
                [consonants, vowels].map { $0[Int.random(in: $0.indices, using: &generator)] }
            }
            if known.insert(String(letters)).inserted { words.append(String(letters)) }
        }
        return words
    }

    private static func text(
        of count: Int, _ words: [String], _ sums: [Double], _ generator: inout SeededGenerator
    ) -> String {
        let chosen = (0..<count).map { _ in
            let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &generator)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] <= wanted { low = middle + 1 } else { high = middle }
            }
            return words[low]
        }
        return chosen.joined(separator: " ")
    }
}
