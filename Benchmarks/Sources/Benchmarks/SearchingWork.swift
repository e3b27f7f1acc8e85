import Strongroom
import TestData

/// Queries of an index of all documents.
struct SearchingWork {
    let questions: TestQuestions
    /// C, which has an index of its own in a file of its own; nil on an engine without FTS5, whose FTS4 ranks no rows.
    let rival: Rival?
    private let store: Store
    /// Another file, whose index also has beginnings of words.
    private let typed: Store
    private let documents: [TypedDocument]

    /// - Parameter file: A file without an index, which gets one.
    init(_ file: Workplace.File, _ documents: [TestDocument], _ questions: TestQuestions) async throws {
        self.questions = questions
        self.documents = documents.prefix(10_000).map(TypedDocument.init)
        rival = DocumentIndex.hasFTS5 ? try file.copy().openRival() : nil
        try rival?.run(DocumentIndex.filling)
        typed = try await file.copy().open()
        try await typed.write { db in try db.keepFullText(of: TypedDocument.schema) }
        try await typed.checkpoint()
        store = try await file.open()
        try await store.write { db in try db.keepFullText(of: Document.schema) }
        try await store.checkpoint()
        lastID = Int64(documents.count)
    }

    private let lastID: Int64

    // MARK: The best

    /// Runs all queries in one read, and shows that the scores are those of the rival.
    func ask(_ asked: [SearchQuery], asText text: [String]) async throws -> Duration {
        var found = Summary()
        let duration = try await ContinuousClock().measure {
            found = try await store.read { db in
                var found = Summary()
                for question in asked {
                    for hit in try Document.hits(question, limit: 20, in: db) { found.add(hit) }
                }
                return found
            }
        }
        if let rival { try found.check(rival.search(text)) }
        return duration
    }

    // MARK: Typing

    func type() async throws -> Latencies {
        var latencies = Latencies()
        try await type(&latencies)
        return latencies
    }

    func typeBesideWriter() async throws -> Latencies {
        let (store, documents) = (typed, documents)
        var latencies = Latencies()
        let done = try await BesideWriter.measure(
            write: { count in
                try await store.write { db in _ = try TypedDocument.insert(documents[count % documents.count], in: db) }
            },
            read: {
                try await type(&latencies)
                return Summary()
            }
        )
        let last = lastID
        let deleted = try await store.write { db in try TypedDocument.where { $0.id > last }.delete(in: db) }
        try Summary(rows: Int64(deleted)).check(Summary(rows: Int64(done.allWrites)))
        try await store.checkpoint()
        return latencies
    }

    private func type(_ latencies: inout Latencies) async throws {
        for text in questions.typed {
            let start = ContinuousClock.now
            let hits = try await typed.read { db in try TypedDocument.hits(.typing(text), limit: 20, in: db) }
            latencies.add(ContinuousClock.now - start)
            guard !hits.isEmpty else { throw NothingFound(question: text) }
        }
    }

    private struct NothingFound: Error {
        let question: String
    }
}

/// The times of several queries.
struct Latencies {
    private var all: [Duration] = []

    mutating func add(_ duration: Duration) { all.append(duration) }

    /// The time that some of a hundred did not exceed.
    subscript(percent: Int) -> Duration {
        let sorted = all.sorted()
        return sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }
}

extension Summary {
    /// A hit, with its score in millionths.
    fileprivate mutating func add(_ hit: SearchHit<Document>) {
        rows += 1
        sum += Int64((hit.score * 1e6).rounded())
    }
}
