@testable import Strongroom
import StrongroomTesting
import Testing

/// The questions and texts of all languages, in a file.
@Suite("Languages in a full-text index")
struct SearchLanguageStoreTests {
    @Table(
        "sample",
        fullText: [
            FullTextIndex("standard", on: "text"), FullTextIndex("marks", on: "text", tokenizer: .keepingMarks),
            FullTextIndex("english", on: "text", tokenizer: .english),
        ])
    struct Sample {
        var id: Int64?
        var text: String
    }

    @Test func `a question finds the texts of its language alone`() async throws {
        typealias Cases = SearchLanguageTests
        let cases =
            Cases.latin + Cases.greekAndCyrillic + Cases.semitic + Cases.indic + Cases.clusters + Cases.symbols
            + Cases.marks + Cases.english
        let temporary = try await TemporaryStore(Sample.self)
        try await temporary.store.write { db throws in
            for example in cases {
                var wanted: Set<Int64> = []
                var keys: [Int64] = []
                for text in example.found + example.other {
                    let key = try Sample.insert(Sample(text: text), in: db)
                    keys.append(key)
                    if wanted.count < example.found.count { wanted.insert(key) }
                }
                for question in [SearchQuery.all(example.question), .phrase(example.question)] {
                    let found = try Sample.search(question, index: example.tokenizer.name).fetch(in: db)
                    #expect(Set(found.compactMap(\.id)) == wanted, "\(example.testDescription)")
                    let hits = try Sample.hits(question, index: example.tokenizer.name, in: db)
                    #expect(Set(hits.compactMap(\.record.id)) == wanted, "\(example.testDescription)")
                }
                for key in keys { try Sample.delete(key, in: db) }
            }
        }
        #expect(try await Library.findings(temporary.store) == [])
    }
}
