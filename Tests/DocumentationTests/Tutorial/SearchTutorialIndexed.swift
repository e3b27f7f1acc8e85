import Strongroom

/// The notes of the tutorial with a full-text index, which only a new file has.
struct SearchTutorialIndexed {
    @Table("note", fullText: [FullTextIndex(on: "title", "body", weights: [3, 1])])
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
            }
        }
    }

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
}
