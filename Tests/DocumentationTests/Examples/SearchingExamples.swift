import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Searching\"")
struct SearchingExamples {
    @Table("note", in: "notes.sqlite", fullText: [FullTextIndex(on: "title", "body", weights: [3, 1])])
    struct Note {
        var id: Int64?
        var title: String
        var body: String
        var isDone = false
    }

    @Test func notesAreSearched() async throws {
        let temporary = try await TemporaryStore(tables: [Note.schema])
        let store = temporary.store
        let note = Note(title: "Café", body: "The menu of the café has changed, and there is soup")
        _ = try await store.write { db in try Note.insert(note, in: db) }

        let hits = try await store.read { db in try Note.hits("café menu", limit: 20, in: db) }
        for hit in hits { print(hit.score, hit.record.title) }
        #expect(hits.count == 1)

        try await store.read { db throws in
            let number = try Note.search("café menu").count(in: db)
            let open = try Note.where { !$0.isDone && Note.matches("menu") }.order { $0.title.ascending }.fetch(in: db)
            let titles = try Note.search("menu", on: Note.columns.title).fetch(in: db)
            #expect(number == 1 && open.count == 1 && titles.isEmpty)
        }

        let question = SearchQuery.typing("caf")
        for range in question.highlights(in: "The café menu") { print("The café menu"[range]) }
        let snippet = question.snippet(of: note.body, words: 8)
        #expect(snippet.highlights.map { snippet.text[$0] } == ["café"])

        try await store.write { db in try db.rebuildFullText(of: "note") }
        #expect(try await store.verify().isWhole)
    }

    @Test func aStepCreatesAnIndex() async throws {
        let migrator = Migrator {
            Migration("2") { db in try db.createTable(TableSchema("note", columns: Note._columnDefinitions)) }
            Migration("3") { db in try db.keepFullText(of: Note.schema) }
        }
        var place = try Place(tables: Note.schema)
        place.migrator = migrator
        let store = try await Stores(place).open("addressbook.sqlite")
        _ = try await store.write { db in try Note.insert(Note(title: "Soup", body: ""), in: db) }
        let number = try await store.read { db in try Note.search("soup").count(in: db) }
        #expect(number == 1)
        try await store.close()
    }
}
