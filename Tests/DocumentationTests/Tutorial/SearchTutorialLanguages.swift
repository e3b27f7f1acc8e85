import Strongroom
import StrongroomTesting
import Testing

/// The whole program of the tutorial: two full-text indexes, which existing files get by a migration.
struct SearchTutorialLanguages {
    @Table(
        "note",
        fullText: [
            FullTextIndex(on: "title", "body", weights: [3, 1]),
            FullTextIndex("exact", on: "title", "body", tokenizer: .keepingMarks),
        ])
    struct Note {
        var id: Int64?
        var title: String
        var body: String
        var isDone = false
    }

    struct Notes: Configuration {
        static let target = "notes"
        let directory: String

        func filePath(for database: DatabaseName) -> String? {
            "\(directory)/\(database.fileName)"
        }

        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyChain(.passphrase("secret of the notes"))
        }

        func migrator(for database: DatabaseName) -> Migrator? {
            Migrator(tables: [Note.schema]) {
                Migration("1") { db in
                    try db.execute(
                        """
                        CREATE TABLE note (
                            id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL,
                            isDone INTEGER NOT NULL DEFAULT 0)
                        """)
                }
                Migration("2") { db in
                    try db.keepFullText(of: Note.schema)
                } down: { db in
                    try db.stopFullText(of: "note")
                }
            }
        }
    }

    let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    func openNotes(in directory: String) async throws -> Store {
        let stores = try Stores(Notes(directory: directory))
        return try await stores.open("notes.sqlite")
    }

    func addNotes(to store: Store) async throws {
        let notes = [
            Note(title: "Café menu", body: "Soup of the day, crème brûlée, and coffee"),
            Note(title: "Shopping", body: "Coffee, milk, and a menu for Sunday"),
            Note(title: "Paint the kitchen", body: "Buy paint near the Café Central", isDone: true),
            Note(title: "Garden", body: "Water the tomatoes every evening"),
            Note(title: "Running", body: "Five kilometres along the river"),
        ]
        try await store.write { db in try Note.insert(contentsOf: notes, in: db) }
    }

    func titles(with words: String, in store: Store) async throws -> [String] {
        try await store.read { db in
            try Note.search(.all(words))
                .order { $0.title.ascending }
                .fetch(in: db)
                .map(\.title)
        }
    }

    func openTitles(with words: String, in store: Store) async throws -> [String] {
        try await store.read { db in
            try Note.where { !$0.isDone && Note.matches(.all(words)) }
                .order { $0.title.ascending }
                .fetch(in: db)
                .map(\.title)
        }
    }

    func printBest(with words: String, in store: Store) async throws {
        let hits = try await store.read { db in try Note.hits(.all(words), limit: 10, in: db) }
        for hit in hits { print(hit.score, hit.record.title) }
    }

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

    func addTravels(to store: Store) async throws {
        let notes = [
            Note(title: "Straßburg", body: "La pêche de vigne, le Münster"),
            Note(title: "北京旅行", body: "在胡同里吃烤鸭，再去长城。"),
        ]
        try await store.write { db in try Note.insert(contentsOf: notes, in: db) }
    }

    func titles(withExactly words: String, in store: Store) async throws -> [String] {
        try await store.read { db in
            try Note.search(.all(words), index: "exact")
                .order { $0.title.ascending }
                .fetch(in: db)
                .map(\.title)
        }
    }

    func check(_ store: Store) async throws -> Bool {
        let report = try await store.verify()
        if !report.isIntact { print(report) }
        return report.isIntact
    }

    func rebuild(_ store: Store) async throws {
        let indexes = try await store.write { db in try db.rebuildFullText(of: "note") }
        print("created anew:", indexes.joined(separator: ", "))
    }

    @Test func theNotesMigrate() async throws {
        try await MigrationProof(Notes(directory: "/nowhere"))
            .planting(at: "1") { db in
                try db.execute("INSERT INTO note (title, body) VALUES ('Café', 'Soup of the day')")
            } expecting: { db, version in
                guard version == "2" else { return true }
                return try Note.search("cafe soup").count(in: db) == 1
            }
            .records(of: Note.self)
            .verify()
    }
}
