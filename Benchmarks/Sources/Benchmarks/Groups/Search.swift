import Strongroom
import TestData

extension Group {
    /// Texts are ASCII, and C's index uses the engine's own tokenizer, so that both indexes contain the same words; the
    /// documents that are found have the same scores.
    ///
    /// "C" has an index as SQLite's documentation creates one: external content, and a trigger that inserts the texts
    /// themselves. "C, same triggers" inserts into the library's own table, with a function in C for the words.
    static let search = Group("search", "full-text search in descriptions of packages: inserting, indexing, asking") {
        workplace in
        let documents = TestDocument.all(count: workplace.documentCount)
        let questions = TestQuestions(documents)
        let indexing = try await IndexingWork(workplace, documents, questions)
        let searching = try await SearchingWork(indexing.filled.copy(), documents, questions)
        return try indexing.measures + searching.measures + typing(searching) + (await indexing.sizes())
    }

    /// Each query is a read that is awaited; the writer inserts a document in each of its writes.
    private static func typing(_ work: SearchingWork) -> [Measure] {
        [50, 99].map { percent in
            Measure(
                name: "as you type beside writer, p\(percent)",
                unit: .milliseconds,
                ours: { try await work.typeBesideWriter()[percent] },
                rival: Measure.Side(name: "no writer", target: nil) { try await work.type()[percent] }
            )
        }
    }
}

extension IndexingWork {
    fileprivate var measures: [Measure] {
        [
            measure(
                "insert with index", ours: { try await insertMany() },
                rival: Measure.Side(name: "C", target: nil) { try await insertByRival() }),
            measure(
                "insert with index, same triggers", ours: { try await insertMany() },
                rival: Measure.Side(name: "C, same triggers", target: nil) { try await insertBySameTriggers() }),
            measure(
                "insert with index, one by one", ours: { try await insertEach() },
                rival: Measure.Side(name: "C", target: nil) { try await insertByRival() }),
            measure(
                "index a table", ours: { try await index() },
                rival: Measure.Side(name: "C", target: nil) { try await indexByRival() },
                grdb: workplace.grdb.map { process in
                    Measure.Side(name: GRDBProcess.name, target: nil) { try await index(by: process) }
                }),
        ]
    }

    private func measure(
        _ name: String, ours: @escaping Measure.Run, rival: Measure.Side, grdb: Measure.Side? = nil
    ) -> Measure {
        Measure(name: name, unit: .rate(entries.count, "documents"), ours: ours, rival: rival, grdb: grdb)
    }
}

extension SearchingWork {
    fileprivate var measures: [Measure] {
        let pairs = questions.pairs.map { "\($0.0) \($0.1)" }
        return [
            measure("20 best, a common word", questions.common.map { .all($0) }, questions.common),
            measure("20 best, two words", pairs.map { .all($0) }, pairs),
            measure(
                "20 best, a beginning", questions.beginnings.map { .typing($0) },
                questions.beginnings.map { "\($0)*" }),
            measure("20 best, a rare word", questions.rare.map { .all($0) }, questions.rare),
        ]
    }

    private func measure(_ name: String, _ asked: [SearchQuery], _ text: [String]) -> Measure {
        Measure(
            name: name,
            unit: .microseconds(each: asked.count),
            ours: { try await ask(asked, asText: text) },
            rival: rival.map { rival in
                Measure.Side(name: "C", target: nil) {
                    try ContinuousClock().measure { _ = try rival.search(text) }
                }
            }
        )
    }
}
