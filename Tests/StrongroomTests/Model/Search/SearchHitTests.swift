import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// The order of answers, against BM25 computed here.
@Suite("The best answers first")
struct SearchHitTests {
    @Table(
        "document",
        fullText: [FullTextIndex(on: "title", "body", weights: [3, 1]), FullTextIndex("plain", on: "body")])
    struct Document: Equatable {
        var id: Int64?
        var title: String
        var body: String
        var topic: Int
    }

    @Table("leaf", fullText: [FullTextIndex(on: "body")])
    struct Leaf: Equatable {
        var id: String
        var body: String
    }

    private static let vocabulary = ["sun", "moon", "star", "sky", "sea", "rain"]

    private static func documents() -> [Document] {
        var random = SeededGenerator(7)
        func words(_ range: ClosedRange<Int>) -> String {
            (0..<Int.random(in: range, using: &random))
                .map { _ in vocabulary[min(Int.random(in: 0..<12, using: &random), 5)] }.joined(separator: " ")
        }
        return (1...200).map { Document(id: $0, title: words(0...3), body: words(1...30), topic: Int($0 % 3)) }
    }

    /// The scores of the documents with all of some words.
    private static func scores(
        _ documents: [Document], _ words: [String], title: Double, body: Double
    ) -> [(id: Int64, score: Double)] {
        func split(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        let lengths = documents.map { Double(split($0.title).count + split($0.body).count) }
        let average = lengths.reduce(0, +) / Double(documents.count)
        func number(_ word: String, _ document: Document) -> Double {
            title * Double(split(document.title).count { $0 == word })
                + body * Double(split(document.body).count { $0 == word })
        }
        var found: [(id: Int64, score: Double)] = []
        for (document, length) in zip(documents, lengths) where words.allSatisfy({ number($0, document) > 0 }) {
            var score = 0.0
            for word in words {
                let rows = Double(documents.count { number(word, $0) > 0 })
                let rarity = log((Double(documents.count) - rows + 0.5) / (rows + 0.5))
                let frequency = number(word, document)
                score += max(rarity, 1e-6) * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / average))
            }
            found.append((document.id ?? 0, score))
        }
        return found.sorted { ($1.score, $0.id) < ($0.score, $1.id) }
    }

    private static func expect(
        _ hits: [SearchHit<Document>], _ wanted: some Collection<(id: Int64, score: Double)>, _ what: Comment
    ) {
        #expect(hits.count == wanted.count, what)
        for (hit, expected) in zip(hits, wanted) {
            #expect(abs(hit.score - expected.score) <= 1e-9 * max(1, expected.score), what)
        }
    }

    @Test func `scores are those of BM25 with weights, on either engine`() async throws {
        let temporary = try await TemporaryStore(Document.self)
        let documents = Self.documents()
        try await temporary.store.write { db throws in
            try Document.insert(contentsOf: documents, in: db)
            for words in [["rain"], ["sun"], ["moon", "rain"], ["sun", "sea", "star"]] {
                let question = SearchQuery.all(words.joined(separator: " "))
                let wanted = Self.scores(documents, words, title: 3, body: 1)
                let all = try Document.hits(question, limit: 1000, in: db)
                Self.expect(all, wanted, "\(words)")
                #expect(all.map(\.record.id) == wanted.map(\.id))
                let page = try Document.hits(question, limit: 7, offset: 5, in: db)
                #expect(page == Array(all.dropFirst(5).prefix(7)))
                let topic = try Document.hits(question, where: { $0.topic == 1 }, limit: 9, in: db)
                #expect(topic == Array(all.filter { $0.record.topic == 1 }.prefix(9)))
            }
            let body = try Document.hits("rain", on: Document.columns.body, index: "text", limit: 1000, in: db)
            let bodies = documents.filter { $0.body.contains("rain") }
            #expect(Set(body.map(\.record.id)) == Set(bodies.map(\.id)))
            #expect(body.map(\.score) == body.map(\.score).sorted(by: >))
            #expect(try Document.hits("rain", index: "plain", limit: 1000, in: db).count == bodies.count)
            #expect(
                try Document.hits(.any("rain sea"), limit: 1000, in: db).count
                    == documents.count {
                        "\($0.title) \($0.body)".contains("rain") || "\($0.title) \($0.body)".contains("sea")
                    })
            #expect(try Document.hits("", in: db).isEmpty)
            #expect(try Document.hits("nothing", in: db).isEmpty)
            #expect(try Document.hits("rain", limit: 0, in: db).isEmpty)
        }
    }

    @Table("leaf", fullText: [FullTextIndex(on: "body", weights: [1, 2])])
    struct Unchecked {
        var id: String
        var body: String
    }

    @Test func `weights that do not fit the index are an error of the search, too`() async throws {
        try await TemporaryStore(Leaf.self).store.write { db throws in
            try expectFailure(.invalidDeclaration) { try Unchecked.hits("sun", in: db) }
        }
    }

    @Test func `rows with texts as keys`() async throws {
        try await TemporaryStore(Leaf.self).store.write { db throws in
            try Leaf.insert(Leaf(id: "b", body: "sun and moon"), in: db)
            try Leaf.insert(Leaf(id: "a", body: "sun"), in: db)
            try Leaf.insert(Leaf(id: "c", body: "sea"), in: db)
            #expect(try Leaf.hits("sun", in: db).map(\.record.id) == ["a", "b"])
            #expect(try Leaf.hits("sun", where: { $0.id > "a" }, in: db).map(\.record.id) == ["b"])
        }
    }

    @Test func `a beginning that very many rows have is not ranked`() async throws {
        let temporary = try await TemporaryStore(Document.self)
        let count = 10_001
        try await temporary.store.write { db throws in
            try Document.insert(
                contentsOf: (1...count).map { number in
                    Document(
                        id: Int64(number), title: number.isMultiple(of: 2) ? "mist" : "moss",
                        body: number == count ? "moon moon sky" : "moon and other words", topic: number % 3)
                }, in: db)
        }
        try await temporary.store.read { db throws in
            let first = try Document.hits(.typing("mo"), limit: 3, offset: 1, in: db)
            #expect(first.map(\.record.id) == [2, 3, 4] && first.allSatisfy { $0.score == 0 })
            let last = try Document.hits(.typing("mo"), where: { $0.topic == 0 }, limit: 2, offset: 3_332, in: db)
            #expect(last.map(\.record.id) == [9_999])
            let inBody = try Document.hits(.typing("mo"), on: Document.columns.body, limit: 2, in: db)
            #expect(inBody.map(\.record.id) == [1, 2] && inBody.allSatisfy { $0.score == 0 })
            // Fewer rows have it in the title, more words are asked for, or the word is whole.
            let inTitle = try Document.hits(.typing("mo"), on: Document.columns.title, limit: 1, in: db)
            #expect(inTitle.first.map { $0.score > 0 } == true)
            let narrowed = try Document.hits(.typing("sky mo"), limit: 1, in: db)
            #expect(narrowed.first?.record.id == Int64(count) && narrowed.first.map { $0.score > 0 } == true)
            let whole = try Document.hits("moon", limit: 1, in: db)
            #expect(whole.first?.record.id == Int64(count))
            try #expect(Document.hits(.typing("mo"), limit: 1, in: db).first?.record.id == 1)
        }
        try await temporary.store.write { db throws in
            try db.execute("DELETE FROM document WHERE id = 1")
            let ranked = try Document.hits(.typing("mo"), limit: 1, in: db)
            #expect(ranked.first?.record.id == Int64(count) && ranked.first.map { $0.score > 0 } == true)
        }
    }
}

/// Questions of every kind, with the same answers on both engines.
@Suite("Questions to a full-text index")
struct SearchQueryTests {
    typealias Note = Library.Note

    private static let texts: [(String, String)] = [
        ("Café menu", "The quick brown fox jumps over the lazy dog"),
        ("Cafeteria", "A quick lunch; the fox sleeps"),
        ("東京タワー", "東京都に行きました"),
        ("서울", "서울에서 만나요"),
        ("ประเทศไทย", "ภาษาไทยไม่มีช่องว่าง"),
        ("Straße", "NEAR AND OR NOT \"quoted\" menu*"),
        ("l'été", "mp-3 player"),
    ]

    private static func store() async throws -> TemporaryStore {
        let temporary = try await Library.store()
        try await temporary.store.write { db throws in
            for (title, body) in texts { _ = try Note.insert(Note(title: title, body: body), in: db) }
        }
        return temporary
    }

    private static let questions: [(SearchQuery, [Int64])] = [
        ("cafe", [1]), ("CAFÉ MENU", [1]), ("menu", [1, 6]), (.typing("caf"), [1, 2]), (.typing("caf "), []),
        (.typing("quick f"), [1, 2]), (.phrase("quick brown"), [1]), (.phrase("brown quick"), []),
        (.any("menu lunch"), [1, 2, 6]), ("東京", [3]), ("京都", [3]), ("京東", []), ("서울", [4]), ("울에", [4]), ("ไทย", [5]),
        ("ทยไ", [5]), ("ไยท", []), ("strasse", [6]), ("near and or not", [6]), ("ete", [7]), ("l'ete", [7]),
        ("ete l", [7]),
        ("mp3", []), ("mp 3", [7]), (SearchQuery.all("fox").excluding("dog"), [2]),
        (SearchQuery.all("fox") && "lunch", [2]), (SearchQuery.all("lunch") || "dog", [1, 2]),
        ((SearchQuery.all("fox") && (SearchQuery.all("lunch") || "dog")).excluding(.phrase("quick lunch")), [1]),
        ("", []), ("\"*-()", []), (SearchQuery.all("").excluding("fox"), []),
        (SearchQuery.all("fox").excluding(""), [1, 2]), ("title:cafe", []), ("c0 cafe", []), ("\u{0}fox\u{0}", [1, 2]),
        ("menu OR lunch", []), ("-fox", [1, 2]),
    ]

    @Test(arguments: questions.indices)
    func `a question finds`(position: Int) async throws {
        let (question, wanted) = Self.questions[position]
        try await Self.store().store.read { db throws in
            #expect(try Note.search(question).fetch(in: db).compactMap(\.id) == wanted, "\(question)")
            #expect(Set(try Note.hits(question, in: db).compactMap(\.record.id)) == Set(wanted))
            #expect(try Note.where { $0.id > 0 && Note.matches(question) }.count(in: db) == wanted.count)
            #expect(try Note.where { _ in !Note.matches(question) }.count(in: db) == Self.texts.count - wanted.count)
        }
    }

    @Test func `one column, several columns, another order, a page`() async throws {
        try await Self.store().store.read { db throws in
            let columns = Note.columns
            #expect(try Note.search("menu", on: columns.title).fetch(in: db).map(\.id) == [1])
            #expect(try Note.search("menu", on: columns.body).fetch(in: db).map(\.id) == [6])
            #expect(try Note.search("menu fox", on: columns.title, columns.body).fetch(in: db).map(\.id) == [1])
            #expect(try Note.search("menu fox", on: columns.body).fetch(in: db).isEmpty)
            let backwards = Note.search(.any("menu lunch")).order { $0.id.descending }
            #expect(try backwards.limit(2).fetch(in: db).map(\.id) == [6, 2])
            #expect(try Note.hits(.any("menu lunch"), on: columns.title, in: db).map(\.record.id) == [1])
            try expectFailure(.notDeclared) {
                try Note.search("menu", on: columns.number).count(in: db)
            }
            #expect(throws: StrongroomError.self) { try Note.search("menu", index: "other").count(in: db) }
        }
    }

    @Test func `a join of searched tables`() async throws {
        try await Self.store().store.write { db throws in
            try db.createTable(Comment.schema)
            for note in 1...7 as ClosedRange<Int64> {
                _ = try Comment.insert(Comment(note: note, text: "fox \(note)"), in: db)
            }
            let joined = try Comment.search("fox").join(Note.self) { $0.note == $1.id }
                .where { _, note in note.id.isIn(Note.search("menu")) }.fetch(in: db)
            #expect(joined.map(\.0.note) == [1, 6])
        }
    }

    @Table("comment", fullText: [FullTextIndex(on: "text")])
    struct Comment {
        var id: Int64?
        var note: Int64?
        var text: String
    }

    @Test func `a question of a megabyte is refused or answered, and its words are in no error`() async throws {
        let temporary = try await Self.store()
        let many = (0..<100_000).map { "word\($0)" }.joined(separator: " ")
        try await temporary.store.read { db throws in
            for question in [SearchQuery.all(many), .any(many), .phrase(many), .typing(many)] {
                let error = #expect(throws: StrongroomError.self) { try Note.search(question).count(in: db) }
                #expect(error?.code == .limit)
                #expect(error.map { "\($0)".contains("word1") } == false)
                #expect(throws: StrongroomError.self) { try Note.hits(question, in: db) }
            }
            let same = String(repeating: "fox ", count: 200_000)
            #expect(try Note.search(.all(same)).count(in: db) == 2)
            let signs = String(repeating: "\"", count: 1_000_000)
            #expect(try Note.search(.all(signs)).count(in: db) == 0)
            let long = String(repeating: "x", count: 1_000_000)
            #expect(try Note.search(.all(long)).count(in: db) == 0)
        }
    }

    /// STRONGROOM_LONG=1: a million.
    @Test func `what is typed is never an error of the engine`() async throws {
        let temporary = try await Self.store()
        let count = ProcessInfo.processInfo.environment["STRONGROOM_LONG"] == "1" ? 1_000_000 : 1_500
        try await temporary.store.read { db throws in
            var random = SeededGenerator(11)
            let pieces = [
                "fox", "\"", "*", "(", ")", "NEAR/3", " AND ", " OR ", " NOT ", "-", "c0:", "\0", "{", "}", "^", "+",
            ]
            for _ in 0..<count {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    Bool.random(using: &random) ? pieces.randomElement(using: &random) ?? "" : random.text(upTo: 3)
                }.joined()
                let question =
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: SearchQuery.all(text)
                    case 1: SearchQuery.any(text)
                    case 2: SearchQuery.phrase(text)
                    case 3: SearchQuery.typing(text)
                    default: (SearchQuery.phrase(text) || "fox").excluding(.all(text))
                    }
                let found = try Note.search(question).count(in: db)
                #expect(try Note.hits(question, in: db).count == found, "\(question)")
            }
        }
    }
}
