import Foundation
import Strongroom
import StrongroomTesting
import Testing

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
        (.near("quick", "fox", within: 1), [1]), (.near("quick", "fox", within: 2), [1, 2]),
        (.near("fox", "lazy dog", within: 3), [1]), (.near("fox", "lazy dog", within: 2), []),
        (.near("quick brown", "jum"), []), ("", []), ("\"*-()", []), (SearchQuery.all("").excluding("fox"), []),
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
                    default: SearchQuery.near(text, "fox").excluding(.all(text))
                    }
                let found = try Note.search(question).count(in: db)
                #expect(try Note.hits(question, in: db).count == found, "\(question)")
            }
        }
    }
}
